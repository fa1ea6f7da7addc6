import CausewayModel

// Lists with a quantifier of their own: `ANY {1, 2} == age`, `name BEGINSWITH ANY {'a', 'b'}`, `ALL {1, 2} IN scores`;
// and quantifiers before paths on both sides: `ANY scores > ALL limits`.

/// One side of a comparison as written.
struct ComparisonSide {
    /// Before a path. A list takes its quantifier itself.
    var quantifier: Quantifier
    var expression: Expression
    /// Where it begins, for errors.
    var start: Int
    var digits: [Int: DecimalNumber]
}

extension Parser {
    mutating func side() throws(QueryError) -> ComparisonSide {
        (digits, place) = ([:], 0)
        let written = keyword?.quantifier
        if written != nil { try advance() }
        let start = lexeme.position
        let expression = try expression()
        let side = ComparisonSide(
            quantifier: written ?? .implied, expression: expression, start: start, digits: digits)
        guard let written, case .values(let values) = expression else { return side }
        return ComparisonSide(
            quantifier: .implied, expression: .quantified(written, values), start: start, digits: side.digits)
    }

    /// A list without a quantifier means any of its values: behind == it is the list of an IN, elsewhere ANY. IN before a
    /// list with a quantifier is ==.
    func settleLists(_ left: inout ComparisonSide, _ comparator: inout Comparator, _ right: inout ComparisonSide) {
        // ANY of the list that equals each element is not each element that equals ANY of the list.
        let mayTurn = right.quantifier == .implied || right.quantifier == .any
        if case .values = left.expression, comparator == .equal, !right.expression.isConstant, mayTurn {
            swap(&left, &right)
        }
        if case .values = right.expression, comparator == .equal, !left.expression.isConstant { comparator = .in }
        left.expression = left.expression.askingForAny
        if comparator == .in, left.expression.isQuantifiedList { right.expression = right.expression.askingForAny }
        if comparator == .in, right.expression.isQuantifiedList { comparator = .equal }
        if comparator != .in, comparator != .between { right.expression = right.expression.askingForAny }
    }

    /// The comparison of two sides, each of which may have a quantifier.
    func joined(
        _ left: ComparisonSide, _ comparator: Comparator, _ options: TextOptions, _ right: ComparisonSide
    ) throws(QueryError) -> Comparison {
        var comparison = Comparison(
            quantifier: left.quantifier, left.expression, comparator, right.expression, options: options)
        comparison.digits = WrittenDigits(left: left.digits, right: right.digits)
        if case (.path, .path) = (left.expression, right.expression) {
            comparison.rightQuantifier = right.quantifier
            return comparison
        }
        guard left.quantifier == .implied || right.quantifier == .implied else {
            throw failure(
                at: right.start, found: "a second quantifier", expected: "ANY, ALL or NONE on one side only",
                remedy: "Both sides may have one if each is a key path or a list.")
        }
        if left.quantifier == .implied { comparison.quantifier = right.quantifier }
        let hasList = left.expression.isQuantifiedList || right.expression.isQuantifiedList
        guard hasList else { return comparison }
        guard comparator != .between else {
            throw failure(
                at: right.start, found: "a list with a quantifier",
                expected: "a list without ANY, ALL or NONE after BETWEEN")
        }
        if case .subquery = left.expression.isQuantifiedList ? right.expression : left.expression {
            throw failure(
                at: right.start, found: "a SUBQUERY", expected: "a key path beside a list with a quantifier")
        }
        return comparison
    }
}

extension Expression {
    /// A list without a quantifier stands for any of its values, but for the operands of IN and BETWEEN.
    var askingForAny: Expression {
        if case .values(let values) = self { .quantified(.any, values) } else { self }
    }

    var isQuantifiedList: Bool {
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
