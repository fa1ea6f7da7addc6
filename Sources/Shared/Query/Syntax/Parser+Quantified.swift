import CausewayModel

// Lists with a quantifier of their own: `ANY {1, 2} == age`, `name BEGINSWITH ANY {'a', 'b'}`, `ALL {1, 2} IN scores`;
// and a quantifier before the path on the right: `5 == ANY scores`.

extension Parser {
    /// ANY, ALL or NONE before one side, and what stands behind it.
    ///
    /// A list takes the quantifier; one that stands before a path belongs to the comparison.
    ///
    /// - Returns: the quantifier, the expression, and where the expression begins, for errors.
    mutating func quantifiedExpression() throws(QueryError) -> (Quantifier, Expression, start: Int) {
        guard let written = keyword?.quantifier else {
            let start = lexeme.position
            return (.implied, try expression(), start)
        }
        try advance()
        let start = lexeme.position
        let expression = try expression()
        guard case .values(let values) = expression else { return (written, expression, start) }
        return (.implied, .quantified(written, values), start)
    }

    /// The comparison's quantifier, where each side may have one of its own.
    func joined(
        _ left: Quantifier, _ right: Quantifier, _ sides: (left: Expression, right: Expression),
        _ comparator: Comparator, at rightStart: Int
    ) throws(QueryError) -> Quantifier {
        guard left == .implied || right == .implied else {
            throw failure(
                at: rightStart, found: "a second quantifier", expected: "ANY, ALL or NONE on one side only")
        }
        let quantifier = left == .implied ? right : left
        let isListLeft = sides.left.isQuantifiedList
        let isListRight = sides.right.isQuantifiedList
        guard isListLeft || isListRight else { return quantifier }
        guard quantifier == .implied || quantifier == .any else {
            throw failure(
                at: rightStart, found: "a second quantifier", expected: "no ALL or NONE before the key path",
                remedy: "Write an AND or OR of comparisons with the single values.")
        }
        let isAllowed = comparator == .in ? isListLeft : comparator != .between
        guard isAllowed else {
            throw failure(
                at: rightStart, found: "a list with a quantifier",
                expected: "a list without ANY, ALL or NONE after \(comparator.text)")
        }
        if case .subquery = isListLeft ? sides.right : sides.left {
            throw failure(at: rightStart, found: "a SUBQUERY", expected: "a key path beside a list with a quantifier")
        }
        return quantifier
    }
}

extension Expression {
    /// A list without a quantifier stands for any of its values, but for the operands of IN and BETWEEN.
    var askingForAny: Expression {
        if case .values(let values) = self { .quantified(.any, values) } else { self }
    }

    fileprivate var isQuantifiedList: Bool {
        if case .quantified = self { true } else { false }
    }

    /// Whether it is the same for every object.
    var isConstant: Bool {
        switch self {
        case .value, .values, .quantified: true
        case .arithmetic(let arithmetic): arithmetic.paths.isEmpty
        default: false
        }
    }
}
