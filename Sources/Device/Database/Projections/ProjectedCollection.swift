public import Dispatch

/// One property of each object of a collection, live.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
/// }
/// ```
///
/// It stores nothing: each access reads the property of the object at that position.
public struct ProjectedCollection<Value: RealmCollectionValue>: RandomAccessCollection, ThreadConfined, Equatable,
    CustomStringConvertible
{
    private let elements: ProjectedElements<Value>

    init<C: RealmCollection>(_ collection: C, _ keyPath: KeyPath<C.Element, Value>) where C.Element: ObjectBase {
        elements = ProjectedElementsOf(collection, keyPath)
    }

    fileprivate init(_ elements: ProjectedElements<Value>) {
        self.elements = elements
    }

    /// The first position, zero.
    ///
    /// ```swift
    /// print(projection.firstFriendsName.startIndex)    // 0
    /// ```
    public var startIndex: Int { 0 }

    /// The position after the last one.
    ///
    /// ```swift
    /// let names = projection.firstFriendsName
    /// for place in names.startIndex..<names.endIndex { print(names[place]) }
    /// ```
    public var endIndex: Int { elements.count }

    /// How many objects the collection has.
    ///
    /// ```swift
    /// print(projection.firstFriendsName.count)
    /// ```
    public var count: Int { elements.count }

    /// The property of the object at a position. Setting it sets the object's property, in a write transaction.
    ///
    /// ```swift
    /// let first = projection.firstFriendsName[0]
    /// ```
    public subscript(position: Int) -> Value {
        get { elements.value(position) }
        nonmutating set { elements.set(newValue, position) }
    }

    /// The first position of a value, or nil.
    ///
    /// ```swift
    /// let place = projection.firstFriendsName.index(of: "Rex")
    /// ```
    ///
    /// - Complexity: O(n).
    public func index(of value: Value) -> Int? { firstIndex(of: value) }

    /// The Realm that manages it; nil for an unmanaged one.
    ///
    /// ```swift
    /// let isManaged = projection.firstFriendsName.realm != nil
    /// ```
    public var realm: Realm? { elements.confined.realm }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    ///
    /// ```swift
    /// if !projection.firstFriendsName.isInvalidated { print(projection.firstFriendsName.count) }
    /// ```
    public var isInvalidated: Bool { elements.confined.isInvalidated }

    /// Whether it belongs to a frozen Realm, and never changes.
    ///
    /// ```swift
    /// projection.firstFriendsName.freeze().isFrozen    // true
    /// ```
    public var isFrozen: Bool { elements.confined.isFrozen }

    /// The values as they are now. They never change and may be read on any thread.
    ///
    /// ```swift
    /// let names = projection.firstFriendsName.freeze()
    /// ```
    public func freeze() -> ProjectedCollection { ProjectedCollection(elements.freeze()) }

    /// The live form of frozen values, in the Realm of the caller's thread; nil when the object that owns the
    /// collection has been deleted.
    ///
    /// ```swift
    /// let names = projection.firstFriendsName.freeze()
    /// let live = names.thaw()
    /// ```
    public func thaw() -> ProjectedCollection? { elements.thaw().map { ProjectedCollection($0) } }

    /// The values as text.
    ///
    /// ```swift
    /// print(projection.firstFriendsName.description)
    /// ```
    public var description: String {
        "ProjectedCollection<\(Value.self)> (\n" + enumerated().map { "\t[\($0)] \($1),\n" }.joined() + ")"
    }

    /// Whether two show the same property of equal collections.
    ///
    /// ```swift
    /// let isTheSame = projection.firstFriendsName == person.friends.projectTo.firstName
    /// ```
    public static func == (left: ProjectedCollection, right: ProjectedCollection) -> Bool {
        left.elements.isEqual(to: right.elements)
    }
}

extension ProjectedCollection {
    /// Calls the block with the collection now, and after every commit that changes it. It reports inserted and deleted
    /// elements, and elements whose projected property was modified.
    ///
    /// ```swift
    /// token = projection.firstFriendsName.observe { change in show(change) }
    /// ```
    ///
    /// - Parameter keyPaths: Report only modifications of these properties of the objects; nil means the projected one.
    /// - Returns: A token to keep as long as notifications are wanted.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken {
        elements.observe(keyPaths, on: queue) { change in block(change.map { ProjectedCollection($0) }) }
    }

    /// The same for key paths that the compiler checks.
    ///
    /// ```swift
    /// token = projection.firstFriendsName.observe(keyPaths: [\Person.firstName]) { change in show(change) }
    /// ```
    public func observe<Root: ObjectBase>(
        keyPaths: [PartialKeyPath<Root>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }
}

extension RealmCollectionChange {
    /// The same change, with a value derived from the collection.
    fileprivate func map<Other>(_ transform: (CollectionType) -> Other) -> RealmCollectionChange<Other> {
        switch self {
        case .initial(let collection): .initial(transform(collection))
        case .update(let collection, let deletions, let insertions, let modifications):
            .update(
                transform(collection), deletions: deletions, insertions: insertions, modifications: modifications)
        case .error(let error): .error(error)
        }
    }
}

extension ProjectedCollection: _ProjectedElements {
    func _touch() { _ = first }
}

// MARK: - Any kind of collection behind it

/// Abstract: the values of a collection of any type.
class ProjectedElements<Value: RealmCollectionValue> {
    var count: Int { 0 }
    var confined: any ThreadConfined { preconditionFailure("overridden") }
    func value(_ position: Int) -> Value { preconditionFailure("overridden") }
    func set(_ value: Value, _ position: Int) { preconditionFailure("overridden") }
    func freeze() -> ProjectedElements { self }
    func thaw() -> ProjectedElements? { self }
    func isEqual(to other: ProjectedElements) -> Bool { self === other }

    func observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedElements>) -> Void
    ) -> NotificationToken { preconditionFailure("overridden") }
}

/// The values of a collection whose type is known.
private final class ProjectedElementsOf<C: RealmCollection, Value: RealmCollectionValue>: ProjectedElements<Value>
where C.Element: ObjectBase {
    private let collection: C
    private let keyPath: KeyPath<C.Element, Value>

    init(_ collection: C, _ keyPath: KeyPath<C.Element, Value>) {
        self.collection = collection
        self.keyPath = keyPath
    }

    override var count: Int { collection.count }

    override var confined: any ThreadConfined { collection }

    override func value(_ position: Int) -> Value { collection[position][keyPath: keyPath] }

    override func set(_ value: Value, _ position: Int) {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<C.Element, Value> else {
            misuse("The projected property '\(_name(for: keyPath))' cannot be set: it is read only.")
        }
        collection[position][keyPath: keyPath] = value
    }

    override func freeze() -> ProjectedElements<Value> { ProjectedElementsOf(collection.freeze(), keyPath) }

    override func thaw() -> ProjectedElements<Value>? {
        collection.thaw().map { ProjectedElementsOf($0, keyPath) }
    }

    override func isEqual(to other: ProjectedElements<Value>) -> Bool {
        guard let other = other as? ProjectedElementsOf else { return false }
        return collection == other.collection && keyPath == other.keyPath
    }

    override func observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        _ block: @escaping (RealmCollectionChange<ProjectedElements<Value>>) -> Void
    ) -> NotificationToken {
        collection.observe(keyPaths: keyPaths ?? [_name(for: keyPath)], on: queue) { [keyPath] change in
            block(change.map { ProjectedElementsOf($0, keyPath) })
        }
    }
}

// MARK: - projectTo

/// Projects a collection to one property of each of its objects. See `RealmCollection.projectTo`.
///
/// ```swift
/// let ofDogs: CollectionElementMapper<List<Dog>> = person.dogs.projectTo
/// print(Array(ofDogs.name))
/// ```
@dynamicMemberLookup
public struct CollectionElementMapper<C: RealmCollection> where C.Element: ObjectBase {
    private let collection: C

    init(_ collection: C) {
        self.collection = collection
    }

    /// One property of each object.
    ///
    /// ```swift
    /// let names: ProjectedCollection<String> = person.dogs.projectTo.name
    /// ```
    public subscript<V: RealmCollectionValue>(dynamicMember member: KeyPath<C.Element, V>) -> ProjectedCollection<V> {
        ProjectedCollection(collection, member)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Projects the collection to one property of each of its objects: `projectTo.firstName`.
    ///
    /// ```swift
    /// person.friends.projectTo.firstName    // ["Daenerys", …], live
    /// ```
    public var projectTo: CollectionElementMapper<Self> { CollectionElementMapper(self) }
}
