package import CausewayModel

/// `@count`, `@min`, `@max`, `@sum` or `@avg` over the values of a collection, one after the other. Nulls and NaNs count
/// for `@count` and for nothing else. Of mixed values, the sum and the average take the numbers, as decimals. The minimum
/// and the maximum are the first and the last in the order of a sort.
package struct AggregateFold {
    private let aggregate: Aggregate
    private let type: PropertyType
    private var count = 0
    private var integers: Int128 = 0
    private var doubles = 0.0
    private var decimals = DecimalNumber.zero
    private var best = Value.null

    /// - Parameter type: of the elements.
    package init(_ aggregate: Aggregate, over type: PropertyType) {
        self.aggregate = aggregate
        self.type = type
    }

    package mutating func add(_ value: Value) {
        guard aggregate != .count else {
            count += 1
            return
        }
        guard !value.isNull, !value.isNotANumber else { return }
        if type == .mixed { return add(mixed: value) }
        count += 1
        switch aggregate {
        case .count: break
        case .minimum:
            if best.isNull || ValueComparison.holds(value, .less, best, []) { best = value }
        case .maximum:
            if best.isNull || ValueComparison.holds(value, .greater, best, []) { best = value }
        case .sum, .average:
            switch value {
            case .int(let value): integers += Int128(value)
            case .float(let value): doubles += Double(value)
            case .double(let value): doubles += value
            case .decimal(let value): decimals = decimals + value
            default: break
            }
        }
    }

    private mutating func add(mixed value: Value) {
        switch aggregate {
        case .minimum: if best.isNull || ValueOrder.precedes(value, best) { best = value }
        case .maximum: if best.isNull || ValueOrder.precedes(best, value) { best = value }
        case .count, .sum, .average:
            guard let number = ValueComparison.decimal(value) else { return }
            count += 1
            decimals = decimals + number
        }
    }

    private var isDecimal: Bool { type == .decimal128 || type == .mixed }

    /// The minimum, maximum and average of nothing are null; its sum and count are zero. A sum of ints beyond an
    /// Int64 is the nearest Int64.
    package var result: Value {
        switch aggregate {
        case .count: .int(Int64(count))
        case .minimum, .maximum: best
        case .sum where type == .int: .int(Int64(clamping: integers))
        case .sum where isDecimal: .decimal(decimals)
        case .sum: .double(doubles)
        case .average where count == 0: .null
        case .average where type == .int: .double(Double(integers) / Double(count))
        case .average where isDecimal: .decimal(decimals / DecimalNumber(Int64(count)))
        case .average: .double(doubles / Double(count))
        }
    }
}

extension Value {
    /// Whether it is a NaN of any type.
    fileprivate var isNotANumber: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        default: false
        }
    }
}
