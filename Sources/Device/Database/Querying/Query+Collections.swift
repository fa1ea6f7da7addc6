import CausewayQuery

// MARK: - What a collection holds

extension Query where T: RealmCollection {
    /// At least one element equals the value.
    ///
    /// ```swift
    /// let fives = toDos.where { $0.ratings == 5 }
    /// ```
    public static func == (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.equal, .value(queryValue(right)))
    }

    /// At least one element differs from the value.
    ///
    /// ```swift
    /// let imperfect = toDos.where { $0.ratings != 5 }
    /// ```
    public static func != (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.notEqual, .value(queryValue(right)))
    }

    /// The value is among the elements.
    ///
    /// ```swift
    /// let rexOwners = people.where { $0.dogs.contains(rex) }
    /// ```
    public func contains(_ element: T.Element) -> Query<Bool> {
        compared(.equal, .value(queryValue(element)), quantifier: .any)
    }

    /// At least one of the values is among the elements.
    ///
    /// ```swift
    /// let best = toDos.where { $0.ratings.containsAny(in: [4, 5]) }
    /// ```
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool> where Values.Element == T.Element {
        compared(.in, .values(values.map(queryValue)), quantifier: .any)
    }

    /// The number of elements.
    ///
    /// ```swift
    /// let busy = people.where { $0.dogs.count > 3 }
    /// ```
    public var count: Query<Int> { aggregated(.count) }
}

extension Query where T: RealmCollectionValue {
    /// At least one of the given values is among the values of a path through a collection.
    ///
    /// ```swift
    /// let owners = people.where { $0.dogs.name.containsAny(in: ["Rex", "Bello"]) }
    /// ```
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool> where Values.Element == T {
        compared(.in, .values(values.map(queryValue)), quantifier: .any)
    }
}

extension Query where T: RealmCollection, T.Element: _QueryOrdered {
    /// At least one element is less than the value.
    ///
    /// ```swift
    /// let poor = toDos.where { $0.ratings < 2 }
    /// ```
    public static func < (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.less, .value(queryValue(right)))
    }

    /// At least one element is less than the value or equal to it.
    ///
    /// ```swift
    /// let fair = toDos.where { $0.ratings <= 3 }
    /// ```
    public static func <= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.lessOrEqual, .value(queryValue(right)))
    }

    /// At least one element is greater than the value.
    ///
    /// ```swift
    /// let good = toDos.where { $0.ratings > 3 }
    /// ```
    public static func > (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.greater, .value(queryValue(right)))
    }

    /// At least one element is greater than the value or equal to it.
    ///
    /// ```swift
    /// let top = toDos.where { $0.ratings >= 5 }
    /// ```
    public static func >= (left: Query, right: T.Element) -> Query<Bool> {
        left.compared(.greaterOrEqual, .value(queryValue(right)))
    }
}

extension Query where T: RealmCollection, T.Element: _QueryNumeric & Comparable {
    /// Every element lies in the range, both ends included. False for an empty collection.
    ///
    /// ```swift
    /// let valid = toDos.where { $0.ratings.contains(1...5) }
    /// ```
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
        lies(from: range.lowerBound, .lessOrEqual, range.upperBound)
    }

    /// Every element lies in the range, the upper end excluded. False for an empty collection.
    ///
    /// ```swift
    /// let low = toDos.where { $0.ratings.contains(1..<3) }
    /// ```
    public func contains(_ range: Range<T.Element>) -> Query<Bool> {
        lies(from: range.lowerBound, .less, range.upperBound)
    }
}

extension Query
where
    T: RealmCollection, T.Element: _QueryOptional & _QueryNumeric, T.Element.Wrapped: RealmCollectionValue & Comparable
{
    /// Whether there are elements that are not nil, and all of those lie in the range.
    ///
    /// ```swift
    /// people.where { $0.marks.contains(1...3) }
    /// ```
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, .lessOrEqual, range.upperBound)
    }

    /// Whether there are elements that are not nil, and all of those lie in the range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
        lies(from: range.lowerBound, .less, range.upperBound)
    }
}

// MARK: - Aggregates

extension Query {
    /// Whether a collection has elements, and its least and largest one lie between two bounds.
    func lies<V: _Persistable>(from lower: V, _ comparator: Comparator, _ upper: V) -> Query<Bool> {
        let smallest: Query<V> = aggregated(.minimum)
        let largest: Query<V> = aggregated(.maximum)
        return smallest.compared(.greaterOrEqual, .value(queryValue(lower)))
            && largest.compared(comparator, .value(queryValue(upper)))
    }

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
    /// The smallest element. For an empty collection no comparison with it holds.
    ///
    /// ```swift
    /// let noFailures = toDos.where { $0.ratings.min > 2 }
    /// ```
    public var min: Query<T.Element> { aggregated(.minimum) }
    /// The largest element.
    ///
    /// ```swift
    /// let praised = toDos.where { $0.ratings.max == 5 }
    /// ```
    public var max: Query<T.Element> { aggregated(.maximum) }
    /// The mean of the elements: a decimal number for `Decimal128`, a Double for all other types.
    ///
    /// ```swift
    /// let good = toDos.where { $0.ratings.avg > 3 }
    /// ```
    public var avg: Query<T.Element> { aggregated(.average) }
    /// The sum of the elements; zero for an empty collection.
    ///
    /// ```swift
    /// let popular = toDos.where { $0.ratings.sum > 100 }
    /// ```
    public var sum: Query<T.Element> { aggregated(.sum) }
}

extension Query where T: RealmCollectionValue & _QueryNumeric {
    /// The smallest value of the property in the collection.
    ///
    /// ```swift
    /// let withPuppies = people.where { $0.dogs.age.min < 2 }
    /// ```
    public var min: Query { aggregated(.minimum) }
    /// The largest value of the property in the collection.
    ///
    /// ```swift
    /// let withOldDogs = people.where { $0.dogs.age.max > 12 }
    /// ```
    public var max: Query { aggregated(.maximum) }
    /// The mean of the property's values in the collection.
    ///
    /// ```swift
    /// let young = people.where { $0.dogs.age.avg < 4 }
    /// ```
    public var avg: Query { aggregated(.average) }
    /// The sum of the property's values in the collection.
    ///
    /// ```swift
    /// let experienced = people.where { $0.dogs.age.sum > 20 }
    /// ```
    public var sum: Query { aggregated(.sum) }
}
