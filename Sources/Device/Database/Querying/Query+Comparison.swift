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
        return Query<Bool>(.condition(.comparison(comparison), over: collections, written: written(comparison)))
    }

    private func written(_ comparison: Comparison) -> WrittenCondition {
        switch part {
        case .count(_, let elements): .counted(comparison, elements: elements)
        case .path(let path): .leaf(.comparison(comparison), isPlural: path.isPlural && path.aggregate == nil)
        case .condition: .leaf(.comparison(comparison), isPlural: false)
        }
    }

    func compared<V>(_ comparator: Comparator, _ right: Query<V>, options: StringOptions = []) -> Query<Bool> {
        let right = right.path
        if path.isPlural, path.aggregate == nil, right.isPlural, right.aggregate == nil {
            misuse("Comparing two collection columns is not permitted.")
        }
        return compared(comparator, right.expression, options: options, over: right.collection)
    }
}

/// The value in the form that the store compares: a managed object by identity, everything else by value.
func queryValue<V: _Persistable>(_ value: V) -> Value {
    value._toStored(nil).value
}

// MARK: - Equality

extension Query where T: RealmCollectionValue {
    /// The left value equals the right one. A link equals the object that it leads to, and an empty link equals nil.
    ///
    /// ```swift
    /// let rexes = dogs.where { $0.name == "Rex" }
    /// ```
    public static func == (left: Query, right: T) -> Query<Bool> { left.equals(right) }

    /// The left value differs from the right one.
    ///
    /// ```swift
    /// let others = dogs.where { $0.name != "Rex" }
    /// ```
    public static func != (left: Query, right: T) -> Query<Bool> {
        isComparedByParts(right) ? !left.equals(right) : left.compared(.notEqual, .value(queryValue(right)))
    }

    /// The property equals another property.
    ///
    /// ```swift
    /// let atHome = dogs.where { $0.name == $0.currentCity }
    /// ```
    public static func == (left: Query, right: Query) -> Query<Bool> {
        left.compared(.equal, right)
    }

    /// The property differs from another property.
    ///
    /// ```swift
    /// let usual = dogs.where { $0.name != $0.currentCity }
    /// ```
    public static func != (left: Query, right: Query) -> Query<Bool> {
        left.compared(.notEqual, right)
    }

    /// The value is one of the given values.
    ///
    /// ```swift
    /// let known = dogs.where { $0.name.in(["Rex", "Bello"]) }
    /// ```
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T {
        compared(.in, .values(values.map(queryValue)))
    }
}

extension Query where T: _QueryOptional, T.Wrapped: RealmCollectionValue {
    /// The value is one of the given values. A nil value never is.
    ///
    /// ```swift
    /// let found = dogs.where { $0.weight.in([10, 20]) }
    /// ```
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T.Wrapped {
        compared(.in, .values(values.map(queryValue)))
    }
}

// MARK: - Order

/// A type whose values a query can order: numbers, dates, durations, strings, bytes, mixed values, enumerations and types
/// that are stored as one of these, and their optionals.
public protocol _QueryOrdered {}

/// A type whose values a query can average and compare with a range: numbers, dates, durations, enumerations and types
/// that are stored as one of these, and their optionals. Where the stored type has no average the program stops.
public protocol _QueryNumeric: _QueryOrdered {}

extension Query where T: RealmCollectionValue & _QueryOrdered {
    /// The property is less than a value. Strings compare by their UTF-8 bytes.
    ///
    /// ```swift
    /// let puppies = dogs.where { $0.age < 2 }
    /// ```
    public static func < (left: Query, right: T) -> Query<Bool> {
        left.compared(.less, .value(queryValue(right)))
    }

    /// The property is less than a value or equal to it.
    ///
    /// ```swift
    /// dogs.where { $0.age <= 2 }
    /// ```
    public static func <= (left: Query, right: T) -> Query<Bool> {
        left.compared(.lessOrEqual, .value(queryValue(right)))
    }

    /// The property is greater than a value.
    ///
    /// ```swift
    /// let old = dogs.where { $0.age > 12 }
    /// ```
    public static func > (left: Query, right: T) -> Query<Bool> {
        left.compared(.greater, .value(queryValue(right)))
    }

    /// The property is greater than a value or equal to it.
    ///
    /// ```swift
    /// let grown = dogs.where { $0.age >= 2 }
    /// ```
    public static func >= (left: Query, right: T) -> Query<Bool> {
        left.compared(.greaterOrEqual, .value(queryValue(right)))
    }

    /// The property is less than another property.
    ///
    /// ```swift
    /// let early = toDos.where { $0.progressMinutes < $0.priority }
    /// ```
    public static func < (left: Query, right: Query) -> Query<Bool> {
        left.compared(.less, right)
    }

    /// The property is less than another property or equal to it.
    ///
    /// ```swift
    /// let inTime = toDos.where { $0.progressMinutes <= $0.priority }
    /// ```
    public static func <= (left: Query, right: Query) -> Query<Bool> {
        left.compared(.lessOrEqual, right)
    }

    /// The property is greater than another property.
    ///
    /// ```swift
    /// let late = toDos.where { $0.progressMinutes > $0.priority }
    /// ```
    public static func > (left: Query, right: Query) -> Query<Bool> {
        left.compared(.greater, right)
    }

    /// The property is greater than another property or equal to it.
    ///
    /// ```swift
    /// let begun = toDos.where { $0.progressMinutes >= $0.priority }
    /// ```
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

extension Query where T: RealmCollectionValue & _QueryOrdered & Comparable {
    /// The value lies in the range, both ends included: the BETWEEN of a format string.
    ///
    /// ```swift
    /// let youths = dogs.where { $0.age.contains(1...3) }
    /// ```
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> { between(range) }

    /// The value lies in the range, the upper end excluded.
    ///
    /// ```swift
    /// let youths = dogs.where { $0.age.contains(1..<4) }
    /// ```
    public func contains(_ range: Range<T>) -> Query<Bool> { between(range) }
}

extension Query where T: _QueryOptional, T.Wrapped: RealmCollectionValue & _QueryOrdered & Comparable {
    /// The value lies in the range, both ends included; a missing value lies in none.
    ///
    /// ```swift
    /// let light = dogs.where { $0.weight.contains(5...10) }
    /// ```
    public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> { between(range) }

    /// The value lies in the range, the upper end excluded. A nil value lies in no range.
    ///
    /// ```swift
    /// let light = dogs.where { $0.weight.contains(5..<10) }
    /// ```
    public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> { between(range) }
}

/// Whether a value is compared by the conditions that its parts meet.
private func isComparedByParts<V: _Persistable>(_ value: V) -> Bool {
    V._shape.isMapped || (value as? AnyRealmValue)?.isCollection == true
}
