import CausewayModel
import CausewayQuery

/// Mixed values as numbers: their types differ from row to row, so they are compared as values.
enum MixedCodes {
    /// Numbers that ascend as the values do. Equal if neither value precedes the other.
    static func ordered(of table: Table, _ column: Int, _ keys: [ObjectKey]) -> OrderedNumbers {
        ordered(keys.map { table.value($0, column) })
    }

    static func ordered(_ values: [Value]) -> OrderedNumbers {
        let order = values.indices.sorted { ValueOrder.precedes(values[$0], values[$1]) }
        var codes = [UInt64](repeating: 0, count: values.count)
        var code: UInt64 = 0
        for (before, index) in zip(order, order.dropFirst()) {
            if ValueOrder.precedes(values[before], values[index]) { code += 1 }
            codes[index] = code
        }
        return numbers(codes, values, limit: Int(code) + 1)
    }

    /// Equal numbers for equal values. 1 and 1.0 are two values here, as they are in a set.
    static func equal(of table: Table, _ column: Int, _ keys: [ObjectKey]) -> OrderedNumbers {
        let values = keys.map { table.value($0, column) }
        var known: [SetElement: UInt64] = [:]
        var next: UInt64 = 0
        let codes = values.map { value in
            // A NaN is never found again, so each gets a number of its own.
            if !value.isNaN {
                if let code = known[SetElement(value)] { return code }
                known[SetElement(value)] = next
            }
            next += 1
            return next - 1
        }
        return numbers(codes, values, limit: Int(next))
    }

    private static func numbers(_ codes: [UInt64], _ values: [Value], limit: Int) -> OrderedNumbers {
        let nulls = values.indices.filter { values[$0].isNull }.map { UInt32(truncatingIfNeeded: $0) }
        return OrderedNumbers(codes: codes, nulls: nulls, limit: limit)
    }
}
