import CausewayModel
public import Foundation

/// A type that may be the key of a map: String.
public protocol _MapKey: Hashable, SendableMetatype {
    /// Creates a key from a text.
    init(_mapKey: String)
    /// The key as text.
    var _mapKey: String { get }
}

extension String: _MapKey {
    /// Creates a key from a text.
    public init(_mapKey: String) { self = _mapKey }

    /// The key as text.
    public var _mapKey: String { self }
}

/// A live collection of values by keys: the interface of `Map`.
///
/// ```swift
/// for element in dog.favoriteParksByCity { print(element.key, element.value) }
/// ```
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible, SendableMetatype {
    /// The type of the keys: String.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue

    /// How many entries there are.
    ///
    /// ```swift
    /// print("\(dog.favoriteParksByCity.count) parks")
    /// ```
    var count: Int { get }

    /// The keys, in ascending order while managed.
    ///
    /// ```swift
    /// print(dog.favoriteParksByCity.keys.joined(separator: ", "))
    /// ```
    var keys: [Key] { get }

    /// The values, in the order of the keys.
    ///
    /// ```swift
    /// print(dog.favoriteParksByCity.values.joined(separator: ", "))
    /// ```
    var values: [Value] { get }

    /// The value of a key; setting nil removes the key.
    subscript(key: Key) -> Value? { get set }

    /// The values as a query, which filters and sorts derive from. An unmanaged map stops the program here.
    var _source: _ResultsSource { get }

    /// The values where no Realm manages the map; nil where one does.
    var _unmanagedValues: [Value]? { get }

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
        results._filter(predicateFormat, arguments)
    }

    /// The values that satisfy a predicate.
    ///
    /// ```swift
    /// person.dogsByName.filter(NSPredicate(format: "age < 2"))
    /// ```
    public func filter(_ predicate: NSPredicate) -> Results<Value> { results.filter(predicate) }

    /// The values that satisfy a condition that the compiler checks.
    ///
    /// ```swift
    /// dog.favoriteParksByCity.where { $0.starts(with: "Jackson") }
    /// ```
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> { results.where(isIncluded) }

    /// The values in the order of a property.
    ///
    /// ```swift
    /// person.dogsByName.sorted(byKeyPath: "age", ascending: false)
    /// ```
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        results.sorted(byKeyPath: keyPath, ascending: ascending)
    }

    /// The values in the order of several properties. The first counts most.
    ///
    /// ```swift
    /// person.dogsByName.sorted(by: [SortDescriptor(keyPath: "breed"), SortDescriptor(keyPath: "age")])
    /// ```
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value> where S.Element == SortDescriptor {
        results.sorted(by: sortDescriptors)
    }

    /// The first value of each combination of values of the properties.
    ///
    /// ```swift
    /// person.dogsByName.distinct(by: ["breed"])
    /// ```
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Value> where S.Element == String {
        results.distinct(by: keyPaths)
    }

    /// The smallest value of a property of the values; nil when there is none.
    ///
    /// ```swift
    /// let youngest: Int? = person.dogsByName.min(ofProperty: "age")
    /// ```
    public func min<T: MinMaxType>(ofProperty property: String) -> T? { _aggregated.minimum(of: property) }

    /// The largest value of a property of the values; nil when there is none.
    ///
    /// ```swift
    /// let oldest: Int? = person.dogsByName.max(ofProperty: "age")
    /// ```
    public func max<T: MinMaxType>(ofProperty property: String) -> T? { _aggregated.maximum(of: property) }

    /// The sum of a property of the values; zero when there are none.
    ///
    /// ```swift
    /// let years: Int = person.dogsByName.sum(ofProperty: "age")
    /// ```
    public func sum<T: AddableType>(ofProperty property: String) -> T { _aggregated.sum(of: property) }

    /// The average of a property of the values; nil when none has a value.
    ///
    /// ```swift
    /// let mean: Double? = person.dogsByName.average(ofProperty: "age")
    /// ```
    public func average<T: AddableType>(ofProperty property: String) -> T? { _aggregated.average(of: property) }
}

extension RealmKeyedCollection where Value: MinMaxType {
    /// The smallest value; nil when there is none.
    ///
    /// ```swift
    /// let least = person.visitsByCity.min()
    /// ```
    public func min() -> Value? { min(ofProperty: "self") }

    /// The largest value; nil when there is none.
    ///
    /// ```swift
    /// let most = person.visitsByCity.max()
    /// ```
    public func max() -> Value? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: AddableType {
    /// The sum of all values; zero when there are none.
    ///
    /// ```swift
    /// let visits = person.visitsByCity.sum()
    /// ```
    public func sum() -> Value { sum(ofProperty: "self") }

    /// The average of all values; nil when there are none.
    ///
    /// ```swift
    /// let mean: Double? = person.visitsByCity.average()
    /// ```
    public func average<T: AddableType>() -> T? { average(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: _QueryOptional, Value.Wrapped: MinMaxType {
    /// The smallest value that is not nil; nil when there is none.
    public func min() -> Value.Wrapped? { min(ofProperty: "self") }

    /// The largest value that is not nil; nil when there is none.
    public func max() -> Value.Wrapped? { max(ofProperty: "self") }
}

extension RealmKeyedCollection where Value: _QueryOptional, Value.Wrapped: AddableType {
    /// The sum of the values that are not nil; zero when there are none.
    public func sum() -> Value.Wrapped { sum(ofProperty: "self") }

    /// The average of the values that are not nil; nil when there are none.
    public func average<T: AddableType>() -> T? { average(ofProperty: "self") }
}

// MARK: - Frozen

extension RealmKeyedCollection {
    /// The map as it is now. It never changes and may be read on any thread.
    ///
    /// - Complexity: O(1).
    public func freeze() -> Self {
        _source.frozen.map(_moved) ?? self
    }

    /// The live form of a frozen map, in the Realm of the caller's thread; nil when its object has been deleted. A live
    /// map returns itself.
    ///
    /// ```swift
    /// let live = dog.favoriteParksByCity.freeze().thaw()
    /// ```
    public func thaw() -> Self? {
        _source.instance.isFrozen ? _source.thawed.map(_moved) : self
    }
}
