public import Dispatch

/// What became of a collection since the last notification.
///
/// ```swift
/// func tell(_ change: RealmCollectionChange<Results<Dog>>) {
///     switch change {
///     case .initial(let dogs): print("\(dogs.count) dogs")
///     case .update(_, let deletions, let insertions, let modifications): print(deletions, insertions, modifications)
///     case .error: break
///     }
/// }
/// ```
///
/// Deletions are positions before the change, insertions and modifications are positions after it: apply deletions
/// first, from the end, then insertions, then reload what was modified.
public enum RealmCollectionChange<CollectionType> {
    /// The collection is ready: its content at the beginning.
    case initial(CollectionType)
    /// A commit changed it. Deletions are positions before the commit, insertions and modifications after it.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Kept for compatibility; never sent.
    case error(any Error)
}

extension RealmCollection {
    /// Calls the block with the collection now, and with what changed after every commit that changes it.
    ///
    /// ```swift
    /// token = dogs.observe { change in
    ///     switch change {
    ///     case .initial(let dogs): show(dogs)
    ///     case .update(_, let deletions, let insertions, let modifications): update(deletions, insertions, modifications)
    ///     case .error: break
    ///     }
    /// }
    /// ```
    ///
    /// The block runs where the Realm lives: on the main queue or on the Realm's queue; on a thread without a queue,
    /// when it calls `refresh()` or begins a write. With a queue given it runs there, on a Realm of that queue.
    ///
    /// - Parameter keyPaths: Report only modifications of these properties; nil means all, up to four links away. Inverse
    ///   relations count where a path names them: then the observer remembers who links to each element.
    /// - Returns: A token to keep as long as notifications are wanted.
    /// - Complexity: O(n) a notification for n elements, less when only modifications happened.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
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
    /// token = dogs.observe(keyPaths: [\Dog.name, \Dog.favoriteToy?.name]) { change in show(change) }
    /// ```
    public func observe<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls the block on an actor with the collection now, and with what changed after every commit that changes it.
    ///
    /// ```swift
    /// token = await dogs.observe(on: library) { library, change in library.show(change) }
    /// ```
    ///
    /// The initial call has been made when the function returns.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        let source = _source
        let block = isolatedBlock(to: actor, block)
        return await source.instance.startObserving(on: actor) { [self] instance, state in
            let here = source.here(instance)
            return observer(of: _moved(to: here), here, keyPaths, state, block)
        }
    }

    /// The same on an actor for key paths that the compiler checks.
    ///
    /// ```swift
    /// token = await dogs.observe(keyPaths: [\Dog.name], on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor, Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

/// Carries what belongs to one place to another, where only its immutable description is used.
///
/// Unchecked: a source and a collection are moved by reading constants of theirs, the names and keys that describe
/// them; the block is called at the new place only.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// The instance of an observer's place. The file is open already, so only an exhausted system fails here.
func openForObservation(_ configuration: Realm.Configuration, _ confinement: Confinement) -> RealmInstance? {
    do {
        return try RealmInstance.open(configuration, at: confinement)
    } catch {
        misuse("The Realm could not be opened where it is to be observed: \(error)")
    }
}

extension RealmInstance {
    func checkObservable() {
        checkThread()
        if isInWrite { misuse("Cannot register notification blocks from within write transactions.") }
        if isFrozen { misuse("Frozen Realms do not change and do not have change notifications.") }
    }
}

/// Tells what becomes of a collection in the words of its callers.
func observer<C: RealmCollection>(
    of collection: C, _ source: _ResultsSource, _ keyPaths: [String]?, _ state: ObservationState,
    _ block: @escaping (RealmCollectionChange<C>) -> Void
) -> ChangeObserver {
    let keyPaths = observedKeyPaths(C.Element.self, keyPaths)
    return CollectionObserver(source, keyPaths: keyPaths, state) { change in
        switch change {
        case .initial: block(.initial(collection))
        case .update(let changes):
            block(
                .update(
                    collection, deletions: changes.deletions, insertions: changes.insertions,
                    modifications: changes.modifications))
        }
    }
}
