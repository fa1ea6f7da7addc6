extension Parser {
    /// Whether `.@type` follows, which ends a path and is no part of it.
    var isBeforeType: Bool {
        guard lexeme.token == .symbol(.dot) else { return false }
        var ahead = lexer
        ahead.skipBlanks()
        guard ahead.skip(UInt8(ascii: "@")), let byte = ahead.peek(), Lexer.beginsWord(byte) else { return false }
        return ahead.word().lowercased() == "type"
    }

    /// A path, or the type of what is at its end.
    mutating func pathOrType(_ path: PropertyPath) throws(QueryError) -> Expression {
        guard isBeforeType else { return .path(path) }
        try advance()
        try advance()
        return .typeOf(path)
    }
}
