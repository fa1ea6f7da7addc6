package import CausewayModel

// MARK: - Values as text

extension Value {
    /// The value as a literal of the grammar, which reads back as the same value.
    ///
    /// A row key means nothing outside its file: `object` is written for people to read, and the parser refuses it.
    /// Before a predicate travels, `Predicate.mappingValues` turns row keys into links.
    package var literalText: String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .float(let value): Self.text(value.isNaN, value.isInfinite, value.sign, "\(value)") + "f"
        case .double(let value): Self.text(value.isNaN, value.isInfinite, value.sign, "\(value)")
        case .string(let value): Literal.quoted(value, with: "'")
        case .bytes(let value): "B64\"\(Base64.encode(value))\""
        case .timestamp(let value): "T\(value.seconds):\(value.nanoseconds)"
        case .objectId(let value): "oid(\(value.hexadecimal))"
        case .uuid(let value): "uuid(\(value.hyphenated))"
        case .object(let key): "object(\(key.rawValue))"
        case .link(let key): "link(\(key.literalText))"
        case .decimal(let value): "decimal(\(value))"
        case .anyObject(let object): "object(\(object.classNumber):\(object.key.rawValue))"
        case .anyLink(let link): "link(\(Literal.quoted(link.className, with: "'")), \(link.key.literalText))"
        }
    }

    private static func text(
        _ isNaN: Bool, _ isInfinite: Bool, _ sign: FloatingPointSign, _ finite: String
    ) -> String {
        if isNaN { return "nan" }
        if isInfinite { return sign == .minus ? "-inf" : "inf" }
        return finite
    }

    /// The value as RealmSwift shows it, cut to a bounded length. For errors.
    package var shown: String {
        let text =
            switch self {
            case .string(let value): value
            case .objectId(let value): value.hexadecimal
            case .uuid(let value): value.hyphenated
            case .decimal(let value): value.description
            default: literalText
            }
        guard text.unicodeScalars.count > QueryLimits.shownValueCharacters else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(QueryLimits.shownValueCharacters))) + "…"
    }
}

extension PrimaryKey {
    /// The inside of `link(…)`.
    fileprivate var literalText: String {
        switch self {
        case .container(let id): "container(\(id.client.rawValue):\(id.counter))"
        default: (value ?? .null).literalText
        }
    }
}

extension ObjectIdentifier12 {
    /// Twenty-four lowercase digits.
    package var hexadecimal: String {
        Hexadecimal.text(high, digits: 16) + Hexadecimal.text(UInt64(low), digits: 8)
    }

    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 24, let high = Hexadecimal.number(digits[0..<16]),
            let low = Hexadecimal.number(digits[16..<24])
        else { return nil }
        self.init(high: high, low: UInt32(low))
    }
}

extension UUID16 {
    /// 8-4-4-4-12 lowercase digits.
    package var hyphenated: String {
        let digits = Hexadecimal.text(high, digits: 16) + Hexadecimal.text(low, digits: 16)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    package init?(hyphenated text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36, [8, 13, 18, 23].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
        let digits = bytes.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32, let high = Hexadecimal.number(digits[0..<16]),
            let low = Hexadecimal.number(digits[16..<32])
        else { return nil }
        self.init(high: high, low: low)
    }
}

// MARK: - Parts of literals

enum Literal {
    /// The text in quotes. Quotes, backslashes and control characters are escaped; everything else stands as it is.
    static func quoted(_ text: String, with quote: Unicode.Scalar) -> String {
        var result = String(Character(quote))
        for scalar in text.unicodeScalars {
            switch scalar {
            case quote, "\\": result += "\\" + String(Character(scalar))
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u" + Hexadecimal.text(UInt64(scalar.value), digits: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + String(Character(quote))
    }
}

package enum Hexadecimal {
    package static func text(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// Reads one to sixteen digits; nil for anything else.
    static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 16 else { return nil }
        var number: UInt64 = 0
        for byte in digits {
            guard let digit = digit(byte) else { return nil }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    package static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// RFC 4648 base 64, with padding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group = UInt32(bytes[start]) << 16
            if count > 1 { group |= UInt32(bytes[start + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[start + 2]) }
            for index in 0..<4 {
                let digit = alphabet[Int(group >> UInt32(18 - 6 * index) & 63)]
                text.append(index <= count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for anything but whole groups of four with the right padding and no stray bits.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var bits = 0
        for byte in text.dropLast(padding) {
            guard let digit = digit(byte) else { return nil }
            group = group << 6 | digit
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= (1 << UInt32(bits)) - 1
            }
        }
        return group == 0 ? bytes : nil
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
