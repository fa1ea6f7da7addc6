import CausewayModel
import CausewayQuery

// MARK: - Making a comparison

extension Query {
    func compared(
        _ comparator: Comparator,
        _ right: Expression,
        quantifier: Quantifier = .implied,
        options: StringOptions = [],
        over other: [String]? = nil
    ) -> Query<Bool> {
        let side = side
        let comparison = Comparison(
            quantifier: quantifier, side.expression, comparator, right, options: options.syntax
        )
        let collections = Set([side.collection, other].compactMap { $0 })
        return Query<Bool>(.condition(.comparison(comparison), over: collections))
    }

    func compared<V>(_ comparator: Comparator, _ right: Query<V>, options: StringOptions = []) -> Query<Bool> {
        let right = right.path
        if path.isPlural, path.aggregate == nil, right.isPlural, right.aggregate == nil {
            misuse("Comparing two collection columns is not permitted.")
        }
        return compared(comparator, right.expression, options: options, over: right.collection)
    }
}

/// A value as the store compares it: a managed object by identity, everything else by value.
func queryValue<V: _Persistable>(_ value: V) -> Value {
    value._toStored(nil).value
}

// MARK: - Equality

extension Query where T: RealmCollectionValue {
    /// The values are equal; of a link, it leads to this very object, or with nil, nowhere.
    public static func == (left: Query, right: T) -> Query<Bool> { left.equals(right) }

    public static func != (left: Query, right: T) -> Query<Bool> {
        T._shape.isMapped ? !left.equals(right) : left.compared(.notEqual, .value(queryValue(right)))
    }

    public static func == (left: Query, right: Query) -> Query<Bool> {
        left.compared(.equal, right)
    }

    public static func != (left: Query, right: Query) -> Query<Bool> {
        left.compared(.notEqual, right)
    }

    /// The value is one of those given.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T {
        compared(.in, .values(values.map(queryValue)))
    }
}

extension Query where T: _QueryOptional, T.Wrapped: RealmCollectionValue {
    /// The value is one of those given; a missing value never is.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T.Wrapped {
        compared(.in, .values(values.map(queryValue)))
    }
}

// MARK: - Order

/// A type whose values a query can order: numbers, dates, text and bytes, and their optionals.
public protocol _QueryOrdered {}

/// A type whose values a query can average and look for in a range: numbers and dates, and their optionals.
public protocol _QueryNumeric: _QueryOrdered {}

extension Query where T: RealmCollectionValue & _QueryOrdered {
    public static func < (left: Query, right: T) -> Query<Bool> {
        left.compared(.less, .value(queryValue(right)))
    }

    public static func <= (left: Query, right: T) -> Query<Bool> {
        left.compared(.lessOrEqual, .value(queryValue(right)))
    }

    public static func > (left: Query, right: T) -> Query<Bool> {
        left.compared(.greater, .value(queryValue(right)))
    }

    public static func >= (left: Query, right: T) -> Query<Bool> {
        left.compared(.greaterOrEqual, .value(queryValue(right)))
    }

    public static func < (left: Query, right: Query) -> Query<Bool> {
        left.compared(.less, right)
    }

    public static func <= (left: Query, right: Query) -> Query<Bool> {
        left.compared(.lessOrEqual, right)
    }

    public static func > (left: Query, right: Query) -> Query<Bool> {
        left.compared(.greater, right)
    }

    public static func >= (left: Query, right: Query) -> Query<Bool> {
        left.compared(.greaterOrEqual, right)
    }
}

// MARK: - Ranges

extension Query {
    func between<V: _Persistable>(_ range: ClosedRange<V>) -> Query<Bool> {
        compared(.between, .values([queryValue(range.lowerBound), queryValue(range.upperBound)]))
    }

    func between<V: _Persistable>(_ range: Range<V>) -> Query<Bool> {
        let bottom = compared(.greaterOrEqual, .value(queryValue(range.lowerBound)))
        return bottom && compared(.less, .value(queryValue(range.upperBound)))
    }
}

extension Query where T: RealmCollectionValue & _QueryNumeric & Comparable {
    /// The value lies in the range, both ends included: the BETWEEN of a format string.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> { between(range) }

    /// The value lies in the range, the upper end excluded.
    public func contains(_ range: Range<T>) -> Query<Bool> { between(range) }
}

extension Query where T: _QueryOptional, T.Wrapped: RealmCollectionValue & _QueryNumeric & Comparable {
    /// The value lies in the range, both ends included; a missing value lies in none.
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> { between(range) }

    /// The value lies in the range, the upper end excluded; a missing value lies in none.
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> { between(range) }
}

// MARK: - Enumerations

extension Query where T: PersistableEnum {
    /// The stored value of the enumeration.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(part) }
}

extension Query where T: _QueryOptional, T.Wrapped: PersistableEnum {
    /// The stored value of the enumeration, or nil.
    public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(part) }
}
