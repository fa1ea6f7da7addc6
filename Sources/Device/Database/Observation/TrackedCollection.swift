public import Observation

/// A collection for the Observation framework. Reads are tracked, and a commit that changes it notifies the readers.
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
/// It reads like an array and always has the current content of the collection. A modified element counts as a change
/// of the collection. `onChange` is called where the Realm is confined to, after the Realm has moved to the commit.
public final class TrackedCollection<Base: RealmCollection>: Observable, RandomAccessCollection {
    private let tracking: Tracking<Base>

    /// Observes a collection until the last reference to this `TrackedCollection` is released.
    ///
    /// ```swift
    /// let puppies = TrackedCollection(realm.objects(Dog.self).where { $0.age < 2 }, keyPaths: ["name"])
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the elements count.
    /// - Complexity: That of running the query.
    public init(_ base: Base, keyPaths: [String]? = nil) {
        let source = base._source
        tracking = Tracking(base, in: source.instance) { _, state, tell in
            observer(of: base, source, keyPaths, state) { (_: RealmCollectionChange<Base>) in tell() }
        }
    }

    /// The collection itself; tracked.
    ///
    /// ```swift
    /// let puppies = realm.objects(Dog.self).where { $0.age < 2 }.tracked()
    /// let named = puppies.base.where { $0.name != "" }
    /// ```
    public var base: Base { tracking.shown }

    /// The first position: zero.
    ///
    /// ```swift
    /// if puppies.startIndex < puppies.endIndex { print(puppies[puppies.startIndex].name) }
    /// ```
    public var startIndex: Int { 0 }

    /// The number of elements; tracked.
    ///
    /// ```swift
    /// print("\(puppies.endIndex) puppies")
    /// ```
    public var endIndex: Int { base.count }

    /// The element at a position; tracked.
    ///
    /// ```swift
    /// print(puppies[0].name)
    /// ```
    public subscript(position: Int) -> Base.Element { base[position] }

    /// Iterates over the content at the time of the call; tracked.
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
    /// Makes a ``TrackedCollection`` of the collection, for the Observation framework.
    ///
    /// ```swift
    /// let puppies = realm.objects(Dog.self).where { $0.age < 2 }.tracked()
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the elements count.
    public func tracked(keyPaths: [String]? = nil) -> TrackedCollection<Self> {
        TrackedCollection(self, keyPaths: keyPaths)
    }

    /// The same for properties as key paths that the compiler checks.
    ///
    /// ```swift
    /// let puppies = realm.objects(Dog.self).where { $0.age < 2 }.tracked(keyPaths: [\Dog.name])
    /// ```
    public func tracked<Root: ObjectBase>(keyPaths: [PartialKeyPath<Root>]) -> TrackedCollection<Self> {
        tracked(keyPaths: keyPaths.map { _name(for: $0) })
    }
}
