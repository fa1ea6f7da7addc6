extension Predicate {
    /// The cost of the predicate for one object, in comparisons. Each comparison counts, also in a SUBQUERY, and each
    /// number that arithmetic computes with. Of a list with a quantifier every value counts, unless it is compared by `==
    /// ANY` or `== NONE`. Of such a list, another list or a polygon every sixteenth counts.
    ///
    /// - Complexity: linear in the predicate.
    package var termCount: Int {
        switch self {
        case .constant: 1
        case .and(let parts), .or(let parts): parts.reduce(1) { $0 + $1.termCount }
        case .not(let part): part.termCount
        case .comparison(let comparison): comparison.termCount
        case .geoWithin(let within): 1 + within.shape.places.count / 16
        }
    }
}

extension Comparison {
    fileprivate var termCount: Int {
        // Equality with any of a list is bound as IN.
        if comparator == .equal, quantifier == .implied || quantifier == .any {
            switch (left, right) {
            case (.quantified(.any, let values), .path), (.path, .quantified(.any, let values)),
                (.quantified(.none, let values), .path), (.path, .quantified(.none, let values)):
                return 1 + values.count / 16
            default: break
            }
        }
        return 1 + left.termCount + right.termCount
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
