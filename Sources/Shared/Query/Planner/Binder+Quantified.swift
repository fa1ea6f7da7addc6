import CausewayModel

extension Binder {
    /// `ANY {1, 2} == age` holds for one of the values by itself, ALL for each, NONE for no one.
    func bind(
        _ comparison: Comparison, _ quantifier: Quantifier, _ values: [Value], isLeft: Bool, depth: Int
    ) throws(QueryError) -> BoundPredicate {
        guard comparison.quantifier == .implied || comparison.quantifier == .any else {
            throw QueryError(
                .comparator, "Invalid predicate: ALL and NONE cannot stand beside a list with a quantifier",
                remedy: "Write an AND or OR of comparisons with the single values.")
        }
        var plain = comparison
        if !isLeft, comparison.comparator == .equal, quantifier != .all {
            plain.comparator = .in
            plain.right = .values(values)
            let found = try bind(plain, depth: depth)
            return quantifier == .any ? found : .not(found)
        }
        guard values.count <= QueryLimits.quantifiedValues else {
            throw QueryError(
                .limit,
                "The list of values is too long: \(values.count), and at most \(QueryLimits.quantifiedValues) are taken "
                    + "behind a quantifier",
                remedy: "Write IN {…}, which takes more.")
        }
        let parts = try values.map { value throws(QueryError) -> BoundPredicate in
            if isLeft { plain.left = .value(value) } else { plain.right = .value(value) }
            return try bind(plain, depth: depth)
        }
        switch quantifier {
        case .implied, .any: return .or(parts)
        case .all: return .and(parts)
        case .none: return .not(.or(parts))
        }
    }
}
