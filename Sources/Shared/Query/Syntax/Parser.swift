import CausewayModel

extension Predicate {
    /// Reads a predicate's text, in the grammar of `GRAMMAR.md`, with the arguments its placeholders ask for.
    ///
    /// Names are not checked here; `bound(to:in:)` does that. Arguments beyond those asked for are ignored, as
    /// NSPredicate ignores them.
    ///
    /// - Complexity: linear in the text and the arguments, which `QueryLimits` bounds.
    package static func parse(_ text: String, arguments: [Argument] = []) throws(QueryError) -> Predicate {
        var parser = try Parser(text, arguments)
        return try parser.wholeText()
    }
}

/// Recursive descent over the grammar, one method a rule, loosest first:
/// disjunction, conjunction, negation, primary, comparison, operand.
struct Parser {
    var lexer: Lexer
    var lexeme: Lexeme
    let arguments: [Argument]
    /// The argument the next `%@` takes.
    var nextArgument = 0
    /// The name of the innermost SUBQUERY's variable: inside of one every path begins with it.
    var variable: String?
    /// How many arithmetic operations the comparison has so far.
    var operations = 0
    /// The digits of the side of a comparison that is being read, and where its next operand or value stands.
    var digits: [Int: DecimalNumber] = [:]
    var place = 0
    /// Found when the first parenthesis is met.
    private var operandParentheses: OperandParentheses?
    private var depth = 0

    init(_ text: String, _ arguments: [Argument]) throws(QueryError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= QueryLimits.textBytes else {
            throw QueryError(
                .limit,
                "The query is too long: \(bytes.count) bytes, and at most \(QueryLimits.textBytes) are read",
                remedy: "Hand long lists over as arguments, or query by a property that says the same."
            )
        }
        guard arguments.count <= QueryLimits.argumentCount else {
            throw QueryError(
                .limit,
                "The query has too many arguments: \(arguments.count), and at most \(QueryLimits.argumentCount) are taken",
                remedy: "Hand a list over as one argument: name IN %@."
            )
        }
        for case .values(let values) in arguments where values.count > QueryLimits.listValues {
            throw QueryError.listTooLong(values.count)
        }
        self.arguments = arguments
        lexer = Lexer(bytes)
        lexeme = try lexer.next()
    }

    mutating func wholeText() throws(QueryError) -> Predicate {
        let predicate = try disjunction()
        try refuseSteps()
        guard lexeme.token == .end else {
            throw unexpected("AND, OR or the end of the text")
        }
        return predicate
    }

    // MARK: - Tokens

    mutating func advance() throws(QueryError) {
        lexeme = try lexer.next()
    }

    /// The keyword that stands here, if one does.
    var keyword: Keyword? { lexeme.keyword }

    mutating func take(_ symbol: Token.Symbol) throws(QueryError) -> Bool {
        guard lexeme.token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func take(_ wanted: Keyword) throws(QueryError) -> Bool {
        guard keyword == wanted else { return false }
        try advance()
        return true
    }

    func unexpected(_ expected: String, remedy: String? = nil) -> QueryError {
        failure(at: lexeme.position, found: lexeme.token.shown, expected: expected, remedy: remedy)
    }

    func failure(
        at position: Int, _ code: QueryError.Code = .syntax, found: String, expected: String, remedy: String? = nil
    ) -> QueryError {
        .unreadable(lexer.text, at: position, code, found: found, expected: expected, remedy: remedy)
    }

    // MARK: - Compounds

    mutating func disjunction() throws(QueryError) -> Predicate {
        var parts = [try conjunction()]
        while true {
            if try take(.bars) { parts.append(try conjunction()); continue }
            if try take(Keyword.or) { parts.append(try conjunction()); continue }
            return parts.count == 1 ? parts[0] : .or(parts)
        }
    }

    private mutating func conjunction() throws(QueryError) -> Predicate {
        var parts = [try negation()]
        while true {
            if try take(.ampersands) { parts.append(try negation()); continue }
            if try take(Keyword.and) { parts.append(try negation()); continue }
            return parts.count == 1 ? parts[0] : .and(parts)
        }
    }

    private mutating func negation() throws(QueryError) -> Predicate {
        let start = lexeme.position
        if try take(.exclamation) {
            return try deeper(at: start) { parser throws(QueryError) in .not(try parser.negation()) }
        }
        if try take(Keyword.not) {
            return try deeper(at: start) { parser throws(QueryError) in .not(try parser.negation()) }
        }
        return try primary()
    }

    private mutating func primary() throws(QueryError) -> Predicate {
        let start = lexeme.position
        if lexeme.token == .symbol(.openParenthesis), holdsOperand(at: start) { return try comparison() }
        if try take(.openParenthesis) {
            let inside = try deeper(at: start) { parser throws(QueryError) in try parser.disjunction() }
            guard try take(.closeParenthesis) else {
                throw unexpected("AND, OR or ')'")
            }
            return inside
        }
        switch keyword {
        case .truepredicate:
            try advance()
            return .constant(true)
        case .falsepredicate:
            try advance()
            return .constant(false)
        default:
            return try comparison()
        }
    }

    /// Whether the parenthesis that stands there holds an operand, not a predicate.
    private mutating func holdsOperand(at position: Int) -> Bool {
        let found = operandParentheses ?? OperandParentheses(lexer.text)
        operandParentheses = found
        return found.contains(position)
    }

    /// Every recursion of the parser passes here, so the nesting limit bounds its stack.
    mutating func deeper<Result>(
        at position: Int, _ rule: (inout Parser) throws(QueryError) -> Result
    ) throws(QueryError) -> Result {
        guard depth < QueryLimits.nestingDepth else {
            throw failure(
                at: position, .limit, found: "one more level",
                expected: "at most \(QueryLimits.nestingDepth) parentheses and NOTs inside each other",
                remedy: "AND and OR chains need no parentheses of their own."
            )
        }
        depth += 1
        defer { depth -= 1 }
        return try rule(&self)
    }
}
