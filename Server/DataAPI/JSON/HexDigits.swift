import CausewayModel

/// Hexadecimal digits, two a byte.
enum HexDigits {
    static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    static func text(_ byte: UInt8) -> [UInt8] {
        [digit(byte >> 4), digit(byte & 15)]
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The number in small digits, with all its leading zeros.
    static func text<Number: FixedWidthInteger>(of number: Number) -> String {
        let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return String(decoding: bytes.flatMap(text), as: UTF8.self)
    }

    /// The number that all digits of a text spell; nil if there are others than hexadecimal ones, or more or fewer than
    /// the number has.
    static func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type, _ text: some Sequence<UInt8>
    ) -> Number? {
        var number: Number = 0
        var count = 0
        for byte in text {
            guard let digit = value(byte), count < Number.bitWidth / 4 else { return nil }
            number = number << 4 | Number(digit)
            count += 1
        }
        return count == Number.bitWidth / 4 ? number : nil
    }
}

extension ObjectIdentifier12 {
    /// 24 hexadecimal digits.
    init?(hex text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 24, let high = HexDigits.number(UInt64.self, digits[..<16]),
            let low = HexDigits.number(UInt32.self, digits[16...])
        else { return nil }
        self.init(high: high, low: low)
    }

    var hex: String { HexDigits.text(of: high) + HexDigits.text(of: low) }
}

extension UUID16 {
    /// `6ba7b810-9dad-11d1-80b4-00c04fd430c8`, in letters of either case.
    init?(hex text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12],
            let high = HexDigits.number(UInt64.self, parts[0...2].joined()),
            let low = HexDigits.number(UInt64.self, parts[3...4].joined())
        else { return nil }
        self.init(high: high, low: low)
    }

    var hex: String {
        let digits = Array((HexDigits.text(of: high) + HexDigits.text(of: low)).utf8)
        let ends = [0, 8, 12, 16, 20, 32]
        return zip(ends, ends.dropFirst()).map { String(decoding: digits[$0..<$1], as: UTF8.self) }
            .joined(separator: "-")
    }
}
