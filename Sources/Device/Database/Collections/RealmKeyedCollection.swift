import CausewayModel
public import Foundation

/// A type that may be the key of a map: String.
public protocol _MapKey: Hashable, SendableMetatype {
    init(_mapKey: String)
    var _mapKey: String { get }
}

extension String: _MapKey {
    public init(_mapKey: String) { self = _mapKey }

    public var _mapKey: String { self }
}

/// A live collection of values by keys: what `Map` is.
///
/// ```swift
/// for element in dog.favoriteParksByCity { print(element.key, element.value) }
/// ```
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible, SendableMetatype {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue

    var count: Int { get }

    /// The keys, in ascending order while managed.
    var keys: [Key] { get }

    /// The values, in the order of the keys.
    var values: [Value] { get }

    /// The value of a key; setting nil removes the key.
    subscript(key: Key) -> Value? { get set }

    /// The values as a query, which filters and sorts derive from. An unmanaged map stops the program here.
    var _source: _ResultsSource { get }

    /// The same map in the Realm instance that the source belongs to.
    func _moved(to source: _ResultsSource) -> Self
}

// MARK: - Values as results

extension RealmKeyedCollection {
    private var results: Results<Value> { Results(_source) }

    /// The values that satisfy a format string.
    ///
    /// ```swift
    /// person.dogsByName.filter("age < %@", 2)
    /// ```
    public func filter(_ predicateFormat: String, _ arguments: Any...) -> Results<Value> {
        results._filtered(by: readPredicate(predicateFormat, arguments))
    }

    /// The values that satisfy a predicate.
    public func filter(_ predicate: NSPredicate) -> Results<Value> { results.filter(predicate) }

    /// The values that satisfy a condition that the compiler checks.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> { results.where(isIncluded) }

    /// The values in the order of a property.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results.sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The values in the order of several properties: the first counts most.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value> where S.Element == SortDescriptor {
        results.sorted(by: sortDescriptors)
    }

    /// The first value of each combination of values of the properties.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value> where S.Element == String {
        results.distinct(by: keyPaths)
    }

    /// The smallest value of a property of the values; nil when there is none.
    public func min<T: MinMaxType>(ofProperty property: String) -> T? { results.min(ofProperty: property) }

    /// The largest value of a property of the values; nil when there is none.
    public func max<T: MinMaxType>(ofProperty property: String) -> T? { results.max(ofProperty: property) }

    /// The sum of a property of the values; zero when there are none.
    public func sum<T: AddableType>(ofProperty property: String) -> T { results.sum(ofProperty: property) }

    /// The average of a property of the values; nil when none has a value.
    public func average<T: AddableType>(ofProperty property: String) -> T? { results.average(ofProperty: property) }
}

extension RealmKeyedCollection where Value: MinMaxType {
    /// The smallest value; nil when there is none.
    public func min() -> Value? { min(ofProperty: "self") }

    /// The largest value; nil when there is none.
    public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: AddableType {
    /// The sum of all values; zero when there are none.
    public func sum() -> Value { sum(ofProperty: "self") }

    /// The average of all values; nil when there are none.
    public func average<T: AddableType>() -> T? { average(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: Comparable {
    /// The values in order.
    public func sorted(ascending: Bool = true) -> Results<Value> { sorted(byKeyPath: "self", ascending: ascending) }

    /// Each value once.
    public func distinct() -> Results<Value> { distinct(by: ["self"]) }
}

// MARK: - Frozen

extension RealmKeyedCollection {
    /// The map as it is now, never to change; it may be read on any thread.
    ///
    /// - Complexity: O(1).
    public func freeze() -> Self {
        _source.frozen.map(_moved) ?? self
    }

    /// The live map of a frozen one, in the Realm of where the caller runs; nil when the object it belongs to has been
    /// deleted. A live map is itself.
    public func thaw() -> Self? {
        _source.instance.isFrozen ? _source.thawed.map(_moved) : self
    }
}
