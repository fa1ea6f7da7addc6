/// An amount, exactly: a fraction, an infinity or NaN. It shares nothing with the numbers of the product.
package enum PlainNumber: Hashable, Sendable {
    /// Reduced, over a positive number.
    case fraction(Int128, over: Int128)
    case infinity(isNegative: Bool)
    case notANumber

    package init(_ integer: Int) { self = .fraction(Int128(integer), over: 1) }

    package init(_ numerator: Int128, over denominator: Int128) {
        precondition(denominator > 0, "a fraction is over a positive number")
        let divisor = Self.divisor(numerator.magnitude, denominator.magnitude)
        self = .fraction(numerator / Int128(divisor), over: denominator / Int128(divisor))
    }

    /// The amount that a Double is.
    package init(_ value: Double) {
        if value.isNaN {
            self = .notANumber
        } else if value.isInfinite {
            self = .infinity(isNegative: value < 0)
        } else {
            var (numerator, denominator) = (value, Int128(1))
            while numerator != numerator.rounded() {
                numerator *= 2
                denominator *= 2
            }
            self.init(Int128(numerator), over: denominator)
        }
    }

    private static func divisor(_ left: UInt128, _ right: UInt128) -> UInt128 {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return max(left, 1)
    }

    /// The nearest Double, for amounts whose parts a Double holds.
    package var double: Double {
        switch self {
        case .fraction(let numerator, let denominator): Double(numerator) / Double(denominator)
        case .infinity(let isNegative): isNegative ? -.infinity : .infinity
        case .notANumber: .nan
        }
    }

    package var isNaN: Bool { self == .notANumber }

    /// Below 0, 0 or above, as the left amount is below the right one, equal or above; nil beside a NaN.
    package static func order(_ left: PlainNumber, _ right: PlainNumber) -> Int? {
        switch (left, right) {
        case (.notANumber, _), (_, .notANumber): return nil
        case (.infinity(let left), .infinity(let right)): return left == right ? 0 : left ? -1 : 1
        case (.infinity(let isNegative), _): return isNegative ? -1 : 1
        case (_, .infinity(let isNegative)): return isNegative ? 1 : -1
        case (.fraction(let left, let leftOver), .fraction(let right, let rightOver)):
            let first = left.multipliedFullWidth(by: rightOver)
            let second = right.multipliedFullWidth(by: leftOver)
            if first.high != second.high { return first.high < second.high ? -1 : 1 }
            return first.low == second.low ? 0 : first.low < second.low ? -1 : 1
        }
    }

    // MARK: - Arithmetic

    package enum Sign: String, CaseIterable, Sendable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divided = "/"
    }

    /// - Parameter areIntegers: whether both are ints, whose quotient is cut towards zero; nil for one by zero.
    package static func result(
        _ left: PlainNumber, _ sign: Sign, _ right: PlainNumber, areIntegers: Bool
    ) -> PlainNumber? {
        guard case (.fraction(let first, let firstOver), .fraction(let second, let secondOver)) = (left, right) else {
            return beyond(left, sign, right)
        }
        switch sign {
        case .plus: return PlainNumber(first * secondOver + second * firstOver, over: firstOver * secondOver)
        case .minus: return PlainNumber(first * secondOver - second * firstOver, over: firstOver * secondOver)
        case .times: return PlainNumber(first * second, over: firstOver * secondOver)
        case .divided where second == 0:
            if areIntegers { return nil }
            return first == 0 ? .notANumber : .infinity(isNegative: first < 0)
        case .divided where areIntegers: return PlainNumber(first / second, over: 1)
        case .divided:
            let isNegative = second < 0
            return PlainNumber((isNegative ? -1 : 1) * first * secondOver, over: firstOver * Int128(second.magnitude))
        }
    }

    /// Of amounts that are no fractions Doubles say enough.
    private static func beyond(_ left: PlainNumber, _ sign: Sign, _ right: PlainNumber) -> PlainNumber {
        let (left, right) = (left.double, right.double)
        return switch sign {
        case .plus: PlainNumber(left + right)
        case .minus: PlainNumber(left - right)
        case .times: PlainNumber(left * right)
        case .divided: PlainNumber(left / right)
        }
    }
}

extension PlainNumber {
    /// The digits of a fraction over a power of ten, the name of anything else.
    package var text: String {
        guard case .fraction(let numerator, let denominator) = self else { return "\(double)" }
        let unit: Int128 = 10_000_000_000_000_000_000
        let scaled = numerator.magnitude * (UInt128(unit) / UInt128(denominator))
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: UInt128(unit))
        var digits = String(rest)
        digits = String(repeating: "0", count: 19 - digits.count) + digits
        while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
        return (numerator < 0 ? "-" : "") + "\(whole).\(digits)"
    }

    package var integer: Int? {
        if case .fraction(let numerator, 1) = self { Int(exactly: numerator) } else { nil }
    }
}
