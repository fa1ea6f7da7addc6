package import CausewayModel

/// The digits of numbers in a comparison that say more than the Doubles that its sides hold, by their places among the
/// operands of a side.
///
/// A number is the Double that is nearest to it, except against decimals: there its digits count. Only the schema tells
/// what a number is compared with, so both are kept until the predicate is bound.
package struct WrittenDigits: Hashable, Sendable {
    package var left: [Int: DecimalNumber] = [:]
    package var right: [Int: DecimalNumber] = [:]

    package var isEmpty: Bool { left.isEmpty && right.isEmpty }
}

extension Comparison {
    /// The comparison without digits beside it.
    ///
    /// - Parameter asDecimals: whether its numbers are to be the decimals that they were written as.
    func settled(asDecimals: Bool) -> Comparison {
        var settled = self
        settled.digits = WrittenDigits()
        guard asDecimals else { return settled }
        settled.left = left.withDecimals(digits.left)
        settled.right = right.withDecimals(digits.right)
        return settled
    }
}

extension Expression {
    fileprivate func withDecimals(_ digits: [Int: DecimalNumber]) -> Expression {
        func exact(_ values: [Value]) -> [Value] {
            values.enumerated().map { place, value in digits[place].map(Value.decimal) ?? value }
        }
        switch self {
        case .value(let value): return .value(exact([value])[0])
        case .values(let values): return .values(exact(values))
        case .quantified(let quantifier, let values): return .quantified(quantifier, exact(values))
        case .arithmetic(let arithmetic):
            var place = 0
            return .arithmetic(arithmetic.withDecimals(digits, &place))
        case .path, .subquery, .typeOf, .claim: return self
        }
    }
}

extension Arithmetic {
    /// Also a Double or Float that has all its digits becomes a decimal: 0.1 + 0.2 is 0.3 where decimals are compared.
    fileprivate func withDecimals(_ digits: [Int: DecimalNumber], _ place: inout Int) -> Arithmetic {
        switch self {
        case .operation(let left, let sign, let right):
            let left = left.withDecimals(digits, &place)
            return .operation(left, sign, right.withDecimals(digits, &place))
        case .path, .claim:
            place += 1
            return self
        case .value(let value):
            defer { place += 1 }
            switch value {
            case .double, .float:
                return (digits[place] ?? ValueComparison.decimal(value)).map { .value(.decimal($0)) } ?? self
            default: return self
            }
        }
    }
}
