// Every result is the exact one rounded once: to 34 digits, to the nearest, ties to even; beyond the largest exponent
// to infinity, below the smallest to fewer digits. Its exponent is the one IEEE 754 prefers, so that 1.20 + 1.3 is
// 2.50.

extension DecimalNumber {
    /// The number nearest to `coefficient × 10^exponent`.
    ///
    /// - Parameter hasRest: whether the exact value is a little more than that, by less than one of the last place. The
    ///   coefficient then has more than 34 digits, or is rounded for its exponent anyway.
    init(rounding coefficient: UInt128, exponent: Int, hasRest: Bool = false, isNegative: Bool) {
        var coefficient = coefficient
        var exponent = exponent
        let excess = max(DecimalDigits.count(coefficient) - Self.digitsMax, Self.exponentMin - exponent)
        if excess > 0 {
            coefficient = Self.rounded(coefficient, dropping: excess, hasRest: hasRest)
            exponent += excess
            if coefficient == Self.coefficientEnd {
                coefficient /= 10
                exponent += 1
            }
        }
        if coefficient == 0 {
            exponent = min(exponent, Self.exponentMax)
        } else if exponent > Self.exponentMax {
            let filling = exponent - Self.exponentMax
            guard filling <= Self.digitsMax - DecimalDigits.count(coefficient) else {
                self = isNegative ? -.infinity : .infinity
                return
            }
            coefficient *= DecimalDigits.power(filling)
            exponent = Self.exponentMax
        }
        self.init(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
    }

    /// Half to even.
    private static func rounded(_ coefficient: UInt128, dropping count: Int, hasRest: Bool) -> UInt128 {
        // Dropping 39 digits or more leaves 0: no coefficient reaches half of 10³⁹.
        guard count <= DecimalDigits.powerMax else { return 0 }
        let unit = DecimalDigits.power(count)
        let (kept, dropped) = coefficient.quotientAndRemainder(dividingBy: unit)
        let half = unit / 2
        let isUp = dropped > half || dropped == half && (hasRest || !kept.isMultiple(of: 2))
        return isUp ? kept + 1 : kept
    }

    package static func + (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
        guard left.isFinite, right.isFinite else {
            if left.isNaN || right.isNaN { return .notANumber }
            if left.isInfinite, right.isInfinite, left.isNegative != right.isNegative { return .notANumber }
            // Not the operand itself: infinities differ in bits that mean nothing, and a sum has no order.
            return (left.isInfinite ? left : right).isNegative ? -.infinity : .infinity
        }
        let (one, other) = (left.parts, right.parts)
        return one.exponent >= other.exponent ? sum(one, other) : sum(other, one)
    }

    package static func - (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
        left + -right
    }

    /// - Parameters:
    ///   - upper: the one with the larger exponent.
    ///   - lower: the other.
    private static func sum(_ upper: Parts, _ lower: Parts) -> DecimalNumber {
        guard upper.coefficient != 0 else {
            let isNegative =
                lower.coefficient == 0 ? upper.isNegative && lower.isNegative : lower.isNegative
            return DecimalNumber(isNegative: isNegative, coefficient: lower.coefficient, exponent: lower.exponent)
        }
        // The upper number is scaled to the lower's exponent, or as far as 38 digits reach. The digits of the lower one
        // below that only decide a rounding: a result keeps four digits fewer than stand above them.
        let distance = upper.exponent - lower.exponent
        let shift = min(distance, DecimalDigits.powerMax - DecimalDigits.count(upper.coefficient))
        let first = upper.coefficient * DecimalDigits.power(shift)
        let dropped = distance - shift
        let isBelow = dropped > DecimalDigits.powerMax
        let unit = isBelow ? 1 : DecimalDigits.power(dropped)
        var second = isBelow ? 0 : lower.coefficient / unit
        let hasRest = isBelow ? lower.coefficient != 0 : lower.coefficient % unit != 0
        let exponent = upper.exponent - shift
        if upper.isNegative == lower.isNegative {
            return DecimalNumber(
                rounding: first + second, exponent: exponent, hasRest: hasRest, isNegative: upper.isNegative)
        }
        // Subtracting one more leaves a little less than the exact value, which is what `hasRest` says.
        if hasRest { second += 1 }
        if first >= second {
            return DecimalNumber(
                rounding: first - second, exponent: exponent, hasRest: hasRest,
                isNegative: first != second && upper.isNegative)
        }
        return DecimalNumber(
            rounding: second - first, exponent: exponent, isNegative: lower.isNegative)
    }

    package static func * (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
        let isNegative = left.isNegative != right.isNegative
        guard left.isFinite, right.isFinite else {
            if left.isNaN || right.isNaN || left.isZero || right.isZero { return .notANumber }
            return isNegative ? -.infinity : .infinity
        }
        let (one, other) = (left.parts, right.parts)
        let exponent = one.exponent + other.exponent
        let product = one.coefficient.multipliedFullWidth(by: other.coefficient)
        guard product.high != 0 else {
            return DecimalNumber(rounding: product.low, exponent: exponent, isNegative: isNegative)
        }
        // 39 to 68 digits: 37 or 38 are enough to round.
        let dropped =
            DecimalDigits.count(one.coefficient) + DecimalDigits.count(other.coefficient) - DecimalDigits.powerMax
        let (kept, rest) = DecimalDigits.power(dropped).dividingFullWidth(product)
        return DecimalNumber(
            rounding: kept, exponent: exponent + dropped, hasRest: rest != 0, isNegative: isNegative)
    }

    /// A number divided by zero is infinite; zero divided by zero is NaN.
    package static func / (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
        let isNegative = left.isNegative != right.isNegative
        guard left.isFinite, right.isFinite else {
            if left.isNaN || right.isNaN || left.isInfinite && right.isInfinite { return .notANumber }
            if left.isInfinite { return isNegative ? -.infinity : .infinity }
            return DecimalNumber(isNegative: isNegative, coefficient: 0, exponent: exponentMin)
        }
        let (dividend, divisor) = (left.parts, right.parts)
        let preferred = dividend.exponent - divisor.exponent
        guard divisor.coefficient != 0 else {
            return dividend.coefficient == 0 ? .notANumber : isNegative ? -.infinity : .infinity
        }
        guard dividend.coefficient != 0 else {
            return DecimalNumber(rounding: 0, exponent: preferred, isNegative: isNegative)
        }
        // Filled up so that the quotient has from 36 to 38 digits.
        let filling = DecimalDigits.powerMax - DecimalDigits.count(dividend.coefficient)
        let more = max(0, DecimalDigits.count(divisor.coefficient) - 2)
        let filled = (dividend.coefficient * DecimalDigits.power(filling))
            .multipliedFullWidth(by: DecimalDigits.power(more))
        var (quotient, rest) = divisor.coefficient.dividingFullWidth(filled)
        var exponent = preferred - filling - more
        while rest == 0, exponent < preferred, quotient.isMultiple(of: 10) {
            quotient /= 10
            exponent += 1
        }
        return DecimalNumber(rounding: quotient, exponent: exponent, hasRest: rest != 0, isNegative: isNegative)
    }
}
