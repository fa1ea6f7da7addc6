extension DecimalNumber {
    package init(_ value: Int64) {
        self.init(isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
    }

    /// The decimal nearest to a Double's exact value: 0.1 is 0.1000000000000000055511151231257827.
    package init(nearest value: Double) {
        guard value.isFinite else {
            self = value.isNaN ? .notANumber : value < 0 ? -.infinity : .infinity
            return
        }
        guard value != 0 else {
            self.init(isNegative: value.sign == .minus, coefficient: 0, exponent: 0)
            return
        }
        // Without its trailing zero bits the significand is odd, so a negative power of two adds no digits too many.
        let significand = value.significandBitPattern | (value.isNormal ? 1 << 52 : 0)
        let shift = significand.trailingZeroBitCount
        let power = (value.isNormal ? Int(value.exponentBitPattern) - 1075 : -1074) + shift
        // m × 2^p, or for negative p m × 5^-p × 10^p.
        var digits = BigDigits(significand >> UInt64(shift))
        for _ in 0..<abs(power) { digits.multiply(by: power > 0 ? 2 : 5) }
        var reader = DigitReader()
        digits.forEach { reader.append($0) }
        reader.exponent += min(0, power)
        self = reader.number(isNegative: value.sign == .minus)
    }

    /// The shortest decimal to which no other Double is nearer, as Swift prints it: 0.1 is 0.1.
    package init(reading value: Double) {
        self = DecimalNumber(value.description)?.withoutPointZero ?? DecimalNumber(nearest: value)
    }

    /// The same for a Float: 0.1 is 0.1 and not 0.100000001490116….
    package init(reading value: Float) {
        self = DecimalNumber(value.description)?.withoutPointZero ?? DecimalNumber(nearest: Double(value))
    }

    /// The number without the `.0` that Swift prints after a whole number.
    private var withoutPointZero: DecimalNumber {
        guard isFinite else { return self }
        let parts = parts
        guard parts.exponent == -1, parts.coefficient.isMultiple(of: 10) else { return self }
        return DecimalNumber(isNegative: parts.isNegative, coefficient: parts.coefficient / 10, exponent: 0)
    }

    /// The nearest Double.
    package var double: Double {
        if isNaN { return .nan }
        guard isFinite else { return isNegative ? -.infinity : .infinity }
        return Double(description) ?? .nan
    }

    /// The largest integer that is not greater; nil if no Int64 holds it.
    package var roundedDown: Int64? {
        guard isFinite else { return nil }
        let parts = parts
        guard parts.coefficient != 0 else { return 0 }
        guard parts.exponent + DecimalDigits.count(parts.coefficient) <= 19 else { return nil }
        guard parts.exponent < 0 else {
            return Self.int64(parts.coefficient * DecimalDigits.power(parts.exponent), parts.isNegative)
        }
        guard -parts.exponent <= DecimalDigits.powerMax else { return parts.isNegative ? -1 : 0 }
        let (whole, rest) = parts.coefficient.quotientAndRemainder(
            dividingBy: DecimalDigits.power(-parts.exponent))
        return Self.int64(parts.isNegative && rest != 0 ? whole + 1 : whole, parts.isNegative)
    }

    private static func int64(_ magnitude: UInt128, _ isNegative: Bool) -> Int64? {
        guard magnitude <= 1 << 63 else { return nil }
        let value = Int128(magnitude)
        return Int64(exactly: isNegative ? -value : value)
    }
}

extension Int64 {
    /// Nil for fractions and for what is too large.
    package init?(exactly number: DecimalNumber) {
        guard let whole = number.roundedDown, DecimalNumber(whole) == number else { return nil }
        self = whole
    }
}

/// An integer as large as any finite Double's, in groups of nine digits, the lowest first.
private struct BigDigits {
    private var groups: [UInt32]

    init(_ value: UInt64) {
        groups = []
        var rest = value
        while rest > 0 {
            groups.append(UInt32(rest % 1_000_000_000))
            rest /= 1_000_000_000
        }
    }

    mutating func multiply(by factor: UInt64) {
        var carry: UInt64 = 0
        for index in groups.indices {
            let product = UInt64(groups[index]) * factor + carry
            groups[index] = UInt32(product % 1_000_000_000)
            carry = product / 1_000_000_000
        }
        if carry > 0 { groups.append(UInt32(carry)) }
    }

    /// From the first digit to the last.
    func forEach(_ body: (UInt8) -> Void) {
        for group in groups.reversed() {
            var unit: UInt32 = 100_000_000
            while unit > 0 {
                body(UInt8(group / unit % 10))
                unit /= 10
            }
        }
    }
}
