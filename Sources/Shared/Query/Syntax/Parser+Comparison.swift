import CausewayModel

extension Parser {
    /// `[ANY] operand operator operand`.
    mutating func comparison() throws(QueryError) -> Predicate {
        operations = 0
        var left = try side()
        if let shape = try shapeAfterOperator() {
            return try within(shape, left.quantifier, left.expression, at: left.start)
        }
        var comparator = try comparator(after: left.expression)
        let options = try options()
        var right = try side()
        settleLists(&left, &comparator, &right)
        let comparison = try joined(left, comparator, options, right)
        try checkSubquery(left.expression, right.expression, at: right.start)
        try check(left.expression, comparator, right.expression, at: left.start, right.start)
        return .comparison(comparison)
    }

    private mutating func comparator(after left: Expression) throws(QueryError) -> Comparator {
        let comparator: Comparator?
        switch lexeme.token {
        case .symbol(.equal): comparator = .equal
        case .symbol(.notEqual): comparator = .notEqual
        case .symbol(.less): comparator = .less
        case .symbol(.lessOrEqual): comparator = .lessOrEqual
        case .symbol(.greater): comparator = .greater
        case .symbol(.greaterOrEqual): comparator = .greaterOrEqual
        case .symbol(.openBracket):
            throw unexpected(
                "an operator",
                remedy: "An index such as [0], [FIRST] or [LAST] stands right behind the name of a list.")
        case .word:
            if keyword == .matches {
                throw unexpected(
                    "an operator",
                    remedy: "MATCHES (regular expressions) is not supported; LIKE takes the wildcards * and ?."
                )
            }
            comparator = keyword?.comparator
        default: comparator = nil
        }
        guard let comparator else {
            let isPath = if case .path = left { true } else { false }
            throw unexpected(
                "an operator such as ==, <, IN or CONTAINS",
                remedy: isPath ? "A Bool property is compared as any other: isComplete == true." : nil
            )
        }
        try advance()
        return comparator
    }

    /// `[c]`, `[d]` or `[cd]` after an operator.
    private mutating func options() throws(QueryError) -> TextOptions {
        guard try take(.openBracket) else { return [] }
        var options: TextOptions = []
        let expected = "[c], [d] or [cd]"
        guard case .word(let letters) = lexeme.token else { throw unexpected(expected) }
        for letter in letters.utf8 {
            switch letter | 0x20 {
            case UInt8(ascii: "c"): options.insert(.caseInsensitive)
            case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
            default: throw unexpected(expected)
            }
        }
        try advance()
        guard try take(.closeBracket) else { throw unexpected("']'") }
        return options
    }

    /// Two lists are compared once, when the predicate is bound: each value with each.
    private func checkProduct(_ left: Expression, _ right: Expression, at start: Int) throws(QueryError) {
        guard case (.quantified(_, let left), .quantified(_, let right)) = (left, right) else { return }
        guard max(left.count, 1) * max(right.count, 1) <= QueryLimits.quantifiedValues else {
            throw failure(
                at: start, .limit, found: "\(left.count) and \(right.count) values",
                expected: "at most \(QueryLimits.quantifiedValues) pairs of two lists")
        }
    }

    /// Refuses what no schema could make right.
    private func check(
        _ left: Expression, _ comparator: Comparator, _ right: Expression, at leftStart: Int, _ rightStart: Int
    ) throws(QueryError) {
        switch (left, right) {
        case _ where left.isQuantifiedList && right.isQuantifiedList: try checkProduct(left, right, at: rightStart)
        case _ where left.isConstant && right.isConstant:
            throw failure(
                at: leftStart, found: "two constants", expected: "a key path on one side",
                remedy: "A property named like a keyword stands in backticks: `any` == 1."
            )
        case (_, .values(let values)) where comparator == .between && values.count != 2:
            throw failure(
                at: rightStart, found: "\(values.count) values", expected: "exactly two values for BETWEEN {low, high}"
            )
        case (.path, .value) where comparator == .between, (.subquery, .value) where comparator == .between,
            (.arithmetic, .value) where comparator == .between, (.typeOf, .value) where comparator == .between:
            throw failure(at: rightStart, found: "a single value", expected: "two values for BETWEEN {low, high}")
        case (.path, .value) where comparator == .in, (.subquery, .value) where comparator == .in,
            (.arithmetic, .value) where comparator == .in, (.typeOf, .value) where comparator == .in:
            throw failure(
                at: rightStart, found: "a single value", expected: "a list of values or a key path after IN"
            )
        default: break
        }
    }
}
