package import CausewayModel

extension BoundPredicate {
    /// The classes whose properties the predicate names by their places.
    package var classNames: Set<ExactString> {
        switch self {
        case .constant: []
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.classNames) }
        case .not(let part): part.classNames
        case .comparison(let comparison):
            if case .path(let other) = comparison.operand {
                comparison.path.classNames.union(other.classNames)
            } else {
                comparison.path.classNames
            }
        case .subquery(let subquery):
            BoundPredicate.comparison(subquery.count).classNames.union(subquery.condition.classNames)
        case .geoWithin(let within): within.path.classNames.union([ExactString(within.target)])
        case .computed(let computation): computation.paths.reduce(into: []) { $0.formUnion($1.classNames) }
        case .pairs(let pairs): pairs.paths.reduce(into: []) { $0.formUnion($1.classNames) }
        case .type(let test): test.paths.reduce(into: []) { $0.formUnion($1.classNames) }
        }
    }
}

extension BoundPath {
    /// The classes whose properties the path names by their places, and those that its links lead to.
    package var classNames: Set<ExactString> {
        Set(steps.flatMap { [$0.className, $0.target].compactMap { $0.map { ExactString($0) } } })
    }
}
