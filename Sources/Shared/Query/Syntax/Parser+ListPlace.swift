import CausewayModel

extension Parser {
    /// Whether `[0]`, `[FIRST]`, `[LAST]` or `[SIZE]` stands behind the names read so far.
    var beginsListPlace: Bool {
        guard lexeme.token == .symbol(.openBracket) else { return false }
        var ahead = lexer
        ahead.skipBlanks()
        guard let byte = ahead.peek() else { return false }
        if Lexer.isDigit(byte) { return true }
        return Lexer.beginsWord(byte) && Keyword(ahead.word())?.isListPlace == true
    }

    /// Takes the brackets. `[SIZE]` is another way to write `.@count`.
    mutating func takeListPlace(into path: inout PropertyPath) throws(QueryError) {
        let expected = "an index of a list, FIRST, LAST or SIZE"
        let position = path.names.count - 1
        guard position >= 0, path.places[position] == nil else { throw unexpected("only one index behind a name") }
        try advance()
        switch lexeme.token {
        case .literal(.int(let index)) where index >= 0: path.places[position] = .at(Int(index))
        case .word where keyword == .first: path.places[position] = .first
        case .word where keyword == .last: path.places[position] = .last
        case .word where keyword == .size: path.aggregate = .count
        default: throw unexpected(expected)
        }
        try advance()
        guard try take(.closeBracket) else { throw unexpected("']'") }
    }
}

extension Keyword {
    fileprivate var isListPlace: Bool { self == .first || self == .last || self == .size }
}
