import CausewayModel
import CausewayQuery

// Aggregates read columns, never objects.

extension RealmCollection {
    /// The smallest value of a property; nil when there is none.
    ///
    /// - Complexity: O(n).
    public func min<T: MinMaxType>(ofProperty property: String) -> T? {
        _source.minimum(of: property).flatMap { $0.isNull ? nil : T(_stored: _StoredValue($0)) }
    }

    /// The largest value of a property; nil when there is none.
    ///
    /// - Complexity: O(n).
    public func max<T: MinMaxType>(ofProperty property: String) -> T? {
        _source.maximum(of: property).flatMap { $0.isNull ? nil : T(_stored: _StoredValue($0)) }
    }

    /// The sum of a property over all elements; zero when there are none.
    ///
    /// Integers wrap around where 64 bits do not hold the sum. Floats and doubles are added as the columns lie, not in
    /// the order of the elements, so the last bits may differ from a sum made one by one.
    ///
    /// - Complexity: O(n).
    public func sum<T: AddableType>(ofProperty property: String) -> T {
        _source.sum(of: property)?.scalar() ?? T._zeroValue()
    }

    /// The average of a property over the elements that have a value; nil when none has.
    ///
    /// - Complexity: O(n).
    public func average<T: AddableType>(ofProperty property: String) -> T? {
        _source.average(of: property).flatMap { $0.isNull ? nil : $0.scalar() }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The smallest value of a property; nil when there is none.
    public func min<T: MinMaxType>(of keyPath: KeyPath<Element, T>) -> T? { min(ofProperty: _name(for: keyPath)) }

    /// The smallest value of a property; nil when there is none.
    public func min<T: MinMaxType>(of keyPath: KeyPath<Element, T?>) -> T? { min(ofProperty: _name(for: keyPath)) }

    /// The largest value of a property; nil when there is none.
    public func max<T: MinMaxType>(of keyPath: KeyPath<Element, T>) -> T? { max(ofProperty: _name(for: keyPath)) }

    /// The largest value of a property; nil when there is none.
    public func max<T: MinMaxType>(of keyPath: KeyPath<Element, T?>) -> T? { max(ofProperty: _name(for: keyPath)) }

    /// The sum of a property over all elements; zero when there are none.
    public func sum<T: AddableType>(of keyPath: KeyPath<Element, T>) -> T { sum(ofProperty: _name(for: keyPath)) }

    /// The sum of a property over all elements; zero when there are none.
    public func sum<T: AddableType>(of keyPath: KeyPath<Element, T?>) -> T { sum(ofProperty: _name(for: keyPath)) }

    /// The average of a property over the elements that have a value; nil when none has.
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }

    /// The average of a property over the elements that have a value; nil when none has.
    public func average<T: AddableType>(of keyPath: KeyPath<Element, T?>) -> Double? {
        average(ofProperty: _name(for: keyPath))
    }
}

extension RealmCollection where Element: MinMaxType {
    /// The smallest value; nil when there is none.
    public func min() -> Element? { min(ofProperty: "self") }

    /// The largest value; nil when there is none.
    public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element: AddableType {
    /// The sum of all values; zero when there are none.
    public func sum() -> Element { sum(ofProperty: "self") }

    /// The average of all values; nil when there are none.
    public func average<T: AddableType>() -> T? { average(ofProperty: "self") }
}

extension Value {
    /// The number as a scalar of another type; the nearest where that type is coarser.
    fileprivate func scalar<T: _PersistableScalar>() -> T? {
        if let exact = converted(to: T._scalarType.type, isOptional: false) { return T(_stored: _StoredValue(exact)) }
        if case .decimal(let decimal) = self, T._scalarType.type == .int {
            return decimal.truncated.flatMap { T(_stored: _StoredValue(.int($0))) }
        }
        guard case .double(let double) = self, T._scalarType.type == .int else { return nil }
        return Int64(exactly: double.rounded(.towardZero)).flatMap { T(_stored: _StoredValue(.int($0))) }
    }
}

extension _ResultsSource {
    /// The aggregate by column; nil where the elements are values, or their type has none.
    private func aggregate(_ aggregate: Aggregate, of property: String) -> Value? {
        guard let access else { return nil }
        return columnAggregate(aggregate, of: access.sortKey(property, ascending: true).path)
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

    private func extreme(of property: String, _ isBetter: (Value, Value) -> Bool) -> Value? {
        var best: Value?
        forEachValue(of: property) { value in
            if best.map({ isBetter(value, $0) }) ?? true { best = value }
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
    /// Without what stands after the point; nil for what no Int64 holds.
    fileprivate var truncated: Int64? { isNegative ? (-self).roundedDown.map { -$0 } : roundedDown }
}
