import CausewayModel

extension Parser {
    /// `binary('text')`: the bytes of a text. `base64('AAEC')`: another way to write B64"AAEC".
    mutating func dataLiteral(_ keyword: Keyword) throws(QueryError) -> Value {
        let start = lexeme.position
        try advance()
        _ = try take(.openParenthesis)
        guard case .string(let text) = try element() else {
            throw failure(at: start, found: "another value", expected: "a text in quotation marks")
        }
        let bytes = Array(text.utf8)
        let decoded = keyword == .binary ? bytes : Base64.decode(bytes[...])
        guard let decoded else {
            throw failure(at: start, found: "'base64('", expected: "base 64 with padding in quotation marks")
        }
        guard try take(.closeParenthesis) else { throw unexpected("')'") }
        return .bytes(decoded)
    }

    /// `obj('Class', key)`: another way to write link('Class', key).
    mutating func object() throws(QueryError) -> Value {
        try advance()
        _ = try take(.openParenthesis)
        let start = lexeme.position
        guard case .string(let className) = try element() else {
            throw failure(at: start, found: "another value", expected: "the name of a class in quotation marks")
        }
        guard try take(.comma) else { throw unexpected("',' and a primary key") }
        let link = ClassedLink(className, try primaryKey())
        guard try take(.closeParenthesis) else { throw unexpected("')'") }
        return .anyLink(link)
    }

    /// `$0[2]`: one value of a list that was handed over.
    mutating func elementOfArgument(_ values: [Value]) throws(QueryError) -> Expression {
        try advance()
        guard case .literal(.int(let index)) = lexeme.token else { throw unexpected("an index") }
        guard index >= 0, index < values.count else {
            throw failure(
                at: lexeme.position, .argument, found: "\(index)",
                expected: values.isEmpty ? "no index: the list is empty" : "an index from 0 to \(values.count - 1)")
        }
        try advance()
        guard try take(.closeBracket) else { throw unexpected("']'") }
        return .value(values[Int(index)])
    }
}
