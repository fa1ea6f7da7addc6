public import Observation

/// A collection for the Observation framework: reading it is tracked, and a commit that changes it is told.
///
/// ```swift
/// let puppies: TrackedCollection<Results<Dog>> = realm.objects(Dog.self).where { $0.age < 2 }.tracked()
/// withObservationTracking {
///     show(puppies.map(\.name))
/// } onChange: {
///     redrawSoon()    // once, when puppies came, went or were modified
/// }
/// ```
///
/// It is read as an array is, and always shows what the collection shows. The elements are those of the collection; that one
/// was modified counts as a change of the collection. `onChange` is called where the Realm lives, when the Realm has moved
/// to the commit.
public final class TrackedCollection<Base: RealmCollection>: Observable, RandomAccessCollection {
    private let tracking: Tracking<Base>

    /// Begins to observe a collection, until the last reference to this goes away.
    ///
    /// ```swift
    /// let puppies = TrackedCollection(realm.objects(Dog.self).where { $0.age < 2 }, keyPaths: ["name"])
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the elements count.
    /// - Complexity: The query runs.
    public init(_ base: Base, keyPaths: [String]? = nil) {
        let source = base._source
        tracking = Tracking(base, in: source.instance) { _, state, tell in
            observer(of: base, source, keyPaths, state) { (_: RealmCollectionChange<Base>) in tell() }
        }
    }

    /// The collection itself; reading it is tracked.
    ///
    /// ```swift
    /// let puppies = realm.objects(Dog.self).where { $0.age < 2 }.tracked()
    /// let named = puppies.base.where { $0.name != "" }
    /// ```
    public var base: Base { tracking.shown }

    /// Zero.
    ///
    /// ```swift
    /// if puppies.startIndex < puppies.endIndex { print(puppies[puppies.startIndex].name) }
    /// ```
    public var startIndex: Int { 0 }

    /// How many elements there are, tracked.
    ///
    /// ```swift
    /// print("\(puppies.endIndex) puppies")
    /// ```
    public var endIndex: Int { base.count }

    /// The element at a position, tracked.
    ///
    /// ```swift
    /// print(puppies[0].name)
    /// ```
    public subscript(position: Int) -> Base.Element { base[position] }

    /// Goes over the content as it is when the loop begins, tracked.
    ///
    /// ```swift
    /// var iterator = puppies.makeIterator()    // as for puppy in puppies does
    /// while let puppy = iterator.next() { print(puppy.name) }
    /// ```
    public func makeIterator() -> Base.Iterator { base.makeIterator() }
}

@available(*, unavailable)
extension TrackedCollection: Sendable {}

extension RealmCollection {
    /// The collection for the Observation framework. See ``TrackedCollection``.
    ///
    /// ```swift
    /// let puppies = realm.objects(Dog.self).where { $0.age < 2 }.tracked()
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the elements count.
    public func tracked(keyPaths: [String]? = nil) -> TrackedCollection<Self> {
        TrackedCollection(self, keyPaths: keyPaths)
    }
}
