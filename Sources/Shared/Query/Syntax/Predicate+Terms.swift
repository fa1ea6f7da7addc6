extension Predicate {
    /// The cost of the predicate for one object, in comparisons. Each comparison counts, also in a SUBQUERY, and each
    /// number that arithmetic computes with. Of a list with a quantifier every value counts, of another list or a
    /// polygon every sixteenth.
    ///
    /// - Complexity: linear in the predicate.
    package var termCount: Int {
        switch self {
        case .constant: 1
        case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.termCount }
        case .not(let part): part.termCount
        case .comparison(let comparison): 1 + comparison.left.termCount + comparison.right.termCount
        case .geoWithin(let within): 1 + within.shape.places.count / 16
        }
    }
}

extension Expression {
    fileprivate var termCount: Int {
        switch self {
        case .path, .value, .claim, .typeOf: 0
        case .arithmetic(let arithmetic): arithmetic.operandCount
        case .values(let values): values.count / 16
        case .quantified(_, let values): values.count
        case .subquery(let subquery): subquery.condition.termCount
        }
    }
}

extension Arithmetic {
    fileprivate var operandCount: Int {
        switch self {
        case .path, .value, .claim: 1
        case .operation(let left, _, let right): left.operandCount + right.operandCount
        }
    }
}
