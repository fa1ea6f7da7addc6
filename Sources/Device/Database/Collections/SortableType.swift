public import Foundation

/// A type whose values a collection can put in order, and tell apart.
///
/// ```swift
/// func smallest<T: RealmCollectionValue & SortableType>(_ values: List<T>) -> T? { values.sorted().first }
/// ```
///
/// These are all values that a property can hold but objects, which are put in order by a property of theirs, and types
/// that are stored as embedded objects.
public protocol SortableType {}

extension Bool: SortableType {}
extension Int: SortableType {}
extension Int8: SortableType {}
extension Int16: SortableType {}
extension Int32: SortableType {}
extension Int64: SortableType {}
extension Float: SortableType {}
extension Double: SortableType {}
extension Decimal128: SortableType {}
extension String: SortableType {}
extension Data: SortableType {}
extension Date: SortableType {}
extension Duration: SortableType {}
extension ObjectId: SortableType {}
extension UUID: SortableType {}
extension AnyRealmValue: SortableType {}
extension Optional: SortableType where Wrapped: SortableType {}

extension RealmCollection where Element: SortableType {
    /// The values in order; nil comes first.
    ///
    /// ```swift
    /// person.scores.sorted(ascending: false)
    /// ```
    public func sorted(ascending: Bool = true) -> Results<Element> { sortedByValue(ascending) }

    /// Each value once, where it first stands.
    ///
    /// ```swift
    /// person.scores.distinct()
    /// ```
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

extension RealmCollection where Element: _CustomPersistable, Element.PersistedType: SortableType {
    /// The values in the order of what they are stored as.
    ///
    /// ```swift
    /// route.temperatures.sorted()
    /// ```
    public func sorted(ascending: Bool = true) -> Results<Element> { sortedByValue(ascending) }

    /// Each value once, where it first stands.
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

extension RealmCollection
where Element: _QueryOptional, Element.Wrapped: _CustomPersistable, Element.Wrapped.PersistedType: SortableType {
    /// The values in the order of what they are stored as; nil comes first.
    public func sorted(ascending: Bool = true) -> Results<Element> { sortedByValue(ascending) }

    /// Each value once, where it first stands.
    public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}

extension RealmCollection {
    fileprivate func sortedByValue(_ ascending: Bool) -> Results<Element> {
        sorted(byKeyPath: "self", ascending: ascending)
    }
}

extension RealmKeyedCollection where Value: SortableType {
    /// The values in order; nil comes first.
    ///
    /// ```swift
    /// person.visitsByCity.sorted(ascending: false)
    /// ```
    public func sorted(ascending: Bool = true) -> Results<Value> { sorted(byKeyPath: "self", ascending: ascending) }

    /// Each value once.
    ///
    /// ```swift
    /// person.visitsByCity.distinct()
    /// ```
    public func distinct() -> Results<Value> { distinct(by: ["self"]) }
}

extension RealmKeyedCollection where Value: _CustomPersistable, Value.PersistedType: SortableType {
    /// The values in the order of what they are stored as.
    public func sorted(ascending: Bool = true) -> Results<Value> { sorted(byKeyPath: "self", ascending: ascending) }

    /// Each value once.
    public func distinct() -> Results<Value> { distinct(by: ["self"]) }
}
