import CausewayModel
import CausewayQuery

// Aggregates read columns, never objects. For mixed values, the sum and the average use the numbers, as decimals; the
// smallest and the largest are the first and the last in sort order.

extension RealmCollection {
    /// The smallest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let youngest: Int? = dogs.min(ofProperty: "age")
    /// ```
    ///
    /// - Complexity: O(n).
    public func min<T: MinMaxType>(ofProperty property: String) -> T? {
        _source.minimum(of: property).flatMap { $0.isNull ? nil : T._aggregated(_StoredValue($0), _source.links) }
    }

    /// The largest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let oldest: Int? = dogs.max(ofProperty: "age")
    /// ```
    ///
    /// - Complexity: O(n).
    public func max<T: MinMaxType>(ofProperty property: String) -> T? {
        _source.maximum(of: property).flatMap { $0.isNull ? nil : T._aggregated(_StoredValue($0), _source.links) }
    }

    /// The sum of a property over all elements; zero when there are none.
    ///
    /// ```swift
    /// let years: Int = dogs.sum(ofProperty: "age")
    /// ```
    ///
    /// Integers wrap around when the sum does not fit in 64 bits. Floats and doubles are added in column order, not in
    /// the order of the elements, so the last bits may differ from a sum made one by one.
    ///
    /// - Complexity: O(n).
    public func sum<T: AddableType>(ofProperty property: String) -> T {
        _source.sum(of: property)?.number() ?? T._zeroValue()
    }

    /// The average of a property over the elements that have a value; nil when none has.
    ///
    /// ```swift
    /// let mean: Double? = dogs.average(ofProperty: "age")
    /// ```
    ///
    /// - Complexity: O(n).
    public func average<T: AddableType>(ofProperty property: String) -> T? {
        _source.average(of: property).flatMap { $0.isNull ? nil : $0.number() }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The smallest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let youngest = dogs.min(of: \.age)
    /// ```
    public func min<T: MinMaxType>(of keyPath: KeyPath<Element, T>) -> T? { min(ofProperty: _name(for: keyPath)) }

    /// The smallest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let lightest = dogs.min(of: \.weight)
    /// ```
    public func min<T: MinMaxType>(of keyPath: KeyPath<Element, T?>) -> T? { min(ofProperty: _name(for: keyPath)) }

    /// The largest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let oldest = dogs.max(of: \.age)
    /// ```
    public func max<T: MinMaxType>(of keyPath: KeyPath<Element, T>) -> T? { max(ofProperty: _name(for: keyPath)) }

    /// The largest value of a property; nil when there is none.
    ///
    /// ```swift
    /// let heaviest = dogs.max(of: \.weight)
    /// ```
    public func max<T: MinMaxType>(of keyPath: KeyPath<Element, T?>) -> T? { max(ofProperty: _name(for: keyPath)) }

    /// The sum of a property over all elements; zero when there are none.
    ///
    /// ```swift
    /// let years = dogs.sum(of: \.age)
    /// ```
    public func sum<T: AddableType>(of keyPath: KeyPath<Element, T>) -> T { sum(ofProperty: _name(for: keyPath)) }

    /// The sum of a property over all elements; zero when there are none.
    ///
    /// ```swift
    /// let kilograms = dogs.sum(of: \.weight)
    /// ```
    public func sum<T: AddableType>(of keyPath: KeyPath<Element, T?>) -> T { sum(ofProperty: _name(for: keyPath)) }

    /// The average of a property over the elements that have a value, as a value of the property's type; nil when none has.
    ///
    /// ```swift
    /// dogs.average(of: \.weight)            // Double? of a Double
    /// dogs.average(of: \.age) as Double?    // of an Int, with what follows the point
    /// ```
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T>) -> T? {
        average(ofProperty: _name(for: keyPath))
    }

    /// The average of a property over the elements that have a value; nil when none has.
    ///
    /// ```swift
    /// let mean: Double? = dogs.average(of: \.age)
    /// ```
    @_disfavoredOverload
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }

    /// The average of a property over the elements that have a value; nil when none has.
    ///
    /// ```swift
    /// let mean = dogs.average(of: \.weight)
    /// ```
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T?>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }
}

extension RealmCollection where Element: MinMaxType {
    /// The smallest value; nil when there is none.
    ///
    /// ```swift
    /// let worst = person.scores.min()
    /// ```
    public func min() -> Element? { min(ofProperty: "self") }

    /// The largest value; nil when there is none.
    ///
    /// ```swift
    /// let best = person.scores.max()
    /// ```
    public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element: AddableType {
    /// The sum of all values; zero when there are none.
    ///
    /// ```swift
    /// let total = person.scores.sum()
    /// ```
    public func sum() -> Element { sum(ofProperty: "self") }

    /// The average of all values; nil when there are none.
    ///
    /// ```swift
    /// let mean: Double? = person.scores.average()
    /// ```
    public func average<T: AddableType>() -> T? { average(ofProperty: "self") }
}

extension Value {
    /// Converts the number to another type. A number with a fraction is truncated for integers.
    fileprivate func number<T: AddableType>() -> T? {
        func result(_ value: Value?) -> T? { value.flatMap { T._aggregated(_StoredValue($0), nil) } }
        let type = T._shape.type
        if type == .mixed { return result(self) }
        if let exact = converted(to: type, isOptional: false) { return result(exact) }
        if case .decimal(let decimal) = self, type == .int { return result(decimal.truncated.map { .int($0) }) }
        guard case .double(let double) = self, type == .int else { return nil }
        return result(Int64(exactly: double.rounded(.towardZero)).map { .int($0) })
    }
}

extension _ResultsSource {
    /// The aggregate of a column or of mixed values; nil for other values, and when the type has no such aggregate.
    private func aggregate(_ aggregate: Aggregate, of property: String) -> Value? {
        if isMixed(property) {
            var fold = AggregateFold(aggregate, over: .mixed)
            forEachValue(of: property) { fold.add($0) }
            return fold.result
        }
        guard let access else { return nil }
        return columnAggregate(aggregate, of: access.sortKey(property, ascending: true).path)
    }

    private func isMixed(_ property: String) -> Bool {
        if let access { return access.sortKey(property, ascending: true).path.steps.last?.type == .mixed }
        guard case .list(_, let owner, let column) = origin else { return false }
        return owner.schema.properties[column].type == .mixed
    }

    /// Calls the body with every value of a property that is not null.
    private func forEachValue(of property: String, _ body: (Value) -> Void) {
        guard let access else {
            for value in values where !value.isNull { body(value) }
            return
        }
        let path = access.sortKey(property, ascending: true).path
        for key in keys {
            let value = access.value(key, at: path)
            if !value.isNull { body(value) }
        }
    }

    /// The best value by a comparison. NaN is skipped, as null is.
    private func extreme(of property: String, _ isBetter: (Value, Value) -> Bool) -> Value? {
        var best: Value?
        forEachValue(of: property) { value in
            if !value.isNaN, best.map({ isBetter(value, $0) }) ?? true { best = value }
        }
        return best
    }

    func minimum(of property: String) -> Value? {
        aggregate(.minimum, of: property) ?? extreme(of: property) { $0.precedes($1) }
    }

    func maximum(of property: String) -> Value? {
        aggregate(.maximum, of: property) ?? extreme(of: property) { $1.precedes($0) }
    }

    /// Integers are added as integers and wrap around, as RealmSwift's do.
    func sum(of property: String) -> Value? {
        if let sum = aggregate(.sum, of: property) { return sum }
        var integers: Int64 = 0
        var doubles = 0.0
        var hasDoubles = false
        var decimals: DecimalNumber?
        forEachValue(of: property) { value in
            switch value {
            case .int(let value): integers &+= value
            case .double(let value):
                doubles += value
                hasDoubles = true
            case .float(let value):
                doubles += Double(value)
                hasDoubles = true
            case .decimal(let value): decimals = decimals.map { $0 + value } ?? value
            default: misuse("Cannot sum '\(property)': operation not supported for this type.")
            }
        }
        if let decimals { return .decimal(decimals) }
        return hasDoubles ? .double(doubles) : .int(integers)
    }

    func average(of property: String) -> Value? {
        if let average = aggregate(.average, of: property) { return average }
        var total = 0.0
        var decimals: DecimalNumber?
        var count = 0
        forEachValue(of: property) { value in
            switch value {
            case .int(let value): total += Double(value)
            case .double(let value): total += value
            case .float(let value): total += Double(value)
            case .decimal(let value): decimals = decimals.map { $0 + value } ?? value
            default: misuse("Cannot average '\(property)': operation not supported for this type.")
            }
            count += 1
        }
        if let decimals { return .decimal(decimals / DecimalNumber(Int64(count))) }
        return count == 0 ? nil : .double(total / Double(count))
    }
}

extension DecimalNumber {
    /// The number without its fraction; nil when it does not fit in an Int64.
    fileprivate var truncated: Int64? { isNegative ? (-self).roundedDown.map { -$0 } : roundedDown }
}
