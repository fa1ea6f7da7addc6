package import CausewayModel

extension ArithmeticOperator {
    /// The result of the operation; null where one side is no number, and for an int divided by zero.
    ///
    /// Two ints give an int: a result beyond an Int64 is the nearest Int64, as that of `@sum` is, and a quotient is cut
    /// towards zero. With a decimal on either side both are decimals, a float or double as the decimal that it prints
    /// as. Everything else is computed in doubles, by IEEE 754.
    package func applied(_ left: Value, _ right: Value) -> Value {
        switch (left, right) {
        case (.int(let left), .int(let right)): return integer(left, right).map { .int($0) } ?? .null
        case (.decimal, _), (_, .decimal):
            guard let left = ValueComparison.decimal(left), let right = ValueComparison.decimal(right) else {
                return .null
            }
            return .decimal(decimal(left, right))
        default:
            guard let left = Self.double(left), let right = Self.double(right) else { return .null }
            return .double(double(left, right))
        }
    }

    /// Nil for a division by zero.
    package func integer(_ left: Int64, _ right: Int64) -> Int64? {
        switch self {
        case .plus:
            let (result, overflows) = left.addingReportingOverflow(right)
            return overflows ? (left < 0 ? .min : .max) : result
        case .minus:
            let (result, overflows) = left.subtractingReportingOverflow(right)
            return overflows ? (left < 0 ? .min : .max) : result
        case .times:
            let (result, overflows) = left.multipliedReportingOverflow(by: right)
            return overflows ? ((left < 0) == (right < 0) ? .max : .min) : result
        case .divided:
            if right == 0 { return nil }
            let (result, overflows) = left.dividedReportingOverflow(by: right)
            return overflows ? .max : result
        }
    }

    package func double(_ left: Double, _ right: Double) -> Double {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .divided: left / right
        }
    }

    private func decimal(_ left: DecimalNumber, _ right: DecimalNumber) -> DecimalNumber {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .divided: left / right
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
