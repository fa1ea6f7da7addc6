import CausewayQuery

/// Puts claims in the place of the names that stand for them while a rule's text is parsed.
struct ClaimPlaces {
    private let names: [String: Int]
    /// How often each claim was placed: once, unless its name stands where no value can.
    private var counts: [Int]

    init(count: Int) {
        names = Dictionary(uniqueKeysWithValues: (0..<count).map { (RuleTemplate.name(of: $0), $0) })
        counts = Array(repeating: 0, count: count)
    }

    /// Whether a claim stands in a comparison with a quantifier on both sides.
    private var hasTwoQuantifiers = false

    var isComplete: Bool { !hasTwoQuantifiers && counts.allSatisfy { $0 == 1 } }

    mutating func place(_ predicate: Predicate) -> Predicate {
        switch predicate {
        case .constant, .geoWithin: return predicate
        case .and(let parts): return .and(parts.map { place($0) })
        case .or(let parts): return .or(parts.map { place($0) })
        case .not(let part): return .not(place(part))
        case .comparison(var comparison):
            comparison.left = place(comparison.left)
            comparison.right = place(comparison.right)
            guard case (.path, .path) = (comparison.left, comparison.right) else {
                return .comparison(settled(comparison))
            }
            return .comparison(comparison)
        }
    }

    /// Beside a claim there is one collection at most, and it takes the one quantifier.
    private mutating func settled(_ comparison: Comparison) -> Comparison {
        var comparison = comparison
        if comparison.quantifier == .implied {
            (comparison.quantifier, comparison.rightQuantifier) = (comparison.rightQuantifier, .implied)
        }
        if comparison.rightQuantifier != .implied { hasTwoQuantifiers = true }
        return comparison
    }

    private mutating func place(_ side: Expression) -> Expression {
        switch side {
        case .path(let path): take(path).map(Expression.claim) ?? side
        case .arithmetic(let arithmetic): .arithmetic(place(arithmetic))
        case .value, .values, .subquery, .quantified, .typeOf, .claim: side
        }
    }

    private mutating func place(_ arithmetic: Arithmetic) -> Arithmetic {
        switch arithmetic {
        case .path(let path): take(path).map(Arithmetic.claim) ?? arithmetic
        case .value, .claim: arithmetic
        case .operation(let left, let sign, let right): .operation(place(left), sign, place(right))
        }
    }

    /// The claim that a path stands for: the name alone, with nothing after it.
    private mutating func take(_ path: PropertyPath) -> Int? {
        guard path.names.count == 1, path == PropertyPath(path.names), let number = names[path.names[0]] else {
            return nil
        }
        counts[number] += 1
        return number
    }
}
