import CausewayModel

/// The objects that a query finds, live.
///
/// ```swift
/// let tanDogs = realm.objects(Dog.self).where { $0.color == "tan" }
/// let firstByName = tanDogs.sorted(by: \.name).first
/// ```
///
/// Creating, filtering and sorting results costs nothing. The query runs when an element, the count or an observation
/// is requested. From then on the results always show the newest content. A loop goes over the content as it was when
/// the loop began, so it may change the objects and the results.
///
/// - Complexity: An access is O(1) while nothing has changed since the last one; otherwise the query runs again.
public struct Results<Element: RealmCollectionValue>: RealmCollection {
    @usableFromInline let source: _ResultsSource

    init(_ source: _ResultsSource) {
        self.source = source
    }

    /// The collection as a query, which filters and sorts derive from.
    public var _source: _ResultsSource { source }

    /// The same collection in the Realm instance that the source belongs to.
    public func _moved(to source: _ResultsSource) -> Results { Results(source) }

    /// How many elements there are.
    ///
    /// ```swift
    /// print(dogs.where { $0.age < 2 }.count)
    /// ```
    public var count: Int { source.count }

    /// The element at a position. A position out of bounds stops the program.
    @inlinable
    public subscript(position: Int) -> Element {
        if Element._isObject(), let moved = source._movedElement(position),
            ObjectIdentifier(type(of: moved)) == ObjectIdentifier(Element.self)
        {
            // It is an object of the very class `Element`.
            return unsafeBitCast(moved, to: Element.self)
        }
        return element(position)
    }

    @usableFromInline
    func element(_ position: Int) -> Element {
        let element: Element = source.element(position)
        if Element._isObject(), let object = element as? ObjectBase { source.lend(object) }
        return element
    }

    /// Goes over the elements that are there when the loop begins.
    public func makeIterator() -> RealmCollectionIterator<Element> {
        RealmCollectionIterator(source)
    }

    /// The Realm that the results belong to; never nil.
    public var realm: Realm? { Realm(instance: source.instance) }

    /// Whether it can no longer be used: the object it belongs to was deleted, or its Realm was invalidated.
    public var isInvalidated: Bool { source.isInvalidated }

    /// Whether it belongs to a frozen Realm, and never changes.
    public var isFrozen: Bool { source.instance.isFrozen }

    /// The content as text: to a depth of five, and a hundred elements of each collection.
    public var description: String { describe(self, "Results") }

    /// Two results are equal when one is a copy of the other.
    public static func == (left: Results, right: Results) -> Bool { left.source === right.source }
}

/// Goes over the content that a collection had when the loop began.
///
/// ```swift
/// var iterator: RealmCollectionIterator<Dog> = dogs.makeIterator()
/// while let dog = iterator.next() { print(dog.name) }
/// ```
///
/// - Complexity: A step over objects costs a few nanoseconds as long as the loop keeps none of them; an object that is
///   kept costs its allocation.
public struct RealmCollectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private enum Values {
        case none
        /// Stored values, and the class that links of mixed values are made with. The instance keeps the class alive.
        case stored([Value], _ClassAccess?, RealmInstance)
        case made([Element])
        /// The keys of objects that the elements project, and their class. The instance keeps the class alive.
        case projected([ObjectKey], _ClassAccess, RealmInstance)
    }
    /// The loop, for elements that are objects.
    @usableFromInline let loop: Unmanaged<_ObjectLoop>?
    @usableFromInline let count: Int
    @usableFromInline var position = 0
    private let owner: _ObjectLoop?
    /// The elements, if they are not objects.
    private let values: Values

    init(_ source: _ResultsSource) {
        switch source.current {
        case .keys(let keys):
            guard let access = source.access, !Element._isObject() || access.model.type is Element.Type else {
                misuse("A loop over '\(Element.self)' goes over objects of another class.")
            }
            if Element._isObject() {
                self.init(_ObjectLoop(keys, access))
            } else {
                self.init(.projected(keys, access, source.instance), count: keys.count)
            }
        case .values(let values): self.init(.stored(values, source.links, source.instance), count: values.count)
        }
    }

    init(_ elements: [Element]) {
        if let objects = elements as? [ObjectBase], Element._isObject() {
            self.init(_ObjectLoop(objects))
        } else {
            self.init(.made(elements), count: elements.count)
        }
    }

    private init(_ loop: _ObjectLoop) {
        owner = loop
        self.loop = Unmanaged.passUnretained(loop)
        count = loop.count
        values = .none
    }

    private init(_ values: Values, count: Int) {
        self.values = values
        self.count = count
        owner = nil
        loop = nil
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
        guard position < count else { return nil }
        position &+= 1
        // A collection of objects has a loop, and its objects are of the very class `Element`.
        if Element._isObject() {
            return unsafeBitCast(_ObjectLoop.object(loop.unsafelyUnwrapped, at: position &- 1), to: Element.self)
        }
        return value(position &- 1)
    }

    @usableFromInline
    func value(_ position: Int) -> Element? {
        switch values {
        case .none: nil
        case .stored(let values, let links, _): Element._fromStored(_StoredValue(values[position]), links)
        case .made(let elements): elements[position]
        case .projected(let keys, let access, _): Element._fromStored(_StoredValue(.object(keys[position])), access)
        }
    }
}

extension _ResultsSource {
    /// The class that elements are made with: that of the objects, or the owner's class for mixed values, whose links
    /// may lead to any class.
    var links: _ClassAccess? {
        if let access { return access }
        guard case .list(_, let owner, let column) = origin, owner.schema.properties[column].type == .mixed else {
            return nil
        }
        return owner
    }

    func element<Element: RealmCollectionValue>(_ position: Int) -> Element {
        switch leading(position &+ 1) {
        case .keys(let keys):
            checkBounds(position, keys.count)
            return Element._fromStored(_StoredValue(.object(keys[position])), access)
        case .values(let values):
            checkBounds(position, values.count)
            return Element._fromStored(_StoredValue(values[position]), links)
        }
    }
}

func checkBounds(_ position: Int, _ count: Int) {
    guard position >= 0 else { misuse("Cannot pass a negative value for 'index'.") }
    guard position < count else { misuse("Index \(position) is out of bounds (must be less than \(count)).") }
}
