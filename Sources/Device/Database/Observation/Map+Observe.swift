import CausewayModel
import CausewayObjectStore
public import Dispatch

/// What became of a map since the last notification, by its keys.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The map is ready: its content at the beginning.
    case initial(Collection)
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key], modifications: [Collection.Key])
    /// Kept for compatibility; never sent.
    case error(any Error)
}

extension RealmKeyedCollection {
    /// Calls the block with the map now, and with the keys that changed after every commit that changes it.
    ///
    /// ```swift
    /// token = dog.favoriteParksByCity.observe { change in
    ///     if case .update(_, let deletions, let insertions, let modifications) = change {
    ///         update(deletions, insertions, modifications)
    ///     }
    /// }
    /// ```
    ///
    /// A key whose value is an object counts as modified when the object is.
    ///
    /// - Parameter keyPaths: Report only modifications of these properties of the values.
    /// - Returns: A token to keep as long as notifications are wanted.
    /// - Complexity: O(n) a notification for n keys.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        let source = _source
        return source.instance.startObserving(on: queue) { [self] instance, state in
            let here = source.here(instance)
            instance.observe(here === source ? self : _moved(to: here), here, keyPaths, state, block)
        }
    }

    /// Calls the block on an actor with the map now, and with the keys that changed after every commit that changes it.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken {
        let source = _source
        let block = isolatedBlock(to: actor, block)
        return await source.instance.startObserving(on: actor) { [self] instance, state in
            let here = source.here(instance)
            instance.observe(_moved(to: here), here, keyPaths, state, block)
        }
    }
}

extension RealmInstance {
    fileprivate func observe<C: RealmKeyedCollection>(
        _ map: C, _ source: _ResultsSource, _ keyPaths: [String]?, _ state: ObservationState,
        _ block: @escaping (RealmMapChange<C>) -> Void
    ) {
        let observer = MapObserver(source, keyPaths, state) { changes in
            guard let changes else {
                block(.initial(map))
                return
            }
            func keys(_ names: [String]) -> [C.Key] { names.map { C.Key(_mapKey: $0) } }
            block(
                .update(
                    map, deletions: keys(changes.deletions), insertions: keys(changes.insertions),
                    modifications: keys(changes.modifications)))
        }
        observers.add(observer, self)
    }
}

/// Tells which keys of one map came, went, or have another value.
private final class MapObserver: ChangeObserver {
    struct Changes {
        var deletions: [String] = []
        var insertions: [String] = []
        var modifications: [String] = []

        var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
    }

    private let source: _ResultsSource
    private let map: ManagedMap
    private let observed: ObservedProperties?
    /// Nil at the beginning.
    private let block: (Changes?) -> Void
    private var names: [String] = []
    private var values: [Value] = []
    /// Nil until the initial notification.
    private var version: UInt64?

    init(
        _ source: _ResultsSource, _ keyPaths: [String]?, _ state: ObservationState,
        _ block: @escaping (Changes?) -> Void
    ) {
        self.source = source
        map = ManagedMap(ManagedList(source))
        observed = keyPaths.flatMap { keyPaths in source.access.map { ObservedProperties(keyPaths, of: $0) } }
        self.block = block
        super.init(state)
    }

    override func skip(_ instance: RealmInstance) {
        version = instance.transaction.version
        // The map of an object that has ended is empty.
        names = source.isInvalidated ? [] : map.names
        values = source.isInvalidated ? [] : map.values
    }

    override func deliver(_ instance: RealmInstance) {
        guard let version else {
            skip(instance)
            block(nil)
            return
        }
        guard version != instance.transaction.version else { return }
        let search = ModificationSearch(instance.changes.between(version, instance.transaction.version), observed)
        let before = Dictionary(uniqueKeysWithValues: zip(names, values))
        skip(instance)
        var changes = Changes()
        for (name, value) in zip(names, values) {
            if let old = before[name] {
                if old != value || isModified(value, search) { changes.modifications.append(name) }
            } else {
                changes.insertions.append(name)
            }
        }
        let present = Set(names)
        changes.deletions = before.keys.filter { !present.contains($0) }.sorted()
        if !changes.isEmpty { block(changes) }
    }

    private func isModified(_ value: Value, _ search: ModificationSearch) -> Bool {
        guard case .object(let key) = value, let access = source.access else { return false }
        return search.isModified(key, access)
    }
}
