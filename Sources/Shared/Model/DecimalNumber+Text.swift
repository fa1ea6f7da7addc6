extension DecimalNumber: CustomStringConvertible, LosslessStringConvertible {
    /// `1.50`, `1E+3`, `-0`, `Infinity`, `NaN`: all digits, and an exponent where plain digits would need zeros that
    /// the number does not have. Reads back as the same bits, but for the payload of a NaN.
    @usableFromInline
    package var description: String {
        if isNaN { return isSignalingNaN ? "sNaN" : "NaN" }
        let sign = isNegative ? "-" : ""
        guard isFinite else { return sign + "Infinity" }
        let parts = parts
        let digits = String(parts.coefficient)
        let count = digits.utf8.count
        // Where the first digit stands: 0 is the place of ones.
        let first = parts.exponent + count - 1
        if parts.exponent <= 0, first >= -6 {
            guard parts.exponent < 0 else { return sign + digits }
            guard first >= 0 else { return sign + "0." + String(repeating: "0", count: -first - 1) + digits }
            return sign + digits.prefix(first + 1) + "." + digits.dropFirst(first + 1)
        }
        let point = count > 1 ? "." + digits.dropFirst() : ""
        return sign + digits.prefix(1) + point + "E" + (first < 0 ? "" : "+") + String(first)
    }

    /// The number that a text names, rounded to 34 digits: `12`, `-1.5`, `.5`, `1E+3`, `inf`, `Infinity`, `NaN`, in any
    /// letter case; nil for any other text.
    @usableFromInline
    package init?(_ text: String) {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        if let first = rest.first, first | 0x20 > UInt8(ascii: "a") {
            switch String(Substring(rest)).lowercased() {
            case "nan": self = .notANumber
            case "snan": self = DecimalNumber(high: 0x7E << 56, low: 0)
            case "inf", "infinity": self = isNegative ? -.infinity : .infinity
            default: return nil
            }
            return
        }
        var digits = DigitReader()
        var hasDigits = false
        var isAfterPoint = false
        while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
            rest.removeFirst()
            if byte == UInt8(ascii: "."), !isAfterPoint {
                isAfterPoint = true
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            hasDigits = true
            digits.append(byte - UInt8(ascii: "0"), isAfterPoint: isAfterPoint)
        }
        guard hasDigits else { return nil }
        if !rest.isEmpty {
            guard let exponent = Self.exponent(rest.dropFirst()) else { return nil }
            digits.exponent += exponent
        }
        self = digits.number(isNegative: isNegative)
    }

    /// Stops counting beyond 2⁴⁰: no text has enough digits for a larger exponent to make a difference.
    private static func exponent(_ text: Substring.UTF8View) -> Int? {
        var rest = text
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard !rest.isEmpty else { return nil }
        var exponent = 0
        for byte in rest {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            if exponent < 1 << 40 { exponent = exponent * 10 + Int(byte - UInt8(ascii: "0")) }
        }
        return isNegative ? -exponent : exponent
    }
}

/// Collects digits from the first to the last: as many as decide the number, and whether a later one is not zero.
struct DigitReader {
    private var coefficient: UInt128 = 0
    private var hasRest = false
    /// The exponent of the last digit in the coefficient.
    var exponent = 0

    mutating func append(_ digit: UInt8, isAfterPoint: Bool = false) {
        guard coefficient < DecimalDigits.power(37) else {
            // 38 digits are four more than a number keeps.
            if digit != 0 { hasRest = true }
            if !isAfterPoint { exponent += 1 }
            return
        }
        coefficient = coefficient * 10 + UInt128(digit)
        if isAfterPoint { exponent -= 1 }
    }

    func number(isNegative: Bool) -> DecimalNumber {
        DecimalNumber(rounding: coefficient, exponent: exponent, hasRest: hasRest, isNegative: isNegative)
    }
}
