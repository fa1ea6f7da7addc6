import CausewayQuery
import CausewayModel

/// Reads JSON by RFC 8259, and nothing more: no comments, no trailing commas, no `NaN`, no byte-order mark. Refuses text
/// that is not UTF-8, half surrogates, and objects that name a member twice.
///
/// - Complexity: linear in the bytes; the depth and the number of values are bounded.
package struct JSONReader {
    /// Bounds of one text.
    package struct Bounds: Hashable, Sendable {
        package var depth = 128
        package var values = 200_000
        /// A number with more digits is longer than any that is stored.
        package var numberBytes = 400

        package init() {}
    }

    /// Why a text is not read, and where.
    package struct Failure: Error, Hashable, Sendable {
        package var reason: String
        package var offset: Int
    }

    private let bytes: [UInt8]
    private let bounds: Bounds
    private var offset = 0
    private var values = 0

    private init(_ bytes: [UInt8], _ bounds: Bounds) {
        self.bytes = bytes
        self.bounds = bounds
    }

    package static func read(_ bytes: [UInt8], bounds: Bounds = Bounds()) throws(Failure) -> JSON {
        var reader = JSONReader(bytes, bounds)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.offset == bytes.count else { throw reader.failure("more text follows the value") }
        return value
    }

    private func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: offset) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// - Postcondition: the byte is passed.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> JSON {
        skipSpace()
        values += 1
        guard values <= bounds.values else { throw failure("there are more than \(bounds.values) values") }
        guard depth <= bounds.depth else { throw failure("values nest more than \(bounds.depth) deep") }
        switch next {
        case UInt8(ascii: "{")?: return try object(depth: depth)
        case UInt8(ascii: "[")?: return try array(depth: depth)
        case UInt8(ascii: "\"")?: return .string(try string())
        case UInt8(ascii: "t")?: return try word("true", .bool(true))
        case UInt8(ascii: "f")?: return try word("false", .bool(false))
        case UInt8(ascii: "n")?: return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return .number(try number())
        case nil: throw failure("the text ends where a value is expected")
        default: throw failure("no value begins like this")
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws(Failure) -> JSON {
        guard bytes[offset...].starts(with: word.utf8) else { throw failure("no value begins like this") }
        offset += word.utf8.count
        return value
    }

    private mutating func array(depth: Int) throws(Failure) -> JSON {
        offset += 1
        var elements: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw failure("a comma or ] is expected") }
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSON {
        offset += 1
        var members: [JSON.Member] = []
        var names: Set<ExactString> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("the name of a member is expected") }
            let name = try string()
            guard names.insert(ExactString(name)).inserted else { throw failure("an object names a member twice") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw failure("a colon is expected") }
            members.append(JSON.Member(name, try value(depth: depth + 1)))
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw failure("a comma or } is expected") }
        }
    }

    // MARK: - Numbers

    private mutating func number() throws(Failure) -> String {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            if let byte = next, Self.isDigit(byte) { throw failure("a number begins with a zero") }
        } else {
            try digits()
        }
        if take(UInt8(ascii: ".")) { try digits() }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        guard offset - start <= bounds.numberBytes else {
            throw failure("a number has more than \(bounds.numberBytes) characters")
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() throws(Failure) {
        guard let byte = next, Self.isDigit(byte) else { throw failure("a digit is expected") }
        while let byte = next, Self.isDigit(byte) { offset += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // MARK: - Strings

    private mutating func string() throws(Failure) -> String {
        offset += 1
        let start = offset
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
        if next == UInt8(ascii: "\"") { return try text(bytes[start..<offset]) }
        return try stringWithEscapes(from: start)
    }

    /// - Precondition: the bytes up to `offset` are plain.
    private mutating func stringWithEscapes(from start: Int) throws(Failure) -> String {
        var decoded = Array(bytes[start..<offset])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""): return try text(decoded[...])
            case UInt8(ascii: "\\"):
                offset += 1
                try escape(into: &decoded)
            case ..<0x20: throw failure("a control character stands in a string; write it as \\u00XX")
            default:
                decoded.append(byte)
                offset += 1
            }
        }
        throw failure("a string has no end")
    }

    private mutating func text(_ plain: ArraySlice<UInt8>) throws(Failure) -> String {
        guard let text = String(validating: plain, as: UTF8.self) else { throw failure("a string is not UTF-8") }
        offset += 1
        return text
    }

    private mutating func escape(into decoded: inout [UInt8]) throws(Failure) {
        guard let byte = next else { throw failure("a string has no end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"): decoded += Array(String(try scalar()).utf8)
        default: throw failure("\\ stands before a character that needs no escape")
        }
    }

    private mutating func scalar() throws(Failure) -> Character {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw failure("half of a surrogate pair stands alone")
        }
        let second = try unit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else {
            throw failure("half of a surrogate pair stands alone")
        }
        return Character(scalar)
    }

    private mutating func unit() throws(Failure) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw failure("a string has no end") }
        var unit: UInt32 = 0
        for byte in bytes[offset..<offset + 4] {
            guard let digit = Hexadecimal.digit(byte) else { throw failure("\\u needs four hexadecimal digits") }
            unit = unit << 4 | UInt32(digit)
        }
        offset += 4
        return unit
    }
}
