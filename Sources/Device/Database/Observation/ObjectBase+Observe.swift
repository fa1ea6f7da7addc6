import CausewayModel
import CausewayObjectStore
public import Dispatch

/// One property that changed: its name, and its values before and after where they are single values.
public struct PropertyChange {
    public let name: String
    /// The value before; nil for collections and for empty optionals.
    public let oldValue: Any?
    /// The value after; nil for collections and for empty optionals.
    public let newValue: Any?
}

/// What became of an object since the last notification.
public enum ObjectChange<T> {
    /// Kept for compatibility; never sent.
    case error(any Error)
    case change(T, [PropertyChange])
    /// The object is gone; no notification follows.
    case deleted
}

/// An object that can be observed: every class of objects and embedded objects.
public protocol ObservableObjectBase: ObjectBase {}

extension Object: ObservableObjectBase {}
extension EmbeddedObject: ObservableObjectBase {}

extension ObservableObjectBase {
    /// Calls the block after every commit that changes the object.
    ///
    /// ```swift
    /// token = dog.observe { change in
    ///     if case .change(_, let properties) = change { print(properties.map(\.name)) }
    /// }
    /// ```
    ///
    /// There is no call at the beginning. The block runs where the Realm lives, or on the queue given.
    ///
    /// - Parameter keyPaths: Report only these properties; a path beyond a link reports changes of the linked object.
    /// - Returns: A token to keep as long as notifications are wanted.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let (access, state) = beginObserving()
        if let queue {
            let work = Transferred((access.model.className, _key, block, access.instance.configuration))
            queue.async {
                let (name, key, block, configuration) = work.value
                guard !state.isCancelled,
                    let instance = openForObservation(configuration, Confinement(.queue(queue)))
                else { return }
                instance.observe(name, key, keyPaths, state, block)
                instance.refresh()
            }
        } else {
            access.instance.observe(access.model.className, _key, keyPaths, state, block)
        }
        return NotificationToken(state)
    }

    /// The same for key paths that the compiler checks.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls the block on an actor after every commit that changes the object.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let (access, state) = beginObserving()
        await observeObject(
            access.model.className, _key, access.instance.configuration, keyPaths, state, on: actor, block)
        return NotificationToken(state)
    }

    private func beginObserving() -> (_ClassAccess, ObservationState) {
        guard _header != nil else { misuse("Only objects which are managed by a Realm support change notifications") }
        let access = _checkedAccess()
        access.instance.checkObservable()
        return (access, ObservationState())
    }
}

private func observeObject<A: Actor, T: ObjectBase>(
    _ name: String, _ key: ObjectKey, _ configuration: Realm.Configuration, _ keyPaths: [String]?,
    _ state: ObservationState, on actor: isolated A,
    _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
) {
    guard !Task.isCancelled, let instance = openForObservation(configuration, Confinement(.isolated(actor))) else {
        return
    }
    instance.observe(name, key, keyPaths, state) { (change: ObjectChange<T>) in
        let change = Transferred(change)
        actor.assumeIsolated { block($0, change.value) }
    }
    instance.refresh()
}

extension RealmInstance {
    func observe<T: ObjectBase>(
        _ name: String, _ key: ObjectKey, _ keyPaths: [String]?, _ state: ObservationState,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) {
        let access = access(named: name)
        let observer = ObjectObserver(access, key, keyPaths, state) { changes in
            guard let changes else {
                block(.deleted)
                return
            }
            if let object = access.object(key) as? T { block(.change(object, changes)) }
        }
        observers.add(observer, self)
        observer.skip(self)
    }
}

/// Tells which properties of one object changed; nil when the object is gone.
private final class ObjectObserver: ChangeObserver {
    // Owned by the instance whose registry holds this observer.
    private unowned let access: _ClassAccess
    private let key: ObjectKey
    private let keyPaths: [String]?
    private let block: ([PropertyChange]?) -> Void
    private var version: UInt64 = 0
    private var values: [Value] = []

    init(
        _ access: _ClassAccess, _ key: ObjectKey, _ keyPaths: [String]?, _ state: ObservationState,
        _ block: @escaping ([PropertyChange]?) -> Void
    ) {
        self.access = access
        self.key = key
        self.keyPaths = keyPaths
        self.block = block
        super.init(state)
    }

    override func skip(_ instance: RealmInstance) {
        version = instance.transaction.version
        guard access.table.exists(key) else { return }
        values = zip(access.model.properties, access.columns).map { property, column in
            property.shape.collection == .none ? access.value(key, column) : .null
        }
    }

    override func deliver(_ instance: RealmInstance) {
        guard version != instance.transaction.version else { return }
        guard access.table.exists(key) else {
            state.cancel()
            block(nil)
            return
        }
        let record = instance.changes.between(version, instance.transaction.version)
        let old = values
        skip(instance)
        var found: [PropertyChange] = []
        for (index, property) in access.model.properties.enumerated() {
            guard isReported(property, index, record, old) else { continue }
            let isSingle = property.shape.collection == .none
            let links = access.target(access.columns[index])
            found.append(
                PropertyChange(
                    name: property.name,
                    oldValue: isSingle ? property.wrapper.value(old[index], links ?? access) : nil,
                    newValue: isSingle ? property.wrapper.value(values[index], links ?? access) : nil))
        }
        if !found.isEmpty { block(found) }
    }

    private func isReported(
        _ property: ObjectModel.Property, _ index: Int, _ record: ChangeRecord?, _ old: [Value]
    ) -> Bool {
        let paths = keyPaths.map { $0.filter { $0 == property.name || $0.hasPrefix(property.name + ".") } }
        if let paths, paths.isEmpty { return false }
        if let paths, paths.contains(where: { $0 != property.name }) {
            let observed = ObservedProperties(paths, of: access)
            return ModificationSearch(record, observed).isModified(key, access)
        }
        if property.shape.collection == .none { return old[index] != values[index] }
        guard let record else { return true }
        return record.classes[access.model.className]?.modified[key]?.contains(access.columns[index]) ?? false
    }
}
