import CausewayModel
import CausewayObjectStore
public import Dispatch

/// How a map changed since the last notification, by its keys.
///
/// ```swift
/// func tell(_ change: RealmMapChange<Map<String, String>>) {
///     switch change {
///     case .initial(let parks): print("\(parks.count) parks")
///     case .update(_, let deletions, let insertions, let modifications): print(deletions, insertions, modifications)
///     case .error: break
///     }
/// }
/// ```
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The initial content of the map.
    case initial(Collection)
    /// A commit changed the map: keys removed, keys added, and keys with another value or a modified object.
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
    /// A key whose value is an object counts as modified when the object is modified.
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
            return observer(of: here === source ? self : _moved(to: here), here, keyPaths, state, block)
        }
    }

    /// The same for key paths that the compiler checks.
    ///
    /// ```swift
    /// token = person.dogsByName.observe(keyPaths: [\Dog.name]) { change in print(change) }
    /// ```
    public func observe<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls the block on an actor with the map now, and with the keys that changed after every commit that changes it.
    ///
    /// ```swift
    /// let token = await dog.favoriteParksByCity.observe(on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken {
        let source = _source
        let block = isolatedBlock(to: actor, block)
        return await source.instance.startObserving(on: actor) { [self] instance, state in
            let here = source.here(instance)
            return observer(of: _moved(to: here), here, keyPaths, state, block)
        }
    }
}

/// Makes an observer that reports the changes of a map as `RealmMapChange`.
func observer<C: RealmKeyedCollection>(
    of map: C, _ source: _ResultsSource, _ keyPaths: [String]?, _ state: ObservationState,
    _ block: @escaping (RealmMapChange<C>) -> Void
) -> ChangeObserver {
    MapObserver(source, keyPaths, state) { changes in
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
}

/// Reports which keys of one map were added, removed or modified.
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
    private var linking: LinkingMemory
    /// Called with nil for the initial notification.
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
        linking = LinkingMemory(observed)
        self.block = block
        super.init(state)
    }

    override func skip(_ instance: RealmInstance) {
        moveOn(instance)
        look(since: nil)
    }

    private func moveOn(_ instance: RealmInstance) {
        version = instance.transaction.version
        // The map of a deleted object is empty.
        names = source.isInvalidated ? [] : map.names
        values = source.isInvalidated ? [] : map.values
    }

    /// Records the links to the values now. Returns those values whose linking objects changed.
    @discardableResult
    private func look(since record: ChangeRecord?) -> Set<ObjectKey> {
        guard let access = source.access else { return [] }
        return linking.look(at: values.compactMap(\.linkedKey), access, since: record)
    }

    override func deliver(_ instance: RealmInstance) {
        guard let version else {
            skip(instance)
            block(nil)
            return
        }
        guard version != instance.transaction.version else { return }
        let record = instance.observedChanges(version, instance.transaction.version)
        let before = ExactDictionary(uniqueKeysWithValues: zip(names, values))
        moveOn(instance)
        let search = ModificationSearch(record, observed, relinked: look(since: record))
        var changes = Changes()
        for (name, value) in zip(names, values) {
            if let old = before[name] {
                if old != value || isModified(value, search) || instance.isNestedModified(value, record) {
                    changes.modifications.append(name)
                }
            } else {
                changes.insertions.append(name)
            }
        }
        let present = Set(names.map { ExactString($0) })
        changes.deletions = before.keys.filter { !present.contains(ExactString($0)) }.sorted { $0.precedes($1) }
        if !changes.isEmpty { block(changes) }
    }

    private func isModified(_ value: Value, _ search: ModificationSearch) -> Bool {
        guard case .object(let key) = value, let access = source.access else { return false }
        return search.isModified(key, access)
    }
}
