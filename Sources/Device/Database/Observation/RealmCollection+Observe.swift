public import Dispatch

/// How a collection changed since the last notification.
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
/// Deletions are positions before the change, insertions and modifications are positions after it. Apply deletions
/// first, from the end, then insertions. Then reload the modified elements.
public enum RealmCollectionChange<CollectionType> {
    /// The initial content of the collection.
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
    /// The block runs where the Realm is confined to: on the main queue or on the Realm's queue. On a thread without a
    /// queue it runs when that thread calls `refresh()` or begins a write. With a `queue` it runs there, on a Realm of
    /// that queue.
    ///
    /// - Parameter keyPaths: Report only modifications of these properties; nil means all, up to four links away.
    ///   Inverse relations count only if a path names them. The observer then stores the linking objects of each
    ///   element.
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

    /// Observes with key paths that the compiler checks.
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
    /// The block has received the initial content when the function returns.
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

    /// Observes on an actor, with key paths that the compiler checks.
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

extension RealmCollection where Element: ObjectBase {
    /// The same for key paths whose class is that of the elements.
    ///
    /// ```swift
    /// token = dogs.observe(keyPaths: [\.name, \.favoriteToy?.name]) { change in show(change) }
    /// ```
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// The same on an actor for key paths whose class is that of the elements.
    ///
    /// ```swift
    /// token = await dogs.observe(keyPaths: [\.name], on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

/// Carries what belongs to one place to another, where only its immutable description is used.
///
/// Unchecked: to move a source or a collection, the receiver reads only its constants, such as names and keys. A block
/// is called only by the receiver.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// Opens the Realm instance of an observer's queue or actor. The file is already open, so this fails only when the
/// system is out of resources. Then it stops the program.
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

/// Makes an observer that reports the changes of a collection as `RealmCollectionChange`.
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
