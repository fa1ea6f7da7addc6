import CausewayModel

/// Any collection of a Realm as one type: results, lists, sets and inverse relations of the same elements.
///
/// ```swift
/// func show(_ dogs: AnyRealmCollection<Dog>) { print(dogs.count) }
/// show(AnyRealmCollection(realm.objects(Dog.self)))
/// show(AnyRealmCollection(person.dogs))
/// ```
///
/// It is live if the wrapped collection is. Each access costs one more call.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    private let base: AnyCollectionBase<Element>

    private init(base: AnyCollectionBase<Element>) {
        self.base = base
    }

    /// Wraps a collection.
    public init<C: RealmCollection>(_ collection: C) where C.Element == Element {
        base = (collection as? AnyRealmCollection<Element>)?.base ?? CollectionBox(collection)
    }

    /// The collection as a query, which filters and sorts derive from.
    public var _source: _ResultsSource { base.source }

    /// The elements where no Realm manages the collection; nil where one does.
    public var _unmanaged: [Element]? { base.unmanaged }

    /// The same collection in the Realm instance that the source belongs to.
    public func _moved(to source: _ResultsSource) -> AnyRealmCollection {
        AnyRealmCollection(base: base.moved(to: source))
    }

    /// The number of elements.
    public var count: Int { base.count }

    /// The element at a position. A position out of bounds stops the program.
    public subscript(position: Int) -> Element { base.element(position) }

    /// Goes over the elements that are there when the loop begins.
    public func makeIterator() -> RealmCollectionIterator<Element> { base.makeIterator() }

    /// The Realm that manages the collection; nil for an unmanaged one.
    public var realm: Realm? { base.realm }

    /// Whether the collection can no longer be used.
    public var isInvalidated: Bool { base.isInvalidated }

    /// Whether the collection belongs to a frozen Realm.
    public var isFrozen: Bool { base.isFrozen }

    /// The wrapped collection as text.
    public var description: String { base.description }

    /// Two are equal when they wrap equal collections of one type.
    public static func == (left: AnyRealmCollection, right: AnyRealmCollection) -> Bool {
        left.base.isEqual(to: right.base)
    }
}

/// The operations on a collection of an unknown type.
class AnyCollectionBase<Element: RealmCollectionValue> {
    var source: _ResultsSource { unknown() }
    var unmanaged: [Element]? { unknown() }
    var count: Int { unknown() }
    var realm: Realm? { unknown() }
    var isInvalidated: Bool { unknown() }
    var isFrozen: Bool { unknown() }
    var description: String { unknown() }
    func element(_ position: Int) -> Element { unknown() }
    func makeIterator() -> RealmCollectionIterator<Element> { unknown() }
    func moved(to source: _ResultsSource) -> AnyCollectionBase { unknown() }
    func isEqual(to other: AnyCollectionBase) -> Bool { unknown() }

    private func unknown() -> Never { fatalError("only boxes of a collection are made") }
}

private final class CollectionBox<C: RealmCollection>: AnyCollectionBase<C.Element> {
    private let collection: C

    init(_ collection: C) {
        self.collection = collection
    }

    override var source: _ResultsSource { collection._source }
    override var unmanaged: [C.Element]? { collection._unmanaged }
    override var count: Int { collection.count }
    override var realm: Realm? { collection.realm }
    override var isInvalidated: Bool { collection.isInvalidated }
    override var isFrozen: Bool { collection.isFrozen }
    override var description: String { collection.description }
    override func element(_ position: Int) -> C.Element { collection[position] }
    override func makeIterator() -> RealmCollectionIterator<C.Element> {
        collection.realm == nil
            ? RealmCollectionIterator(Array(collection)) : RealmCollectionIterator(collection._source)
    }
    override func moved(to source: _ResultsSource) -> AnyCollectionBase<C.Element> {
        CollectionBox(collection._moved(to: source))
    }
    override func isEqual(to other: AnyCollectionBase<C.Element>) -> Bool {
        (other as? CollectionBox<C>)?.collection == collection
    }
}
