import CausewayQuery

// MARK: - What a collection holds

extension Query where T: RealmCollection {
    /// At least one element equals the value.
    public static func == (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.equal, .value(queryValue(right)))
    }

    /// At least one element differs from the value.
    public static func != (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.notEqual, .value(queryValue(right)))
    }

    /// The value is among the elements.
    public func contains(_ element: T.Element) -> Query<Bool> {
        compared(.equal, .value(queryValue(element)), quantifier: .any)
    }

    /// At least one of the values is among the elements.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool> where Values.Element == T.Element {
        compared(.in, .values(values.map(queryValue)), quantifier: .any)
    }

    /// How many elements there are.
    public var count: Query<Int> { aggregated(.count) }
}

extension Query where T: RealmCollectionValue {
    /// At least one of the values is among those that the path leads to through a collection.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool> where Values.Element == T {
        compared(.in, .values(values.map(queryValue)), quantifier: .any)
    }
}

extension Query where T: RealmCollection, T.Element: _QueryOrdered {
    /// At least one element is less than the value.
    public static func < (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.less, .value(queryValue(right)))
    }

    /// At least one element is less than the value or equal to it.
    public static func <= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.lessOrEqual, .value(queryValue(right)))
    }

    /// At least one element is greater than the value.
    public static func > (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.greater, .value(queryValue(right)))
    }

    /// At least one element is greater than the value or equal to it.
    public static func >= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.greaterOrEqual, .value(queryValue(right)))
    }
}

extension Query where T: RealmCollection, T.Element: _QueryNumeric & Comparable {
    /// Every element lies in the range, both ends included.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        let smallest: Query<T.Element> = aggregated(.minimum)
        let largest: Query<T.Element> = aggregated(.maximum)
        return smallest >= range.lowerBound && largest <= range.upperBound
    }

    /// Every element lies in the range, the upper end excluded.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        let smallest: Query<T.Element> = aggregated(.minimum)
        let largest: Query<T.Element> = aggregated(.maximum)
        return smallest >= range.lowerBound && largest < range.upperBound
    }
}

// MARK: - Aggregates

extension Query {
    func aggregated<V>(_ aggregate: Aggregate) -> Query<V> {
        var path = path
        if path.aggregate != nil {
            misuse("Only one aggregate operation can stand in a key path.")
        }
        if !path.isPlural {
            misuse("Aggregate operations can only be applied to key paths that include a collection.")
        }
        path.aggregate = aggregate
        return Query<V>(.path(path))
    }
}

extension Query where T: RealmCollection, T.Element: _QueryNumeric {
    /// The smallest element; no comparison with it holds for an empty collection.
    public var min: Query<T.Element> { aggregated(.minimum) }
    /// The largest element.
    public var max: Query<T.Element> { aggregated(.maximum) }
    /// The mean of the elements, as a Double however the comparison is written.
    public var avg: Query<T.Element> { aggregated(.average) }
    /// The sum of the elements; zero for an empty collection.
    public var sum: Query<T.Element> { aggregated(.sum) }
}

extension Query where T: RealmCollectionValue & _QueryNumeric {
    /// The smallest value of the property in the collection: `$0.dogs.age.min`.
    public var min: Query { aggregated(.minimum) }
    /// The largest value of the property in the collection.
    public var max: Query { aggregated(.maximum) }
    /// The mean of the property's values in the collection.
    public var avg: Query { aggregated(.average) }
    /// The sum of the property's values in the collection.
    public var sum: Query { aggregated(.sum) }
}
