import CausewayModel

extension Lexer {
    // MARK: - Text

    /// `'…'`, `"…"` or `` `…` `` from the opening quote on, with its escapes undone.
    mutating func quotedText() throws(QueryError) -> String {
        let start = offset
        let quote = text[start]
        offset += 1
        var bytes: [UInt8] = []
        while let byte = peek() {
            offset += 1
            switch byte {
            case quote:
                return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try appendEscape(to: &bytes)
            default:
                bytes.append(byte)
            }
        }
        throw failure(
            at: start, found: "the end of the text",
            expected: "a closing \(quote == UInt8(ascii: "`") ? "backtick" : "quotation mark")"
        )
    }

    private mutating func appendEscape(to bytes: inout [UInt8]) throws(QueryError) {
        let start = offset - 1
        guard let byte = peek() else {
            throw failure(at: start, found: "the end of the text", expected: "a character after '\\'")
        }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "0"): bytes.append(0x00)
        case UInt8(ascii: "u"): bytes.append(contentsOf: String(Character(try escapedScalar(from: start))).utf8)
        // As in NSPredicate, a backslash before any other character stands for that character.
        default: bytes.append(byte)
        }
    }

    /// `\uD83D\uDE00` is one scalar in two halves, as in JSON.
    private mutating func escapedScalar(from start: Int) throws(QueryError) -> Unicode.Scalar {
        let first = try fourDigits(from: start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        if 0xD800..<0xDC00 ~= first, peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
            offset += 2
            let second = try fourDigits(from: start)
            if 0xDC00..<0xE000 ~= second,
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        throw failure(at: start, found: "half of a surrogate pair", expected: "both halves, such as \\uD83D\\uDE00")
    }

    private mutating func fourDigits(from start: Int) throws(QueryError) -> UInt32 {
        guard offset + 4 <= text.count, let number = Hexadecimal.number(text[offset..<offset + 4]) else {
            throw failure(at: start, found: "'\\u'", expected: "four hexadecimal digits after '\\u'")
        }
        offset += 4
        return UInt32(number)
    }

    // MARK: - Numbers

    /// `12`, `1.5`, `.5`, `1e9`, `1.5f` (a Float), `0x1F`. The caller has seen a sign, a digit or a point.
    mutating func number() throws(QueryError) -> Value {
        let start = offset
        let isNegative = peek() == UInt8(ascii: "-")
        if isNegative || peek() == UInt8(ascii: "+") { offset += 1 }
        if peek() == UInt8(ascii: "0"), peek(1).map({ $0 | 0x20 }) == UInt8(ascii: "x") {
            return try hexadecimalNumber(isNegative: isNegative, from: start)
        }
        var isInteger = true
        var count = digits()
        // A point belongs to the number if a digit stands before or behind it: ".name" is no number.
        if peek() == UInt8(ascii: "."), count > 0 || peek(1).map(Self.isDigit) == true {
            offset += 1
            count += digits()
            isInteger = false
        }
        guard count > 0 else {
            throw failure(at: start, found: shownCharacter(at: offset), expected: "a number")
        }
        if peek().map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            offset += 1
            if peek() == UInt8(ascii: "-") || peek() == UInt8(ascii: "+") { offset += 1 }
            guard digits() > 0 else {
                throw failure(at: start, found: shownCharacter(at: offset), expected: "digits of an exponent")
            }
            isInteger = false
        }
        guard offset - start <= QueryLimits.numberBytes else {
            throw failure(
                at: start, found: "\(offset - start) characters",
                expected: "a number of at most \(QueryLimits.numberBytes)"
            )
        }
        let integer = isInteger ? Int64(String(decoding: text[start..<offset], as: UTF8.self)) : nil
        let written = Self.completed(String(decoding: text[start..<offset], as: UTF8.self))
        let isFloat = peek().map({ $0 | 0x20 }) == UInt8(ascii: "f")
        if isFloat { offset += 1 }
        try endOfNumber(from: start)
        if isFloat, let value = Float(written), value.isFinite { return .float(value) }
        if !isFloat, let value = integer.map(Value.int) ?? real(written) { return value }
        throw failure(
            at: start, found: "a number out of range", expected: "a finite \(isFloat ? "Float" : "Double")",
            remedy: "For infinity write inf or -inf."
        )
    }

    /// The nearest Double, and in `exactNumber` what it lacks of the number. A number beyond every Double is a decimal; nil
    /// beyond every decimal.
    private mutating func real(_ written: String) -> Value? {
        guard let value = Double(written), let exact = DecimalNumber(written) else { return nil }
        guard value.isFinite else { return exact.isFinite ? .decimal(exact) : nil }
        if exact == DecimalNumber(reading: value) { return .double(value) }
        exactNumber = exact
        return .double(exact.double)
    }

    /// Swift's own readers need a digit on both sides of the point.
    private static func completed(_ written: String) -> String {
        var bytes = Array(written.utf8)
        if let point = bytes.firstIndex(of: UInt8(ascii: ".")) {
            if point + 1 == bytes.count || !isDigit(bytes[point + 1]) { bytes.insert(UInt8(ascii: "0"), at: point + 1) }
            if point == 0 || !isDigit(bytes[point - 1]) { bytes.insert(UInt8(ascii: "0"), at: point) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func hexadecimalNumber(isNegative: Bool, from start: Int) throws(QueryError) -> Value {
        offset += 2
        let first = offset
        while let byte = peek(), Hexadecimal.digit(byte) != nil { offset += 1 }
        let digits = String(decoding: text[first..<offset].prefix(17), as: UTF8.self)
        guard offset - first <= 16, let value = Int64((isNegative ? "-" : "") + digits, radix: 16) else {
            throw failure(at: start, found: "'0x'", expected: "a hexadecimal number that fits 64 bits")
        }
        try endOfNumber(from: start)
        return .int(value)
    }

    private func endOfNumber(from start: Int) throws(QueryError) {
        guard let byte = peek(), Self.continuesWord(byte) else { return }
        throw failure(
            at: offset, found: shownCharacter(at: offset), expected: "the end of the number",
            remedy: "A property name cannot begin with a digit unless it stands in backticks."
        )
    }

    /// A sign: of a number, of infinity, or between two operands. The parser knows where one stands.
    mutating func signed() throws(QueryError) -> Token {
        if let next = peek(1), Self.isDigit(next) || next == UInt8(ascii: ".") && peek(2).map(Self.isDigit) == true {
            return .literal(try number())
        }
        let isNegative = peek() == UInt8(ascii: "-")
        offset += 1
        var look = self
        guard let next = peek(), Self.beginsWord(next) else { return .symbol(isNegative ? .minus : .plus) }
        switch Keyword(look.word()) {
        case .inf, .infinity:
            offset = look.offset
            return .literal(.double(isNegative ? -.infinity : .infinity))
        case .inff:
            offset = look.offset
            return .literal(.float(isNegative ? -.infinity : .infinity))
        case .nan:
            offset = look.offset
            return .literal(.double(.nan))
        case .nanf:
            offset = look.offset
            return .literal(.float(.nan))
        default: return .symbol(isNegative ? .minus : .plus)
        }
    }

    // MARK: - Typed literals

    /// `T1700000000:500`: seconds since 1970 and nanoseconds, both of one sign. Nil when a plain name begins here.
    mutating func timestamp() throws(QueryError) -> Value? {
        guard peek() == UInt8(ascii: "T") else { return nil }
        var look = self
        look.offset += 1
        guard let seconds = look.integer(), look.skip(UInt8(ascii: ":")) else { return nil }
        let start = offset
        guard let seconds = Int64(seconds), let text = look.integer(), let nanoseconds = Int32(text),
            abs(Int(nanoseconds)) < 1_000_000_000,
            seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0),
            look.peek().map(Self.continuesWord) != true
        else {
            throw failure(
                at: start, found: "'T'", expected: "a timestamp T<seconds>:<nanoseconds>",
                remedy: "Seconds count from 1970; nanoseconds are fewer than a billion and of the same sign."
            )
        }
        offset = look.offset
        return .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    private mutating func integer() -> String? {
        if skip(UInt8(ascii: "+")), peek() == UInt8(ascii: "-") { return nil }
        let start = offset
        _ = skip(UInt8(ascii: "-"))
        guard digits() > 0, offset - start <= 20 else { return nil }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }

    /// From the opening quote of `B64"…"` on.
    mutating func base64(from start: Int) throws(QueryError) -> Value {
        let quote = text[offset]
        offset += 1
        let first = offset
        while let byte = peek(), byte != quote { offset += 1 }
        guard offset < text.count, let bytes = Base64.decode(text[first..<offset]) else {
            throw failure(at: start, found: "'B64'", expected: "base 64 with padding in quotation marks, B64\"…\"")
        }
        offset += 1
        return .bytes(bytes)
    }

    /// From the parenthesis of `oid(…)` on; quotation marks inside are optional.
    mutating func objectId(from start: Int) throws(QueryError) -> Value {
        guard let inside = parenthesised(), let value = ObjectIdentifier12(hexadecimal: inside) else {
            throw failure(at: start, found: "'oid('", expected: "24 hexadecimal digits, oid(11223344556677889900aabb)")
        }
        return .objectId(value)
    }

    mutating func uuid(from start: Int) throws(QueryError) -> Value {
        guard let inside = parenthesised(), let value = UUID16(hyphenated: inside) else {
            throw failure(
                at: start, found: "'uuid('",
                expected: "8-4-4-4-12 hexadecimal digits, uuid(00112233-4455-6677-8899-aabbccddeeff)"
            )
        }
        return .uuid(value)
    }

    mutating func decimal(from start: Int) throws(QueryError) -> Value {
        guard let inside = parenthesised(), let value = DecimalNumber(inside) else {
            throw failure(at: start, found: "'decimal('", expected: "a number, decimal(12.50)")
        }
        return .decimal(value)
    }

    private mutating func parenthesised() -> String? {
        let first = offset + 1
        offset += 1
        while let byte = peek(), byte != UInt8(ascii: ")") {
            offset += 1
            guard offset - first <= QueryLimits.identifierBytes else { return nil }
        }
        var inside = text[first..<offset]
        guard skip(UInt8(ascii: ")")) else { return nil }
        while inside.first == 0x20 { inside.removeFirst() }
        while inside.last == 0x20 { inside.removeLast() }
        if let quote = inside.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            guard inside.count >= 2, inside.last == quote else { return nil }
            inside = inside.dropFirst().dropLast()
        }
        return String(decoding: inside, as: UTF8.self)
    }
}
