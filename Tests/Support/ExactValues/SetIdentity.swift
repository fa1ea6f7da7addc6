package import CausewayModel

/// Which element of a set a value is, written out: of one kind, numbers that are equal are one element however they are
/// written, and so are all NaNs. Anything else is what its bytes are.
package struct SetIdentity: Hashable, Sendable {
    private enum Element: Hashable, Sendable {
        case exact(ExactValue)
        case double(bits: UInt64)
        case float(bits: UInt32)
        case decimal(isNegative: Bool, digits: UInt128, exponent: Int)
        case decimalInfinity(isNegative: Bool)
        case decimalNaN
    }

    private let element: Element

    package init(_ value: Value) {
        element =
            switch value {
            case .double(let number): .double(bits: number.isNaN ? .max : number == 0 ? 0 : number.bitPattern)
            case .float(let number): .float(bits: number.isNaN ? .max : number == 0 ? 0 : number.bitPattern)
            case .decimal(let number): Self.decimal(number.high, number.low)
            default: .exact(ExactValue(value))
            }
    }

    /// The first 17 bits are the sign, and the exponent or what stands in its place; IEEE 754-2008, section 3.5.2.
    private static func decimal(_ high: UInt64, _ low: UInt64) -> Element {
        let isNegative = high >> 63 == 1
        switch high >> 58 & 0x1F {
        case 0x1F: return .decimalNaN
        case 0x1E: return .decimalInfinity(isNegative: isNegative)
        default: break
        }
        // A coefficient of more than 34 digits is zero, and all coefficients of the second form are.
        var digits = high >> 61 & 3 == 3 ? 0 : UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        if String(digits).utf8.count > 34 { digits = 0 }
        guard digits != 0 else { return .decimal(isNegative: false, digits: 0, exponent: 0) }
        var exponent = Int(high >> 49 & 0x3FFF)
        while digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
        return .decimal(isNegative: isNegative, digits: digits, exponent: exponent)
    }
}
