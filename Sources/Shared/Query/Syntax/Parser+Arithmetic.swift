import CausewayModel

extension Parser {
    /// One side of a comparison: an operand, or numbers that are computed.
    mutating func expression() throws(QueryError) -> Expression {
        let start = lexeme.position
        var left = try product()
        while let sign = try takeSign(.plus, .minus) {
            let rightStart = lexeme.position
            left = try combined(left, sign, try product(), at: start, rightStart)
        }
        return left
    }

    private mutating func product() throws(QueryError) -> Expression {
        let start = lexeme.position
        var left = try operand()
        while let sign = try takeSign(.times, .divided) {
            let rightStart = lexeme.position
            left = try combined(left, sign, try operand(), at: start, rightStart)
        }
        return left
    }

    /// An expression in parentheses. The caller has seen the first of them.
    mutating func parenthesised() throws(QueryError) -> Expression {
        let start = lexeme.position
        try advance()
        let inside = try deeper(at: start) { parser throws(QueryError) in try parser.expression() }
        guard try take(.closeParenthesis) else { throw unexpected("'+', '-', '*', '/' or ')'") }
        return inside
    }

    private mutating func takeSign(
        _ first: ArithmeticOperator, _ second: ArithmeticOperator
    ) throws(QueryError) -> ArithmeticOperator? {
        splitSign()
        for sign in [first, second] where try take(sign.symbol) { return sign }
        return nil
    }

    /// Behind an operand a sign is an operator: `age -1` takes one away.
    private mutating func splitSign() {
        guard case .literal = lexeme.token else { return }
        let sign: Token.Symbol
        switch lexer.text[lexeme.position] {
        case UInt8(ascii: "-"): sign = .minus
        case UInt8(ascii: "+"): sign = .plus
        default: return
        }
        lexer.offset = lexeme.position + 1
        lexeme = Lexeme(token: .symbol(sign), position: lexeme.position, end: lexer.offset)
    }

    private mutating func combined(
        _ left: Expression, _ sign: ArithmeticOperator, _ right: Expression, at leftStart: Int, _ rightStart: Int
    ) throws(QueryError) -> Expression {
        operations += 1
        guard operations <= QueryLimits.arithmeticOperations else {
            throw failure(
                at: rightStart, .limit, found: "one more operation",
                expected: "at most \(QueryLimits.arithmeticOperations) arithmetic operations in a comparison")
        }
        return .arithmetic(.operation(try number(left, at: leftStart), sign, try number(right, at: rightStart)))
    }

    private func number(_ operand: Expression, at start: Int) throws(QueryError) -> Arithmetic {
        switch operand {
        case .arithmetic(let arithmetic): return arithmetic
        case .path(let path): return .path(path)
        case .value(.int), .value(.float), .value(.double), .value(.decimal):
            if case .value(let value) = operand { return .value(value) }
        case .value(let value): throw notANumber(value.isNull ? "nil" : value.shown, at: start)
        case .values, .quantified: throw notANumber("a list", at: start)
        case .subquery: throw notANumber("a SUBQUERY", at: start)
        case .typeOf: throw notANumber("a type", at: start)
        case .claim: throw notANumber("a claim", at: start)
        }
        preconditionFailure("Every number is a value.")
    }

    private func notANumber(_ found: String, at start: Int) -> QueryError {
        failure(
            at: start, found: found, expected: "a number or a key path to one",
            remedy: "Arithmetic takes ints, floats, doubles and decimals, and key paths to them.")
    }
}
