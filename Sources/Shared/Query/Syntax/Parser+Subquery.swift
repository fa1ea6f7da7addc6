extension Parser {
    private static let rule =
        "SUBQUERY is only supported when immediately followed by .@count that is compared with a number or a key path."

    /// `SUBQUERY(dogs, $dog, $dog.age > 5).@count`.
    mutating func subquery() throws(QueryError) -> Subquery {
        let start = lexeme.position
        try advance()
        _ = try take(.openParenthesis)
        let collection = try collection()
        guard try take(.comma) else { throw unexpected("',' and a variable such as $x") }
        guard case .variable(let name) = lexeme.token else { throw unexpected("a variable such as $x") }
        try advance()
        guard try take(.comma) else { throw unexpected("',' and a condition") }
        let outer = variable
        variable = name
        let (outerDigits, outerPlace) = (digits, place)
        let condition = try deeper(at: start) { parser throws(QueryError) in try parser.disjunction() }
        variable = outer
        (digits, place) = (outerDigits, outerPlace)
        try refuseSteps()
        guard try take(.closeParenthesis) else { throw unexpected("AND, OR or ')'") }
        guard try take(.dot), case .atWord(let word) = lexeme.token, Aggregate(word: word) == .count else {
            throw unexpected(".@count", remedy: Self.rule)
        }
        try advance()
        return Subquery(collection, where: condition)
    }

    private mutating func collection() throws(QueryError) -> PropertyPath {
        guard case .placeholder(let placeholder) = lexeme.token else { return try path() }
        let start = lexeme.position
        guard case .path(let path) = try substituted(placeholder) else {
            throw failure(at: start, .argument, found: "a value as an argument", expected: "a key path")
        }
        return path
    }

    /// Checks that a subquery's count is compared with a constant or a property.
    func checkSubquery(_ left: Expression, _ right: Expression, at rightStart: Int) throws(QueryError) {
        guard case (.subquery, .subquery) = (left, right) else { return }
        throw failure(
            at: rightStart, found: "a second SUBQUERY", expected: "a number or a key path to one", remedy: Self.rule)
    }

    // MARK: - Variables

    /// Inside of a SUBQUERY a path begins with its variable, elsewhere with a property.
    mutating func takeVariable() throws(QueryError) {
        guard let variable else {
            guard case .variable = lexeme.token else { return }
            throw unexpected(
                "the index of an argument, such as $0",
                remedy: "A variable stands inside of its SUBQUERY(collection, $variable, condition) only."
            )
        }
        guard lexeme.token == .variable(variable) else {
            throw outsideOfVariable(at: lexeme.position, found: lexeme.token.shown)
        }
        try advance()
        guard try take(.dot) else { throw unexpected("'.' and a property of the element") }
    }

    func outsideOfVariable(at position: Int, found: String) -> QueryError {
        failure(
            at: position, found: found, expected: "a property of $\(variable ?? "x")",
            remedy: "The condition of a SUBQUERY names only properties of its own elements."
        )
    }
}
