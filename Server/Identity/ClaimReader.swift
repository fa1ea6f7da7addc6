/// The limits of JSON from outside. The reader checks them before it spends anything.
package struct ClaimLimits: Hashable, Sendable {
    package var bytes: Int
    /// Levels of arrays and objects inside of each other.
    package var depth: Int
    /// Values of all arrays and objects together.
    package var elements: Int

    package init(bytes: Int, depth: Int, elements: Int) {
        self.bytes = bytes
        self.depth = depth
        self.elements = elements
    }

    /// The header of a token. It is read before the signature is checked.
    package static let tokenHeader = ClaimLimits(bytes: 4 << 10, depth: 4, elements: 64)
    /// The claims of a token whose signature is verified.
    package static let claims = ClaimLimits(bytes: TokenVerifier.tokenBytesMax, depth: 16, elements: 1_000)
    /// The body of an account call by an unknown caller: the largest thing in it is another issuer's token.
    package static let accountCall = ClaimLimits(bytes: 20 << 10, depth: 16, elements: 1_000)
    /// The body of a call by a user: the arguments of functions.
    package static let userCall = ClaimLimits(bytes: 64 << 10, depth: 64, elements: 20_000)
    /// The result of an operator's function.
    package static let functionResult = ClaimLimits(bytes: 1 << 20, depth: 64, elements: 200_000)
    /// What the operator stores for a user. Access tokens carry it.
    package static let customData = ClaimLimits(bytes: 4 << 10, depth: 8, elements: 256)
    /// A JWKS document.
    package static let keySet = ClaimLimits(bytes: 1 << 20, depth: 8, elements: 10_000)
}

/// Why a text was not read.
package struct ClaimReadingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
}

extension ClaimValue {
    /// Reads one JSON value, with nothing after it.
    ///
    /// Two members of one name are refused: a signer and a verifier might each take another of them.
    ///
    /// - Complexity: linear in the bytes.
    package init(json bytes: some Collection<UInt8>, within limits: ClaimLimits) throws(ClaimReadingError) {
        guard bytes.count <= limits.bytes else {
            throw ClaimReadingError(description: "it has more than \(limits.bytes) bytes")
        }
        var reader = ClaimReader(Array(bytes), limits)
        self = try reader.read()
    }
}

extension [String: ClaimValue] {
    /// Reads one JSON object, with nothing after it.
    package init(json bytes: some Collection<UInt8>, within limits: ClaimLimits) throws(ClaimReadingError) {
        guard case .object(let members) = try ClaimValue(json: bytes, within: limits) else {
            throw ClaimReadingError(description: "it is not a JSON object")
        }
        self = members
    }
}

/// JSON (RFC 8259), read in one pass. The depth bounds the recursion.
private struct ClaimReader {
    private let bytes: [UInt8]
    private let limits: ClaimLimits
    private var position = 0
    private var elements = 0

    private static let nameBytesMax = 512
    /// Bytes that are left for names that are not ASCII: hashing one costs a hundred times as much as copying it.
    private var foreignNameBytesLeft: Int
    /// No number has more digits.
    private static let numberBytesMax = 400

    init(_ bytes: [UInt8], _ limits: ClaimLimits) {
        self.bytes = bytes
        self.limits = limits
        foreignNameBytesLeft = limits.bytes / 4
    }

    mutating func read() throws(ClaimReadingError) -> ClaimValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw Self.error("something stands behind its end") }
        return value
    }

    private static func error(_ words: String) -> ClaimReadingError { ClaimReadingError(description: words) }

    private static let malformed = error("it is not JSON")

    // MARK: - Values

    private mutating func value(depth: Int) throws(ClaimReadingError) -> ClaimValue {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): return .object(try members(depth: try deeper(depth)))
        case UInt8(ascii: "["): return .array(try items(depth: try deeper(depth)))
        case UInt8(ascii: "\""): return .string(try string(bytesMax: .max))
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private func deeper(_ depth: Int) throws(ClaimReadingError) -> Int {
        guard depth < limits.depth else { throw Self.error("it is nested more than \(limits.depth) levels deep") }
        return depth + 1
    }

    private mutating func count() throws(ClaimReadingError) {
        elements += 1
        guard elements <= limits.elements else { throw Self.error("it has more than \(limits.elements) values") }
    }

    private mutating func members(depth: Int) throws(ClaimReadingError) -> [String: ClaimValue] {
        position += 1
        var members: [String: ClaimValue] = [:]
        if takes(UInt8(ascii: "}")) { return members }
        repeat {
            try count()
            skipSpace()
            let name = try name()
            guard takes(UInt8(ascii: ":")) else { throw Self.malformed }
            let value = try value(depth: depth)
            guard members.updateValue(value, forKey: name) == nil else {
                throw Self.error("two members of an object have one name")
            }
        } while takes(UInt8(ascii: ","))
        guard takes(UInt8(ascii: "}")) else { throw Self.malformed }
        return members
    }

    private mutating func name() throws(ClaimReadingError) -> String {
        let name = try string(bytesMax: Self.nameBytesMax)
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            foreignNameBytesLeft -= name.utf8.count
            guard foreignNameBytesLeft >= 0 else { throw Self.error("its names are too long") }
        }
        return name
    }

    private mutating func items(depth: Int) throws(ClaimReadingError) -> [ClaimValue] {
        position += 1
        var items: [ClaimValue] = []
        if takes(UInt8(ascii: "]")) { return items }
        repeat {
            try count()
            items.append(try value(depth: depth))
        } while takes(UInt8(ascii: ","))
        guard takes(UInt8(ascii: "]")) else { throw Self.malformed }
        return items
    }

    private mutating func word(_ word: StaticString, _ value: ClaimValue) throws(ClaimReadingError) -> ClaimValue {
        let end = position + word.utf8CodeUnitCount
        let isThere =
            end <= bytes.count
            && word.withUTF8Buffer { $0.elementsEqual(bytes[position..<min(end, bytes.count)]) }
        guard isThere else { throw Self.malformed }
        position = end
        return value
    }

    /// A whole number of 64 bits, however it is written; otherwise the nearest double.
    private mutating func number() throws(ClaimReadingError) -> ClaimValue {
        let start = position
        _ = takesHere(UInt8(ascii: "-"))
        let (digitsStart, digits) = (position, skipDigits())
        guard digits == 1 || (digits > 1 && bytes[digitsStart] != UInt8(ascii: "0")) else { throw Self.malformed }
        var isWhole = true
        if takesHere(UInt8(ascii: ".")) {
            isWhole = false
            guard skipDigits() > 0 else { throw Self.malformed }
        }
        if takesHere(UInt8(ascii: "e")) || takesHere(UInt8(ascii: "E")) {
            isWhole = false
            if !takesHere(UInt8(ascii: "+")) { _ = takesHere(UInt8(ascii: "-")) }
            guard skipDigits() > 0 else { throw Self.malformed }
        }
        guard position - start <= Self.numberBytesMax else { throw Self.error("a number in it is too long") }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .int(value) }
        guard let value = Double(text), value.isFinite else { throw Self.error("a number in it is too large") }
        // Beyond that a double stands for more than one whole number.
        guard value.magnitude < 0x1p53, let whole = Int64(exactly: value) else { return .double(value) }
        return .int(whole)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = peek(), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        return position - start
    }

    // MARK: - Strings

    private mutating func string(bytesMax: Int) throws(ClaimReadingError) -> String {
        guard takesHere(UInt8(ascii: "\"")) else { throw Self.malformed }
        let start = position
        var isPlain = true
        while let byte = peek(), byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw Self.malformed }
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                position += 1
            }
            position += 1
        }
        let end = position
        guard end < bytes.count else { throw Self.malformed }
        position += 1
        guard end - start <= bytesMax else { throw Self.error("a name in it is longer than \(bytesMax) bytes") }
        let content = isPlain ? bytes[start..<end] : try unescaped(bytes[start..<end])[...]
        guard let text = String(validating: content, as: UTF8.self) else { throw Self.malformed }
        return text
    }

    private func unescaped(_ escaped: ArraySlice<UInt8>) throws(ClaimReadingError) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(escaped.count)
        var rest = escaped
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "t"): plain.append(0x09)
            case UInt8(ascii: "r"): plain.append(0x0D)
            case UInt8(ascii: "b"): plain.append(0x08)
            case UInt8(ascii: "f"): plain.append(0x0C)
            case let mark? where mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "\\") || mark == UInt8(ascii: "/"):
                plain.append(mark)
            case UInt8(ascii: "u"): plain += try Self.scalar(&rest).utf8
            default: throw Self.malformed
            }
        }
        return plain
    }

    /// The scalar after `\u`: four digits, or twice four for a surrogate pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) throws(ClaimReadingError) -> Character {
        var code = try digits(&rest)
        if 0xD800..<0xDC00 ~= code {
            guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u") else { throw malformed }
            let low = try digits(&rest)
            guard 0xDC00..<0xE000 ~= low else { throw malformed }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw malformed }
        return Character(scalar)
    }

    private static func digits(_ rest: inout ArraySlice<UInt8>) throws(ClaimReadingError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw malformed
            }
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    // MARK: - Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Whether this byte comes next, after any space; if so, moves past it.
    private mutating func takes(_ byte: UInt8) -> Bool {
        skipSpace()
        return takesHere(byte)
    }

    private mutating func takesHere(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }
}
