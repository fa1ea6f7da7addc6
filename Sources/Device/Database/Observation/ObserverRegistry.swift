import CausewayModel
import CausewayObjectStore

/// Somebody who wants to know what a Realm instance's steps forward changed.
class ChangeObserver {
    let state: ObservationState

    init(_ state: ObservationState) {
        self.state = state
    }

    /// Tells what changed since the last call. Overridden.
    func deliver(_ instance: RealmInstance) {}

    /// Takes the present as known, without telling. Overridden.
    func skip(_ instance: RealmInstance) {}

    /// Nothing more can be told: what is observed belongs to a snapshot that the Realm has let go of.
    func invalidated(_ instance: RealmInstance) {
        state.cancel()
    }
}

/// Somebody who wants to know that a Realm has moved.
final class RealmObserver {
    let state: ObservationState
    let block: (Realm.Notification, Realm) -> Void

    init(_ state: ObservationState, _ block: @escaping (Realm.Notification, Realm) -> Void) {
        self.state = state
        self.block = block
    }
}

/// The observers of one Realm instance, told in the order they came. Their tokens own them.
final class ObserverRegistry {
    private struct Weak<Observer: AnyObject> {
        weak var observer: Observer?
    }
    private var observers: [Weak<ChangeObserver>] = []
    private var realmObservers: [Weak<RealmObserver>] = []
    private var isDelivering = false

    var isEmpty: Bool { observers.isEmpty }

    /// Keeps an observer for as long as its token lives.
    func add(_ observer: ChangeObserver, _ instance: RealmInstance) {
        observer.state.hold(instance, observer)
        observers.append(Weak(observer: observer))
    }

    func add(_ observer: RealmObserver, _ instance: RealmInstance) {
        observer.state.hold(instance, observer)
        realmObservers.append(Weak(observer: observer))
    }

    func tellRealmObservers(_ notification: Realm.Notification, _ instance: RealmInstance) {
        guard !realmObservers.isEmpty else { return }
        realmObservers.removeAll { $0.observer == nil }
        for observer in realmObservers.compactMap(\.observer) where !observer.state.isCancelled {
            observer.block(notification, Realm(instance: instance))
        }
    }

    /// Tells every observer what it has not heard. A block that writes is not told of its own write before it returns.
    func deliver(_ instance: RealmInstance) {
        guard !isDelivering, !observers.isEmpty else { return }
        isDelivering = true
        defer { isDelivering = false }
        observers.removeAll { $0.observer == nil }
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

    /// The observers of the tokens will not hear of what has just been committed.
    func skip(_ tokens: [NotificationToken], _ instance: RealmInstance) {
        guard !tokens.isEmpty else { return }
        for observer in observers.compactMap(\.observer)
        where tokens.contains(where: { $0.observation === observer.state }) {
            observer.skip(instance)
        }
    }
}

/// What the file recorded between two versions, looked up once for all results and observers of an instance.
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

    /// Nil when the record is no longer kept: then everything may have changed.
    func between(_ after: UInt64, _ through: UInt64) -> ChangeRecord? {
        if after == through { return ChangeRecord() }
        let range = Range(after: after, through: through)
        if let known = records[range] { return known }
        // A record that cannot be read is treated like one that is gone.
        let record = try? coordinator.store.changes(after: after, through: through)
        records = records.filter { $0.key.through == through }
        records[range] = .some(record)
        return record
    }
}
