/// The values of an object at one moment, as a value that can go to another actor, into a file or over the network.
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
/// A snapshot always includes values, collections of values and embedded objects. A link to another object is a
/// reference, which has only the object's primary key, unless the snapshot was taken with a depth. Inverse relations
/// are not included. A snapshot keeps no version of the Realm alive and does not follow later changes of the object.
///
/// Two snapshots are equal when all their content is equal. A snapshot encodes as an object keyed by property names.
@dynamicMemberLookup
public struct Snapshot<Model: ObjectBase>: Sendable, Hashable {
    let content: SnapshotContent

    init(_ content: SnapshotContent) {
        self.content = content
    }

    /// Whether the snapshot has only the primary key, because the object was linked to beyond the depth of a snapshot.
    ///
    /// ```swift
    /// if let owner = dog.snapshot().owner, owner.isReference { print("only \(owner.id) is known") }
    /// ```
    ///
    /// Reading any other property of a reference stops the program.
    public var isReference: Bool { content.items == nil }
}

// MARK: - Properties

/// A type whose values a snapshot holds unchanged: all but objects, which are separate snapshots there.
public protocol _SnapshotValue: RealmCollectionValue {}

extension AnyRealmValue: _SnapshotValue {}
extension Optional: _SnapshotValue where Wrapped: _OptionalPersistable & _SnapshotValue {}

extension Snapshot {
    /// The value of a property. A link in a mixed property is an unmanaged object with the snapshot's values.
    ///
    /// ```swift
    /// let name: String = dog.snapshot().name
    /// ```
    public subscript<Value: _SnapshotValue>(dynamicMember property: KeyPath<Model, Value>) -> Value {
        content.item(at: _name(for: property)).typed()
    }

    /// The target of a link, or an embedded object; nil when there is none.
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

    /// The objects of a map. Keys without an object are omitted.
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
