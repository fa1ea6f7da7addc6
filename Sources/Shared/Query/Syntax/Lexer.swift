import CausewayModel

/// Cuts a predicate's text into tokens, one at a time, so that a long hostile text costs no more than its first error.
struct Lexer {
    let text: [UInt8]
    var offset = 0
    /// Of the number that was read last, see `Lexeme.digits`.
    var exactNumber: DecimalNumber?

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func next() throws(QueryError) -> Lexeme {
        skipBlanks()
        let start = offset
        exactNumber = nil
        let token = try scan()
        let keyword = if case .word(let word) = token { Keyword(word) } else { Keyword?.none }
        return Lexeme(token: token, position: start, end: offset, keyword: keyword, digits: exactNumber)
    }

    private mutating func scan() throws(QueryError) -> Token {
        guard let byte = peek() else { return .end }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return .literal(.string(try quotedText()))
        case UInt8(ascii: "`"):
            return .quotedName(try quotedText())
        case UInt8(ascii: "#"):
            return try escapedWord()
        case UInt8(ascii: "@"):
            return try atWord()
        case UInt8(ascii: "%"):
            return .placeholder(try sequential())
        case UInt8(ascii: "$"):
            if let variable = variable() { return variable }
            return .placeholder(try indexed())
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            if let date = try date() { return .literal(date) }
            return .literal(try number())
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            return try signed()
        case UInt8(ascii: ".") where peek(1).map(Self.isDigit) == true:
            return .literal(try number())
        case _ where Self.beginsWord(byte):
            return try wordOrLiteral()
        default:
            return .symbol(try symbol())
        }
    }

    // MARK: - Bytes

    func peek(_ distance: Int = 0) -> UInt8? {
        offset + distance < text.count ? text[offset + distance] : nil
    }

    mutating func skipBlanks() {
        while let byte = peek(), Self.isBlank(byte) { offset += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        offset += 1
        return true
    }

    mutating func digits() -> Int {
        let start = offset
        while let byte = peek(), Self.isDigit(byte) { offset += 1 }
        return offset - start
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// Any letter: names of properties are in any script, so every byte of a multi-byte character counts as one.
    static func beginsWord(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    static func continuesWord(_ byte: UInt8) -> Bool {
        beginsWord(byte) || isDigit(byte)
    }

    func failure(at position: Int, found: String, expected: String, remedy: String? = nil) -> QueryError {
        .unreadable(text, at: position, found: found, expected: expected, remedy: remedy)
    }

    /// The character at a byte, for an error.
    func shownCharacter(at position: Int) -> String {
        guard position < text.count else { return "the end of the text" }
        let tail = String(decoding: text[position..<min(text.count, position + 4)], as: UTF8.self)
        guard let scalar = tail.unicodeScalars.first else { return "the end of the text" }
        return scalar.properties.generalCategory == .control
            ? "a control character" : "'\(String(Character(scalar)))'"
    }

    // MARK: - Words and symbols

    /// The caller has seen that a word begins here. A blank in a name stands behind a backslash, as other SDKs write it.
    mutating func word() -> String {
        let start = offset
        while let byte = peek(), Self.continuesWord(byte) { offset += 1 }
        guard let blank = escapedBlank() else { return String(decoding: text[start..<offset], as: UTF8.self) }
        var bytes = Array(text[start..<offset])
        var next: UInt8? = blank
        while let byte = next {
            bytes.append(byte)
            offset += 2
            let rest = offset
            while let byte = peek(), Self.continuesWord(byte) { offset += 1 }
            bytes += text[rest..<offset]
            next = escapedBlank()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The blank that a backslash and the letter behind it stand for: `\ `, `\n`, `\r` or `\t`.
    private func escapedBlank() -> UInt8? {
        guard peek() == UInt8(ascii: "\\") else { return nil }
        return switch peek(1) {
        case UInt8(ascii: " "): 0x20
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    private mutating func wordOrLiteral() throws(QueryError) -> Token {
        if let timestamp = try timestamp() { return .literal(timestamp) }
        let start = offset
        let word = word()
        // A keyword has no blanks, so a word with one is a name.
        if word.utf8.contains(where: Self.isBlank) { return .quotedName(word) }
        if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'"), word.uppercased() == "B64" {
            return .literal(try base64(from: start))
        }
        if peek() == UInt8(ascii: "(") {
            switch Keyword(word) {
            case .oid: return .literal(try objectId(from: start))
            case .uuid: return .literal(try uuid(from: start))
            case .decimal: return .literal(try decimal(from: start))
            default: break
            }
        }
        return .word(word)
    }

    private mutating func escapedWord() throws(QueryError) -> Token {
        let start = offset
        offset += 1
        guard let byte = peek(), Self.beginsWord(byte) else {
            throw failure(at: start, found: "'#'", expected: "a name after '#'")
        }
        return .quotedName(word())
    }

    private mutating func atWord() throws(QueryError) -> Token {
        let start = offset
        offset += 1
        guard let byte = peek(), Self.beginsWord(byte) else {
            throw failure(
                at: start, found: "'@'", expected: "@count, @min, @max, @sum or @avg",
                remedy: "To hand over a value, write %@ in the text and the value as an argument."
            )
        }
        return .atWord(word())
    }

    private mutating func symbol() throws(QueryError) -> Token.Symbol {
        let start = offset
        let first = text[start]
        let second = peek(1)
        // Two-byte symbols first: each spelling that NSPredicate takes, with the one symbol it means.
        let double: Token.Symbol? =
            switch (first, second) {
            case (UInt8(ascii: "="), UInt8(ascii: "=")): .equal
            case (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")): .notEqual
            case (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: "="), UInt8(ascii: "<")): .lessOrEqual
            case (UInt8(ascii: ">"), UInt8(ascii: "=")), (UInt8(ascii: "="), UInt8(ascii: ">")): .greaterOrEqual
            case (UInt8(ascii: "&"), UInt8(ascii: "&")): .ampersands
            case (UInt8(ascii: "|"), UInt8(ascii: "|")): .bars
            default: nil
            }
        if let double {
            offset += 2
            return double
        }
        guard let single = Token.Symbol(single: first) else {
            throw failure(
                at: start, found: shownCharacter(at: start), expected: "a name, a value or an operator"
            )
        }
        offset += 1
        return single
    }

    // MARK: - Placeholders

    /// `$task`; nil where the index of an argument follows, such as in `$0` and `$K0`.
    private mutating func variable() -> Token? {
        let isName = peek(1) == UInt8(ascii: "K") && peek(2).map(Self.isDigit) == true
        guard !isName, let byte = peek(1), Self.beginsWord(byte) else { return nil }
        offset += 1
        return .variable(word())
    }

    private mutating func indexed() throws(QueryError) -> Placeholder {
        let start = offset
        offset += 1
        let isName = peek() == UInt8(ascii: "K") && peek(1).map(Self.isDigit) == true
        if isName { offset += 1 }
        let first = offset
        // Longer than any index within the limit on arguments.
        guard digits() > 0, let index = Int(String(decoding: text[first..<offset].prefix(9), as: UTF8.self)),
            offset - first <= 9
        else {
            throw failure(
                at: start, found: shownCharacter(at: first), expected: "the index of an argument, such as $0"
            )
        }
        return isName ? .indexedName(index) : .indexed(index)
    }

    private mutating func sequential() throws(QueryError) -> Placeholder {
        let start = offset
        offset += 1
        // Lengths and signedness of C numbers (%ld, %llu, %hd) say nothing here: an argument knows its type.
        let lengths = Array("hlLqjzt".utf8)
        while let byte = peek(), lengths.contains(byte), offset - start <= 3 { offset += 1 }
        guard let byte = peek() else {
            throw failure(at: start, found: "the end of the text", expected: "%@, %K, %d or %f")
        }
        offset += 1
        switch byte {
        case UInt8(ascii: "@"), UInt8(ascii: "s"), UInt8(ascii: "S"):
            return .next
        case UInt8(ascii: "K"):
            return .nextName
        case _ where Array("dDiuUxXoOfFeEgGaAcC".utf8).contains(byte):
            return .nextNumber
        default:
            throw failure(at: start, found: shownCharacter(at: offset - 1), expected: "%@, %K, %d or %f")
        }
    }
}
