import CausewayModel

/// Decimals, all of 32, 64 or 128 bits. A leaf of width 0 holds only zeros if it has the context flag, and else only nulls.
struct DecimalLeaf: Leaf {
    let node: Node

    var count: Int { node.count }

    func value(_ index: Int) throws -> RealmValue {
        try node.check(index)
        guard node.layout == .bytes else { throw node.damaged("the node holds no decimals") }
        switch node.width {
        case 0: return node.hasContext ? .plain(.decimal(.zero)) : .null
        case 4: return short(node.file.number(at: try node.place(of: index, bytes: 4), as: UInt32.self))
        case 8: return medium(node.file.number(at: try node.place(of: index, bytes: 8), as: UInt64.self))
        case 16:
            let place = try node.place(of: index, bytes: 16)
            let (low, high): (UInt64, UInt64) = (node.file.number(at: place), node.file.number(at: place + 8))
            return Self.isNull(high: high, low: low) ? .null : .plain(.decimal(DecimalNumber(high: high, low: low)))
        default: throw node.damaged("decimals have no width of \(node.width) bytes")
        }
    }

    /// Null is one NaN of all.
    private static func isNull(high: UInt64, low: UInt64) -> Bool { high == 0x7C << 56 && low == 0xAA }

    // BID32 and BID64 have the same parts as BID128: a sign, an exponent, a coefficient. With the two bits below the sign set, the
    // exponent begins two bits lower and the coefficient has an implied part.

    private func short(_ bits: UInt32) -> RealmValue {
        let sign = UInt64(bits >> 31) << 63
        if bits & 0x7800_0000 == 0x7800_0000 {
            return special(UInt64(bits >> 24) << 56, payload: UInt64(bits & 0xFFFFF))
        }
        let isLarge = bits & 0x6000_0000 == 0x6000_0000
        let exponent = Int(bits >> (isLarge ? 21 : 23) & 0xFF) - 101
        let coefficient = isLarge ? bits & 0x1F_FFFF | 0x80_0000 : bits & 0x7F_FFFF
        return Self.decimal(sign, UInt64(coefficient), exponent, coefficientMax: 9_999_999)
    }

    private func medium(_ bits: UInt64) -> RealmValue {
        if bits & 0x78 << 56 == 0x78 << 56 { return special(bits & 0xFF << 56, payload: bits & 0x3_FFFF_FFFF_FFFF) }
        let isLarge = bits & 0x60 << 56 == 0x60 << 56
        let exponent = Int(bits >> (isLarge ? 51 : 53) & 0x3FF) - 398
        let coefficient = isLarge ? bits & (1 << 51 - 1) | 1 << 53 : bits & (1 << 53 - 1)
        return Self.decimal(bits & 1 << 63, coefficient, exponent, coefficientMax: 9_999_999_999_999_999)
    }

    private func special(_ high: UInt64, payload: UInt64) -> RealmValue {
        let isNaN = high & 0x7C << 56 == 0x7C << 56
        if isNaN, high >> 63 == 0, payload == 0xAA { return .null }
        return .plain(.decimal(DecimalNumber(high: high & (isNaN ? 0xFC << 56 : 0xF8 << 56), low: 0)))
    }

    private static func decimal(
        _ sign: UInt64, _ coefficient: UInt64, _ exponent: Int, coefficientMax: UInt64
    ) -> RealmValue {
        // As IEEE 754 has it, a coefficient with too many digits stands for zero.
        let low = coefficient > coefficientMax ? 0 : coefficient
        return .plain(.decimal(DecimalNumber(high: sign | UInt64(exponent + 6176) << 49, low: low)))
    }
}
