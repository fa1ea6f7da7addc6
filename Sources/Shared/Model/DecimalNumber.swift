/// A number of IEEE 754-2008 decimal128: up to 34 decimal digits and an exponent, in the binary-integer form (BID) that
/// BSON and Realm use.
///
/// The bits keep what was written: `1.0` and `1.00` are equal numbers with different bits. High half, from the top: one
/// bit of sign, fourteen of exponent + 6176, forty-nine of coefficient; low half: the rest of the coefficient. A
/// coefficient of more than 34 digits stands for zero.
@usableFromInline
package struct DecimalNumber: Sendable {
    @usableFromInline package var high: UInt64
    @usableFromInline package var low: UInt64

    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The most digits of a coefficient.
    static let digitsMax = 34
    /// No coefficient reaches it: 10³⁴.
    static let coefficientEnd: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000
    static let exponentMin = -6176
    static let exponentMax = 6111

    package static let zero = DecimalNumber(isNegative: false, coefficient: 0, exponent: 0)
    package static let notANumber = DecimalNumber(high: 0x7C << 56, low: 0)
    package static let infinity = DecimalNumber(high: 0x78 << 56, low: 0)
    package static let greatestFinite = DecimalNumber(
        isNegative: false, coefficient: coefficientEnd - 1, exponent: exponentMax)
}

// MARK: - Bits

extension DecimalNumber {
    /// A finite number as `(-1)^isNegative × coefficient × 10^exponent`.
    struct Parts {
        var isNegative: Bool
        var coefficient: UInt128
        var exponent: Int
    }

    /// - Precondition: the parts are within the format's bounds.
    init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
        assert(coefficient < Self.coefficientEnd && (Self.exponentMin...Self.exponentMax).contains(exponent))
        let sign: UInt64 = isNegative ? 1 << 63 : 0
        high = sign | UInt64(exponent - Self.exponentMin) << 49 | UInt64(coefficient >> 64)
        low = UInt64(truncatingIfNeeded: coefficient)
    }

    package var isNaN: Bool { high & 0x7C << 56 == 0x7C << 56 }
    package var isSignalingNaN: Bool { high & 0x7E << 56 == 0x7E << 56 }
    package var isInfinite: Bool { high & 0x7C << 56 == 0x78 << 56 }
    package var isFinite: Bool { high & 0x78 << 56 != 0x78 << 56 }
    package var isNegative: Bool { high >> 63 == 1 }
    package var isZero: Bool { isFinite && parts.coefficient == 0 }

    package var magnitude: DecimalNumber { DecimalNumber(high: high & .max >> 1, low: low) }

    package static prefix func - (number: DecimalNumber) -> DecimalNumber {
        DecimalNumber(high: number.high ^ 1 << 63, low: number.low)
    }

    /// - Precondition: the number is finite.
    var parts: Parts {
        guard high & 0x60 << 56 != 0x60 << 56 else {
            // The form for coefficients of 2¹¹³ and more, all of which are too large.
            return Parts(
                isNegative: isNegative, coefficient: 0, exponent: Int(high >> 47 & 0x3FFF) + Self.exponentMin)
        }
        let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return Parts(
            isNegative: isNegative, coefficient: coefficient < Self.coefficientEnd ? coefficient : 0,
            exponent: Int(high >> 49 & 0x3FFF) + Self.exponentMin)
    }
}

// MARK: - Order

extension DecimalNumber: Hashable, Comparable {
    /// A number for each value, ascending as the values do: equal for equal values however they are written, least for
    /// NaN, and the same for both zeros.
    ///
    /// Fourteen bits hold the place of the first digit, before or after the point; the rest are the digits, filled to
    /// 34.
    package var orderedBits: UInt128 {
        if isNaN { return 0 }
        let positive: UInt128 = 1 << 127
        guard isFinite else { return isNegative ? ~(positive | 0x3FFF << 113) : positive | 0x3FFF << 113 }
        let parts = parts
        guard parts.coefficient != 0 else { return positive }
        let digits = DecimalDigits.count(parts.coefficient)
        let magnitude =
            UInt128(parts.exponent - Self.exponentMin + digits) << 113
            | parts.coefficient * DecimalDigits.power(Self.digitsMax - digits)
        return parts.isNegative ? ~(positive | magnitude) : positive | magnitude
    }

    /// As IEEE 754 has it: NaN equals nothing, and zero has no sign.
    @usableFromInline
    package static func == (left: DecimalNumber, right: DecimalNumber) -> Bool {
        !left.isNaN && left.orderedBits == right.orderedBits
    }

    /// As IEEE 754 has it: NaN has no order. A sort goes by `orderedBits`, where it is the least.
    @usableFromInline
    package static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        !left.isNaN && !right.isNaN && left.orderedBits < right.orderedBits
    }

    // The defaults of `Comparable` negate `<`, so they would be true for NaN.

    @usableFromInline
    package static func <= (left: DecimalNumber, right: DecimalNumber) -> Bool {
        !left.isNaN && !right.isNaN && left.orderedBits <= right.orderedBits
    }

    @usableFromInline
    package static func >= (left: DecimalNumber, right: DecimalNumber) -> Bool {
        right <= left
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(orderedBits)
    }

    /// Bit equality: tells 1.0 from 1.00, and a NaN equals itself.
    package func hasSameBits(as other: DecimalNumber) -> Bool {
        high == other.high && low == other.low
    }
}

/// Powers of ten, and how many digits a number has.
enum DecimalDigits {
    /// 10³⁸ is the largest that 128 bits hold.
    static let powerMax = 38

    private static let powers: [UInt128] = {
        var powers: [UInt128] = [1]
        for _ in 0..<powerMax { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()

    /// - Parameter exponent: from 0 to 38.
    static func power(_ exponent: Int) -> UInt128 {
        powers[exponent]
    }

    /// The number of digits; 1 for zero.
    static func count(_ number: UInt128) -> Int {
        // 1233 / 4096 is a little more than log₁₀ 2, so the estimate is right or one too small.
        let estimate = ((128 - number.leadingZeroBitCount) * 1233) >> 12
        guard estimate <= powerMax else { return estimate }
        return number >= powers[estimate] ? estimate + 1 : max(estimate, 1)
    }
}
