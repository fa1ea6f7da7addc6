/// The opening parentheses that hold an operand and not a predicate: an operator follows the closing one, as in `(age +
/// 1) * 2 > 5`.
///
/// Found in one pass over the whole text, so that nested parentheses cost no more than flat ones.
struct OperandParentheses {
    private var positions: Set<Int> = []

    init(_ text: [UInt8]) {
        var lexer = Lexer(text)
        var open: [Int] = []
        while let byte = lexer.peek() {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                lexer.passQuotation(byte)
            case UInt8(ascii: "("):
                open.append(lexer.offset)
                lexer.offset += 1
            case UInt8(ascii: ")"):
                lexer.offset += 1
                guard let start = open.popLast() else { break }
                if lexer.isBeforeOperator { positions.insert(start) }
            default: lexer.offset += 1
            }
        }
    }

    func contains(_ position: Int) -> Bool { positions.contains(position) }
}

extension Lexer {
    fileprivate mutating func passQuotation(_ quote: UInt8) {
        offset += 1
        while let byte = peek() {
            offset += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == quote { return }
        }
    }

    /// Whether the next token compares or computes.
    fileprivate var isBeforeOperator: Bool {
        var ahead = self
        ahead.skipBlanks()
        guard let byte = ahead.peek() else { return false }
        if byte == UInt8(ascii: "!") { return ahead.peek(1) == UInt8(ascii: "=") }
        if "=<>+-*/".utf8.contains(byte) { return true }
        // The longest word that compares has ten letters.
        guard Self.beginsWord(byte), let keyword = Keyword(ahead.word(atMost: 11)) else { return false }
        return keyword.comparator != nil || keyword == .matches || keyword == .geowithin
    }

    private mutating func word(atMost limit: Int) -> String {
        let start = offset
        while let byte = peek(), offset - start < limit, Self.continuesWord(byte) { offset += 1 }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }
}
