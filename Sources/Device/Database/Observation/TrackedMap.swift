public import Observation

/// A map for the Observation framework. Reads are tracked, and a commit that changes the map notifies the readers.
///
/// ```swift
/// let parks = dog.favoriteParksByCity.tracked()
/// withObservationTracking {
///     label.text = parks["Chicago"] ?? ""
/// } onChange: {
///     redrawSoon()    // once, when a key came or went, or has another value
/// }
/// ```
///
/// It always has the current content of the map. `onChange` is called where the Realm is confined to, after the Realm
/// has moved to the commit.
public final class TrackedMap<Base: RealmKeyedCollection>: Observable {
    private let tracking: Tracking<Base>

    /// Observes a map until the last reference to this `TrackedMap` is released.
    ///
    /// ```swift
    /// let parks = TrackedMap(dog.favoriteParksByCity)
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the values count.
    /// - Complexity: O(n) for n keys.
    public init(_ base: Base, keyPaths: [String]? = nil) {
        let source = base._source
        tracking = Tracking(base, in: source.instance) { _, state, tell in
            observer(of: base, source, keyPaths, state) { (_: RealmMapChange<Base>) in tell() }
        }
    }

    /// The map itself; tracked.
    ///
    /// ```swift
    /// let parks = dog.favoriteParksByCity.tracked()
    /// let frozen = parks.base.freeze()
    /// ```
    public var base: Base { tracking.shown }

    /// The number of keys; tracked.
    ///
    /// ```swift
    /// print(dog.favoriteParksByCity.tracked().count)
    /// ```
    public var count: Int { base.count }

    /// The keys in their order; tracked.
    ///
    /// ```swift
    /// print(dog.favoriteParksByCity.tracked().keys)
    /// ```
    public var keys: [Base.Key] { base.keys }

    /// The value of a key, or nil; tracked.
    public subscript(key: Base.Key) -> Base.Value? { base[key] }
}

@available(*, unavailable)
extension TrackedMap: Sendable {}

extension RealmKeyedCollection {
    /// Makes a ``TrackedMap`` of the map, for the Observation framework.
    ///
    /// ```swift
    /// let parks = dog.favoriteParksByCity.tracked()
    /// ```
    ///
    /// - Parameter keyPaths: Only modifications of these properties of the values count.
    public func tracked(keyPaths: [String]? = nil) -> TrackedMap<Self> { TrackedMap(self, keyPaths: keyPaths) }

    /// The same for properties as key paths that the compiler checks.
    ///
    /// ```swift
    /// let dogs = person.dogsByName.tracked(keyPaths: [\Dog.age])
    /// ```
    public func tracked<Root: ObjectBase>(keyPaths: [PartialKeyPath<Root>]) -> TrackedMap<Self> {
        tracked(keyPaths: keyPaths.map { _name(for: $0) })
    }
}
