import CausewayModel
import CausewayQuery

/// The protocols of Swift that every ordered collection of this library conforms to.
///
/// ```swift
/// func first<C: RealmCollectionBase>(of dogs: C) -> String? where C.Element == Dog { dogs.first?.name }
/// ```
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible,
    ThreadConfined
where Element: RealmCollectionValue {}

/// The common interface of `Results`, `List` and `LinkingObjects`: live, ordered, confined to their Realm.
///
/// ```swift
/// func oldest<C: RealmCollection>(of dogs: C) -> Dog? where C.Element == Dog {
///     dogs.sorted(by: \.age, ascending: false).first
/// }
/// ```
public protocol RealmCollection: RealmCollectionBase, Equatable, SendableMetatype where Index == Int {
    /// The older name of `Element`.
    ///
    /// ```swift
    /// func show<C: RealmCollection>(_ dogs: C) where C.ElementType == Dog { print(dogs.count) }
    /// ```
    typealias ElementType = Element

    /// The collection as a query, which filters and sorts derive from. An unmanaged list stops the program here.
    var _source: _ResultsSource { get }

    /// The elements where no Realm manages the collection; nil where one does.
    var _unmanaged: [Element]? { get }

    /// The same collection in the Realm instance that the source belongs to.
    func _moved(to source: _ResultsSource) -> Self
}

extension RealmCollection {
    /// The elements where no Realm manages the collection; nil where one does.
    public var _unmanaged: [Element]? { nil }

    /// The first position, zero.
    public var startIndex: Int { 0 }

    /// The position after the last one.
    public var endIndex: Int { count }

    /// The next position.
    public func index(after index: Int) -> Int { index + 1 }

    /// The previous position.
    public func index(before index: Int) -> Int { index - 1 }

    func _filtered(by predicate: CausewayQuery.Predicate) -> Results<Element> {
        checkProjected(predicate, Element.self)
        return Results(_source.filtered(by: predicate))
    }

    /// - Parameter origin: The file of the objects that the condition compares with.
    func _firstIndex(matching predicate: CausewayQuery.Predicate, comparing origin: FileCoordinator? = nil) -> Int? {
        checkProjected(predicate, Element.self)
        if let elements = _unmanaged {
            guard let type = Element.self as? ObjectBase.Type else {
                misuse("Querying is currently only implemented for arrays of Realm Objects")
            }
            return UnmanagedRow.firstIndex(
                of: elements.compactMap { $0 as? ObjectBase }, in: type, matching: predicate, comparing: origin)
        }
        let matching = _source.filtered(by: predicate)
        guard case .keys(let keys) = matching.leading(1), let first = keys.first else { return nil }
        return _source.position(of: first)
    }

    /// The position of an object, or nil when it is not in the collection.
    ///
    /// ```swift
    /// if let place = dogs.sorted(by: \.age).index(of: rex) { print("number \(place + 1) by age") }
    /// ```
    ///
    /// - Complexity: O(log n) in results of a class that are not sorted, else O(n).
    public func index(of object: Element) -> Int? {
        guard let managed = object as? ObjectBase, _unmanaged == nil else { return firstIndex(of: object) }
        guard managed._header != nil else { return nil }
        return _source.position(of: managed._key)
    }

    /// Whether another value is a collection equal to this one, which is what `==` asks.
    ///
    /// ```swift
    /// person.dogs.isEqual(person.dogs)    // true
    /// ```
    public func isEqual(_ object: Any?) -> Bool { (object as? Self).map { $0 == self } ?? false }

    /// The elements at the given positions.
    ///
    /// ```swift
    /// let chosen = dogs.objects(at: [0, 2])
    /// ```
    public func objects(at positions: some Sequence<Int>) -> [Element] {
        positions.map { self[$0] }
    }
}

// MARK: - Order

extension RealmCollection {
    /// The elements in the order of a property, live. The path may cross links to single objects.
    ///
    /// ```swift
    /// dogs.sorted(byKeyPath: "favoriteToy.name", ascending: false)
    /// ```
    ///
    /// Sorting is stable: elements that are equal keep the order they had. Text sorts by its bytes.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The elements in the order of several properties. The first counts most.
    ///
    /// ```swift
    /// dogs.sorted(by: [SortDescriptor(keyPath: "age", ascending: false), SortDescriptor(keyPath: "name")])
    /// ```
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element> where S.Element == SortDescriptor {
        Results(_source.sorted(by: Array(sortDescriptors)))
    }

    /// The first element of each combination of values, in the current order.
    ///
    /// ```swift
    /// dogs.sorted(by: \.age).distinct(by: ["breed"])    // the youngest of each breed
    /// ```
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == String {
        Results(_source.distinct(by: Array(keyPaths)))
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The elements in the order of a property that the compiler checks.
    ///
    /// ```swift
    /// dogs.sorted(by: \.name)
    /// ```
    public func sorted<T: _Persistable>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }

    /// The first element of each combination of values, in the current order.
    ///
    /// ```swift
    /// dogs.sorted(by: \.age).distinct(by: [\.breed])    // the youngest of each breed
    /// ```
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element> where S.Element == PartialKeyPath<Element> {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}
