import CausewayModel
import CausewayObjectStore

/// An observer of the changes that a Realm instance sees as it moves to newer versions.
class ChangeObserver {
    let state: ObservationState

    init(_ state: ObservationState) {
        self.state = state
    }

    /// Reports what changed since the last call. Subclasses override it.
    func deliver(_ instance: RealmInstance) {}

    /// Marks the current state as known, without reporting it. Subclasses override it.
    func skip(_ instance: RealmInstance) {}

    /// Ends the observation: the Realm has released the snapshot of the observed object.
    func invalidated(_ instance: RealmInstance) {
        state.cancel()
    }
}

/// An observer that is notified when a Realm moves to another version.
final class RealmObserver {
    let state: ObservationState
    let block: (Realm.Notification, Realm) -> Void

    init(_ state: ObservationState, _ block: @escaping (Realm.Notification, Realm) -> Void) {
        self.state = state
        self.block = block
    }
}

/// The observers of one Realm instance, notified in the order of registration. Their tokens own them.
final class ObserverRegistry {
    private struct Weak<Observer: AnyObject> {
        weak var observer: Observer?
    }
    private var observers: [Weak<ChangeObserver>] = []
    private var realmObservers: [Weak<RealmObserver>] = []
    private var isDelivering = false

    var isEmpty: Bool { observers.isEmpty }

    /// Registers an observer for as long as its token lives.
    func add(_ observer: ChangeObserver, _ instance: RealmInstance) {
        observer.state.hold(instance, observer)
        observers.append(Weak(observer: observer))
    }

    func add(_ observer: RealmObserver, _ instance: RealmInstance) {
        observer.state.hold(instance, observer)
        realmObservers.append(Weak(observer: observer))
    }

    func tellRealmObservers(
        _ notification: Realm.Notification, _ instance: RealmInstance, except tokens: [NotificationToken] = []
    ) {
        guard !realmObservers.isEmpty else { return }
        realmObservers.removeAll { $0.observer == nil }
        for observer in realmObservers.compactMap(\.observer)
        where !observer.state.isCancelled && !tokens.contains(where: { $0.observation === observer.state }) {
            observer.block(notification, Realm(instance: instance))
        }
    }

    /// Notifies every observer of what changed since its last notification. Not reentrant: a block that writes is
    /// notified of its own write only after it returns.
    func deliver(_ instance: RealmInstance) {
        guard !isDelivering, !observers.isEmpty else { return }
        isDelivering = true
        defer { isDelivering = false }
        observers.removeAll { $0.observer == nil }
        Logger.note(
            .trace, Category.Storage.notification,
            "Notify \(observers.count) observers of version \(instance.transaction.version): "
                + instance.configuration.path)
        for observer in observers.compactMap(\.observer) where !observer.state.isCancelled {
            observer.deliver(instance)
        }
    }

    /// Ends all observations of objects and collections.
    func invalidated(_ instance: RealmInstance) {
        let ended = observers.compactMap(\.observer)
        observers = []
        for observer in ended { observer.invalidated(instance) }
    }

    /// The observers of the tokens skip the latest commit.
    func skip(_ tokens: [NotificationToken], _ instance: RealmInstance) {
        guard !tokens.isEmpty else { return }
        for observer in observers.compactMap(\.observer)
        where tokens.contains(where: { $0.observation === observer.state }) {
            observer.skip(instance)
        }
    }
}

/// The change records between two versions of the file, cached for all results and observers of an instance.
final class ChangesBetweenVersions {
    private struct Range: Hashable {
        var after: UInt64
        var through: UInt64
    }
    private let coordinator: FileCoordinator
    private var records: [Range: ChangeRecord?] = [:]

    init(_ coordinator: FileCoordinator) {
        self.coordinator = coordinator
    }

    /// Nil when the record is no longer kept. Everything may have changed then.
    func between(_ after: UInt64, _ through: UInt64) -> ChangeRecord? {
        if after == through { return ChangeRecord() }
        let range = Range(after: after, through: through)
        if let known = records[range] { return known }
        // A record that cannot be read counts as no longer kept.
        let record = try? coordinator.store.changes(after: after, through: through)
        records = records.filter { $0.key.through == through }
        records[range] = .some(record)
        return record
    }
}
