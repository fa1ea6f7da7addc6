import CausewayObjectStore

/// An asynchronous sequence of the changes of a collection, a map, an object, a projection or a Realm.
///
/// ```swift
/// let changes: ObservationSequence<RealmCollectionChange<Results<Dog>>> = dogs.changes
/// for await change in changes {
///     if case .update(_, let deletions, let insertions, let modifications) = change {
///         print(deletions, insertions, modifications)
///     }
/// }
/// ```
///
/// Loop where the Realm is confined to: on the main actor, or on the actor or queue that the Realm was opened for. The
/// elements are not `Sendable` and need not be, because they stay there. The body of the loop sees the Realm in the
/// state that the element describes.
///
/// **A slow loop** misses nothing, and nothing is buffered. An element combines all changes since the previous element,
/// however many commits there were. A change that was reverted meanwhile is not reported.
///
/// **The loop ends** when the task is cancelled, when the observed object is deleted, and after `Realm.invalidate()`. A
/// loop that has ended, or was left with `break`, keeps nothing of the Realm alive.
///
/// Every loop is a separate observation, which begins when the loop begins.
public struct ObservationSequence<Element>: AsyncSequence {
    /// A loop never throws.
    ///
    /// ```swift
    /// let isNever = ObservationSequence<Dog>.Failure.self == Never.self    // true
    /// ```
    public typealias Failure = Never

    let feed: () -> ChangeFeed<Element>

    /// Begins to observe.
    ///
    /// ```swift
    /// var iterator = dogs.changes.makeAsyncIterator()
    /// let initial = await iterator.next()
    /// ```
    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed()) }

    /// One loop over the sequence.
    ///
    /// ```swift
    /// var iterator: ObservationSequence<Dog>.Iterator = dog.values.makeAsyncIterator()
    /// while let dog = await iterator.next() { print(dog.age) }
    /// ```
    public struct Iterator: AsyncIteratorProtocol {
        let feed: ChangeFeed<Element>

        /// Waits for the next change and returns what changed since the last element; nil at the end.
        ///
        /// ```swift
        /// var iterator = dog.values.makeAsyncIterator()
        /// let now = await iterator.next(), then = await iterator.next()
        /// ```
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            await feed.next()
        }
    }
}

@available(*, unavailable)
extension ObservationSequence: Sendable {}

// MARK: - Collections

extension RealmCollection {
    /// The collection now, and what changes in it from then on.
    ///
    /// ```swift
    /// for await change in realm.objects(Dog.self).where({ $0.age < 2 }).changes {
    ///     switch change {
    ///     case .initial(let puppies): show(puppies)
    ///     case .update(_, let deletions, let insertions, let modifications): update(deletions, insertions, modifications)
    ///     case .error: break
    ///     }
    /// }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var changes: ObservationSequence<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// The initial content and its changes. Only modifications of the given properties are reported.
    ///
    /// ```swift
    /// for await change in dogs.changes(keyPaths: ["name", "favoriteToy.name"]) { show(change) }
    /// ```
    public func changes(keyPaths: [String]?) -> ObservationSequence<RealmCollectionChange<Self>> {
        let source = _source
        return ObservationSequence {
            ChangeFeed(source.instance, until: { source.isInvalidated }) { _, state, tell in
                observer(of: self, source, keyPaths, state, tell)
            }
        }
    }

    /// The changes of the given properties, as key paths that the compiler checks.
    ///
    /// ```swift
    /// for await change in dogs.changes(keyPaths: [\Dog.name]) { show(change) }
    /// ```
    public func changes<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>]
    ) -> ObservationSequence<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// The collection now, and again whenever it has changed.
    ///
    /// ```swift
    /// for await puppies in puppies.values { title = "\(puppies.count) puppies" }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var values: ObservationSequence<Self> { values(keyPaths: nil) }

    /// The collection now, and again whenever it has changed. Only modifications of the given properties count.
    ///
    /// ```swift
    /// for await dogs in dogs.values(keyPaths: ["name"]) { show(dogs.map(\.name)) }
    /// ```
    public func values(keyPaths: [String]?) -> ObservationSequence<Self> {
        let source = _source
        return ObservationSequence {
            ChangeFeed(source.instance, until: { source.isInvalidated }) { _, state, tell in
                observer(of: self, source, keyPaths, state) { _ in tell(self) }
            }
        }
    }

    /// The collection now, and again whenever one of these properties has changed, or what it contains.
    ///
    /// ```swift
    /// for await dogs in dogs.values(keyPaths: [\Dog.name]) { show(dogs.map(\.name)) }
    /// ```
    public func values<Root: ObjectBase>(keyPaths: [PartialKeyPath<Root>]) -> ObservationSequence<Self> {
        values(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension RealmKeyedCollection {
    /// The map now, and what changes in it from then on, by its keys.
    ///
    /// ```swift
    /// for await change in dog.favoriteParksByCity.changes {
    ///     if case .update(let parks, _, let insertions, _) = change { print(insertions.map { parks[$0] }) }
    /// }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var changes: ObservationSequence<RealmMapChange<Self>> { changes(keyPaths: nil) }

    /// The map now, and what changes in it from then on. Only modifications of the given properties of the values are
    /// reported.
    ///
    /// ```swift
    /// for await change in person.dogsByName.changes(keyPaths: ["name"]) { show(change) }
    /// ```
    public func changes(keyPaths: [String]?) -> ObservationSequence<RealmMapChange<Self>> {
        let source = _source
        return ObservationSequence {
            ChangeFeed(source.instance, until: { source.isInvalidated }) { _, state, tell in
                observer(of: self, source, keyPaths, state, tell)
            }
        }
    }

    /// The changes of the given properties of the values, as key paths that the compiler checks.
    ///
    /// ```swift
    /// for await change in person.dogsByName.changes(keyPaths: [\Dog.name]) { show(change) }
    /// ```
    public func changes<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>]
    ) -> ObservationSequence<RealmMapChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

extension SectionedResults {
    /// The sections now, and what changes in them from then on.
    ///
    /// ```swift
    /// for await change in dogs.sectioned(by: \.firstLetter, ascending: true).changes { show(change) }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var changes: ObservationSequence<SectionedResultsChange<SectionedResults>> { changes(keyPaths: nil) }

    /// The initial content and its changes. Only modifications of the given properties are reported.
    ///
    /// ```swift
    /// for await change in sections.changes(keyPaths: ["name"]) { show(change) }
    /// ```
    public func changes(
        keyPaths: [String]?
    ) -> ObservationSequence<SectionedResultsChange<SectionedResults>> {
        sequence(keyPaths, of: nil) { source, change in change.told(of: SectionedResults(source)) }
    }

    /// The changes of the given properties, as key paths that the compiler checks.
    ///
    /// ```swift
    /// for await change in sections.changes(keyPaths: [\Dog.name]) { show(change) }
    /// ```
    public func changes<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>]
    ) -> ObservationSequence<SectionedResultsChange<SectionedResults>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// The sections now, and again whenever they have changed.
    ///
    /// ```swift
    /// for await sections in sections.values { show(sections.allKeys) }
    /// ```
    public var values: ObservationSequence<SectionedResults> {
        sequence(nil, of: nil) { source, _ in SectionedResults(source) }
    }

    private func sequence<Told>(
        _ keyPaths: [String]?, of key: Key?,
        _ told: @escaping (SectionSource<Key, SectionElement>, SectionObservation) -> Told
    ) -> ObservationSequence<Told> {
        source.sequence(keyPaths, of: key, told)
    }
}

extension ResultsSection {
    /// The section now, and what changes in it from then on.
    ///
    /// ```swift
    /// for await change in sections[0].changes { show(change) }
    /// ```
    ///
    /// If the section itself is inserted or deleted, `sectionsToInsert` and `sectionsToDelete` say so.
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var changes: ObservationSequence<SectionedResultsChange<ResultsSection>> {
        source.sequence(nil, of: key) { [key] source, change in change.told(of: ResultsSection(source, key: key)) }
    }

    /// The section now, and again whenever it has changed.
    ///
    /// ```swift
    /// for await section in sections[0].values { show(section.count) }
    /// ```
    public var values: ObservationSequence<ResultsSection> {
        source.sequence(nil, of: key) { [key] source, _ in ResultsSection(source, key: key) }
    }
}

extension SectionSource {
    fileprivate func sequence<Told>(
        _ keyPaths: [String]?, of key: Key?, _ told: @escaping (SectionSource, SectionObservation) -> Told
    ) -> ObservationSequence<Told> {
        ObservationSequence { [self] in
            ChangeFeed(source.instance, until: { [source] in source.isInvalidated }) { instance, state, tell in
                observer(in: instance, keyPaths, state, of: key) { tell(told($0, $1)) }
            }
        }
    }
}

// MARK: - Objects and projections

extension ObservableObjectBase {
    /// What changes in the object from now on; `.deleted` is the last element.
    ///
    /// ```swift
    /// for await change in dog.changes {
    ///     if case .change(_, let properties) = change { print(properties.map(\.name)) }
    /// }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var changes: ObservationSequence<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// The changes of the given properties of the object; `.deleted` is the last element.
    ///
    /// ```swift
    /// for await change in dog.changes(keyPaths: ["age"]) { show(change) }
    /// ```
    public func changes(keyPaths: [String]?) -> ObservationSequence<ObjectChange<Self>> {
        ObservationSequence {
            ChangeFeed(self._checkedManaged().instance, until: { false }) { instance, state, tell in
                self.observation(keyPaths, tell).1(instance, state)
            }
        }
    }

    /// The changes of the given properties, as key paths that the compiler checks.
    ///
    /// ```swift
    /// for await change in dog.changes(keyPaths: [\Dog.age]) { show(change) }
    /// ```
    public func changes(keyPaths: [PartialKeyPath<Self>]) -> ObservationSequence<ObjectChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }

    /// The object now, and again whenever it has changed, until it is deleted.
    ///
    /// ```swift
    /// for await dog in dog.values { title = dog.name }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var values: ObservationSequence<Self> {
        ObservationSequence {
            ChangeFeed(self._checkedManaged().instance, until: { self.isInvalidated }) { instance, state, tell in
                let changes = self.observation(nil) { change in
                    if case .change(let object, _) = change { tell(object) }
                }
                return ValueObserver(self, tell, changes.1(instance, state))
            }
        }
    }
}

extension ProjectionObservable {
    /// What changes in the projection from now on; `.deleted` is the last element.
    ///
    /// ```swift
    /// for await change in projection.changes { show(change) }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends.
    public var changes: ObservationSequence<ObjectChange<Self>> {
        ObservationSequence {
            ChangeFeed(self.rootObject._checkedManaged().instance, until: { false }) { instance, state, tell in
                self.observation(nil, tell).1(instance, state)
            }
        }
    }

    /// The projection now, and again whenever what it shows has changed, until its object is deleted.
    ///
    /// ```swift
    /// for await shown in projection.values { title = shown.firstName }
    /// ```
    public var values: ObservationSequence<Self> {
        ObservationSequence {
            let instance = self.rootObject._checkedManaged().instance
            return ChangeFeed(instance, until: { self.isInvalidated }) { instance, state, tell in
                let changes = self.observation(nil) { change in
                    if case .change(let projection, _) = change { tell(projection) }
                }
                return ValueObserver(self, tell, changes.1(instance, state))
            }
        }
    }
}

extension ObjectBase {
    /// The object's class in its Realm. Stops the program for an unmanaged object, which cannot be observed.
    final func _checkedManaged() -> _ClassAccess {
        guard _header != nil else { misuse("Only objects which are managed by a Realm support change notifications") }
        return _checkedAccess()
    }
}

// MARK: - Realms

extension Realm {
    /// A notification each time the Realm has changed or could be refreshed, from now on.
    ///
    /// ```swift
    /// for await _ in realm.changes { redraw() }
    /// ```
    ///
    /// See ``ObservationSequence`` for where it runs and when it ends. One element may combine any number of versions.
    public var changes: ObservationSequence<Notification> {
        ObservationSequence { [instance] in
            ChangeFeed(instance, until: { false }) { instance, state, tell in
                RealmStepObserver(instance, state, tell)
            }
        }
    }
}

/// Reports that a Realm has moved to another version since the last call, or that a newer version is available.
private final class RealmStepObserver: ChangeObserver {
    private var version: UInt64
    private var versionOffered: UInt64
    private let tell: (Realm.Notification) -> Void

    init(_ instance: RealmInstance, _ state: ObservationState, _ tell: @escaping (Realm.Notification) -> Void) {
        version = instance.transaction.version
        versionOffered = version
        self.tell = tell
        super.init(state)
    }

    override func deliver(_ instance: RealmInstance) {
        let now = instance.transaction.version
        if now != version {
            (version, versionOffered) = (now, now)
            tell(.didChange)
        } else {
            let newest = instance.coordinator.store.newestVersion
            guard !instance.autorefresh, newest > versionOffered else { return }
            versionOffered = newest
            tell(.refreshRequired)
        }
    }
}
