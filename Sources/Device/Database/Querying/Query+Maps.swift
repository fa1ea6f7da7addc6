import CausewayModel
import CausewayQuery

// Maps in typed queries. A map is compared by its values, as a list is by its elements.

extension Query where T: RealmKeyedCollection {
    private func part<V>(_ part: MapPart, isPlural: Bool) -> Query<V> {
        var path = path
        if path.part != nil {
            misuse("A key path cannot go on after a key, the keys or the values of a map.")
        }
        path.part = part
        if !isPlural {
            path.isPlural = false
            path.collection = nil
        }
        return Query<V>(.path(path))
    }

    /// The keys: a comparison holds when any key satisfies it.
    ///
    /// ```swift
    /// dogs.where { $0.favoriteParksByCity.keys.starts(with: "Ch") }
    /// ```
    public var keys: Query<String> { part(.keys, isPlural: true) }

    /// The values: a comparison holds when any value satisfies it.
    ///
    /// ```swift
    /// let atLakes = dogs.where { $0.favoriteParksByCity.values.ends(with: "Lake") }
    /// ```
    public var values: Query<T.Value> { part(.values, isPlural: true) }

    /// The value of one key. Without that key, no comparison with a value holds.
    ///
    /// ```swift
    /// dogs.where { $0.favoriteParksByCity["Chicago"] == "Jackson Park" }
    /// ```
    public subscript(key: T.Key) -> Query<T.Value> { part(.value(ExactString(key._mapKey)), isPlural: false) }

    /// The number of entries.
    ///
    /// ```swift
    /// let travelled = dogs.where { $0.favoriteParksByCity.count > 3 }
    /// ```
    public var count: Query<Int> { aggregated(.count) }

    /// At least one value equals the given one.
    ///
    /// ```swift
    /// let inJackson = dogs.where { $0.favoriteParksByCity == "Jackson Park" }
    /// ```
    public static func == (left: Query, right: T.Value) -> Query<Bool> {
        left.compared(.equal, .value(queryValue(right)))
    }

    /// At least one value differs from the given one.
    ///
    /// ```swift
    /// let elsewhere = dogs.where { $0.favoriteParksByCity != "Jackson Park" }
    /// ```
    public static func != (left: Query, right: T.Value) -> Query<Bool> {
        left.compared(.notEqual, .value(queryValue(right)))
    }

    /// The value is among those of the map.
    ///
    /// ```swift
    /// let inJackson = dogs.where { $0.favoriteParksByCity.contains("Jackson Park") }
    /// ```
    public func contains(_ value: T.Value) -> Query<Bool> {
        compared(.equal, .value(queryValue(value)), quantifier: .any)
    }

    /// At least one of the given values is among those of the map.
    ///
    /// ```swift
    /// let found = dogs.where { $0.favoriteParksByCity.containsAny(in: ["Jackson Park", "Central Park"]) }
    /// ```
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool> where Values.Element == T.Value {
        compared(.in, .values(values.map(queryValue)), quantifier: .any)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryOrdered {
    /// At least one value is less than the given one.
    ///
    /// ```swift
    /// let weak = teams.where { $0.points < 3 }
    /// ```
    public static func < (left: Query, right: T.Value) -> Query<Bool> {
        left.compared(.less, .value(queryValue(right)))
    }

    /// At least one value is less than the given one or equal to it.
    ///
    /// ```swift
    /// let middling = teams.where { $0.points <= 3 }
    /// ```
    public static func <= (left: Query, right: T.Value) -> Query<Bool> {
        left.compared(.lessOrEqual, .value(queryValue(right)))
    }

    /// At least one value is greater than the given one.
    ///
    /// ```swift
    /// let strong = teams.where { $0.points > 7 }
    /// ```
    public static func > (left: Query, right: T.Value) -> Query<Bool> {
        left.compared(.greater, .value(queryValue(right)))
    }

    /// At least one value is greater than the given one or equal to it.
    ///
    /// ```swift
    /// let winning = teams.where { $0.points >= 7 }
    /// ```
    public static func >= (left: Query, right: T.Value) -> Query<Bool> {
        left.compared(.greaterOrEqual, .value(queryValue(right)))
    }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryNumeric {
    /// The smallest value. For an empty map no comparison with it holds.
    ///
    /// ```swift
    /// let steady = teams.where { $0.points.min > 2 }
    /// ```
    public var min: Query<T.Value> { aggregated(.minimum) }
    /// The largest value.
    ///
    /// ```swift
    /// let winning = teams.where { $0.points.max == 9 }
    /// ```
    public var max: Query<T.Value> { aggregated(.maximum) }
    /// The mean of the values.
    ///
    /// ```swift
    /// let good = teams.where { $0.points.avg > 5 }
    /// ```
    public var avg: Query<T.Value> { aggregated(.average) }
    /// The sum of the values; zero for an empty map.
    ///
    /// ```swift
    /// let leading = teams.where { $0.points.sum > 40 }
    /// ```
    public var sum: Query<T.Value> { aggregated(.sum) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryNumeric & Comparable {
    /// Every value lies in the range, both ends included. False for an empty map.
    ///
    /// ```swift
    /// let valid = teams.where { $0.points.contains(0...9) }
    /// ```
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        lies(from: range.lowerBound, .lessOrEqual, range.upperBound)
    }

    /// Every value lies in the range, the upper end excluded. False for an empty map.
    ///
    /// ```swift
    /// let valid = teams.where { $0.points.contains(0..<10) }
    /// ```
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        lies(from: range.lowerBound, .less, range.upperBound)
    }
}
