/// The values of an object at one moment, as a value that may go anywhere: to another actor, into a file, over a wire.
///
/// ```swift
/// let rex = dog.snapshot()
/// await library.show(rex)                  // Snapshot<Dog> is Sendable
/// rex.name                                 // "Rex": properties as the class declares them
/// rex.tags                                 // ["good"]: a list of values is an array
/// rex.owner?.id                            // of a linked object, its primary key
/// let deep = dog.snapshot(depth: 1)
/// deep.owner?.name                         // and with a depth, everything
/// try realm.write { realm.create(Dog.self, value: rex, update: .modified) }
/// ```
///
/// Values, collections of values and embedded objects are always in it. A link to another object is a reference, which
/// knows the object's primary key and nothing else, unless the snapshot was taken to a depth. Inverse relations are not in
/// it. A snapshot keeps no version of the Realm alive, and stays as it is whatever happens to the object.
///
/// Two snapshots are equal when everything in them is. Coded, a snapshot is an object with the names of the properties.
@dynamicMemberLookup
public struct Snapshot<Model: ObjectBase>: Sendable, Hashable {
    let content: SnapshotContent

    init(_ content: SnapshotContent) {
        self.content = content
    }

    /// Whether only the primary key of the object is known, because it was linked to beyond the depth of a snapshot.
    ///
    /// ```swift
    /// if let owner = dog.snapshot().owner, owner.isReference { print("only \(owner.id) is known") }
    /// ```
    ///
    /// Asking it for any other property stops the program.
    public var isReference: Bool { content.items == nil }
}

// MARK: - Properties

/// A type whose values are in a snapshot as they are: everything but objects, which are snapshots of their own there.
public protocol _SnapshotValue: RealmCollectionValue {}

extension AnyRealmValue: _SnapshotValue {}
extension Optional: _SnapshotValue where Wrapped: _OptionalPersistable & _SnapshotValue {}

extension Snapshot {
    /// The value of a property. A link in a mixed one is an unmanaged object with what the snapshot knows.
    ///
    /// ```swift
    /// let name: String = dog.snapshot().name
    /// ```
    public subscript<Value: _SnapshotValue>(dynamicMember property: KeyPath<Model, Value>) -> Value {
        content.item(at: _name(for: property)).typed()
    }

    /// What a link leads to, or an embedded object; nil when there is none.
    ///
    /// ```swift
    /// let toy: Snapshot<DogToy>? = dog.snapshot().favoriteToy
    /// ```
    public subscript<Target: RealmCollectionValue & ObjectBase>(
        dynamicMember property: KeyPath<Model, Target?>
    ) -> Snapshot<Target>? {
        content.item(at: _name(for: property)).snapshot()
    }

    /// The elements of a list.
    ///
    /// ```swift
    /// let tags: [String] = dog.snapshot().tags
    /// ```
    public subscript<Element: _SnapshotValue>(dynamicMember property: KeyPath<Model, List<Element>>) -> [Element] {
        content.item(at: _name(for: property)).elements.map { $0.typed() }
    }

    /// The objects of a list.
    ///
    /// ```swift
    /// let dogs: [Snapshot<Dog>] = person.snapshot(depth: 1).dogs
    /// ```
    public subscript<Target: RealmCollectionValue & ObjectBase>(
        dynamicMember property: KeyPath<Model, List<Target>>
    ) -> [Snapshot<Target>] {
        content.item(at: _name(for: property)).elements.compactMap { $0.snapshot() }
    }

    /// The elements of a set.
    ///
    /// ```swift
    /// let cities: Set<String> = dog.snapshot().citiesVisited
    /// ```
    public subscript<Element: _SnapshotValue>(
        dynamicMember property: KeyPath<Model, MutableSet<Element>>
    ) -> Set<Element> {
        let elements: [Element] = content.item(at: _name(for: property)).elements.map { $0.typed() }
        return Set(elements)
    }

    /// The objects of a set.
    ///
    /// ```swift
    /// class Pack: Object { @Persisted var dogs: MutableSet<Dog> }
    /// let dogs: Set<Snapshot<Dog>> = Pack().snapshot(depth: 1).dogs
    /// ```
    public subscript<Target: RealmCollectionValue & ObjectBase>(
        dynamicMember property: KeyPath<Model, MutableSet<Target>>
    ) -> Set<Snapshot<Target>> {
        let objects: [Snapshot<Target>] = content.item(at: _name(for: property)).elements.compactMap { $0.snapshot() }
        return Set(objects)
    }

    /// The entries of a map.
    ///
    /// ```swift
    /// let parks: [String: String] = dog.snapshot().favoriteParksByCity
    /// ```
    public subscript<Key: _MapKey, Value: _SnapshotValue>(
        dynamicMember property: KeyPath<Model, Map<Key, Value>>
    ) -> [String: Value] {
        content.item(at: _name(for: property)).entries.mapValues { $0.typed() }
    }

    /// The objects of a map; keys that lead to none are not among them.
    ///
    /// ```swift
    /// let dogs: [String: Snapshot<Dog>] = person.snapshot(depth: 1).dogsByName
    /// ```
    public subscript<Key: _MapKey, Target: RealmCollectionValue & ObjectBase>(
        dynamicMember property: KeyPath<Model, Map<Key, Target?>>
    ) -> [String: Snapshot<Target>] {
        content.item(at: _name(for: property)).entries.compactMapValues { $0.snapshot() }
    }
}

extension Snapshot: CustomStringConvertible {
    /// The class and the values.
    ///
    /// ```swift
    /// print(dog.snapshot().description)
    /// ```
    public var description: String { content.description }
}
