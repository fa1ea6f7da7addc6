extension BoundPredicate {
    /// Calls `body` with the classes whose properties the predicate names by their places; with some of them more than once.
    package func forEachClass(_ body: (String) -> Void) {
        switch self {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { part.forEachClass(body) }
        case .not(let part): part.forEachClass(body)
        case .comparison(let comparison):
            comparison.path.forEachClass(body)
            if case .path(let other) = comparison.operand { other.forEachClass(body) }
        case .subquery(let subquery):
            BoundPredicate.comparison(subquery.count).forEachClass(body)
            subquery.condition.forEachClass(body)
        case .geoWithin(let within):
            within.path.forEachClass(body)
            body(within.target)
        case .computed(let computation): for path in computation.paths { path.forEachClass(body) }
        case .pairs(let pairs): for path in pairs.paths { path.forEachClass(body) }
        case .type(let test): for path in test.paths { path.forEachClass(body) }
        }
    }
}

extension BoundPath {
    /// Calls `body` with the classes whose properties the path names by their places, and those that its links lead to.
    package func forEachClass(_ body: (String) -> Void) {
        for step in steps {
            body(step.className)
            if let name = step.target { body(name) }
        }
    }
}
