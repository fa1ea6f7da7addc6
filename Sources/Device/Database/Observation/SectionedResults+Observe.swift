public import Dispatch
public import Foundation

/// How sections changed since the last notification.
///
/// ```swift
/// func tell(_ change: SectionedResultsChange<SectionedResults<String, Dog>>) {
///     switch change {
///     case .initial(let sections): print(sections.allKeys)
///     case .update(_, let deletions, let insertions, let modifications, let sectionsToInsert, let sectionsToDelete):
///         print(deletions, insertions, modifications, sectionsToInsert, sectionsToDelete)
///     }
/// }
/// ```
///
/// Deletions are positions before the change, insertions and modifications are positions after it. The elements of a
/// deleted section are not listed; those of an inserted section are.
public enum SectionedResultsChange<CollectionType> {
    /// The initial content of the sections.
    case initial(CollectionType)
    /// A commit changed the sections: positions of elements, and of inserted and deleted sections.
    case update(
        CollectionType, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

extension SectionedResults {
    /// Calls the block with the sections now, and with what changed after every commit that changes them.
    ///
    /// ```swift
    /// token = sections.observe { change in
    ///     switch change {
    ///     case .initial(let sections): show(sections)
    ///     case .update(_, let deletions, let insertions, let modifications, let sectionsToInsert, let sectionsToDelete):
    ///         update(deletions, insertions, modifications, sectionsToInsert, sectionsToDelete)
    ///     }
    /// }
    /// ```
    ///
    /// The block runs where the Realm is confined to, or on the given queue.
    ///
    /// - Parameter keyPaths: Report only modifications of these properties; nil means all, up to four links away.
    /// - Returns: A token to keep as long as notifications are wanted.
    /// - Complexity: O(n) a notification for n elements.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        source.source.instance.startObserving(on: queue) { [source] instance, state in
            source.observer(in: instance, keyPaths, state, of: nil) { source, change in
                block(change.told(of: SectionedResults(source)))
            }
        }
    }

    /// Observes with key paths that the compiler checks.
    ///
    /// ```swift
    /// token = sections.observe(keyPaths: [\Dog.name]) { change in show(change) }
    /// ```
    public func observe<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls the block on an actor with the sections now, and with what changed after every commit that changes them.
    ///
    /// ```swift
    /// token = await sections.observe(on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
    ) async -> NotificationToken {
        let block = isolatedBlock(to: actor, block)
        return await source.source.instance.startObserving(on: actor) { [source] instance, state in
            source.observer(in: instance, keyPaths, state, of: nil) { source, change in
                block(change.told(of: SectionedResults(source)))
            }
        }
    }

    /// Observes on an actor, with key paths that the compiler checks.
    ///
    /// ```swift
    /// token = await sections.observe(keyPaths: [\Dog.name], on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor, Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}

extension ResultsSection {
    /// Calls the block with the section now, and with what changed after every commit that changes it.
    ///
    /// ```swift
    /// token = sections[0].observe { change in show(change) }
    /// ```
    ///
    /// If the section itself is inserted or deleted, `sectionsToInsert` and `sectionsToDelete` say so.
    ///
    /// - Returns: A token to keep as long as notifications are wanted.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        source.source.instance.startObserving(on: queue) { [source, key] instance, state in
            source.observer(in: instance, keyPaths, state, of: key) { source, change in
                block(change.told(of: ResultsSection(source, key: key)))
            }
        }
    }

    /// Observes with key paths that the compiler checks.
    ///
    /// ```swift
    /// token = sections[0].observe(keyPaths: [\Dog.name]) { change in show(change) }
    /// ```
    public func observe<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// Calls the block on an actor with the section now, and with what changed after every commit that changes it.
    ///
    /// ```swift
    /// token = await sections[0].observe(on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        let block = isolatedBlock(to: actor, block)
        return await source.source.instance.startObserving(on: actor) { [source, key] instance, state in
            source.observer(in: instance, keyPaths, state, of: key) { source, change in
                block(change.told(of: ResultsSection(source, key: key)))
            }
        }
    }

    /// Observes on an actor, with key paths that the compiler checks.
    ///
    /// ```swift
    /// token = await sections[0].observe(keyPaths: [\Dog.name], on: library) { library, change in library.show(change) }
    /// ```
    public func observe<A: Actor, Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
    }
}
