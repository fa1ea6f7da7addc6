import CausewayModel
import CausewayQuery
import Foundation

/// Turns a condition on one value of a collection into one on all or any of them.
///
/// A query asks each value of a collection one question. So "any" goes over the parts of an OR, and "all" over those of an
/// AND; the other way round, different values might answer the parts.
struct QuantifiedValues {
    let path: PredicatePath

    func any(_ truth: PredicateTruth) throws -> PredicateTruth {
        let fails = try truth.fails.map { try all(PredicateTruth($0, [path.variable])).holds }
        return PredicateTruth(try any(truth.holds), fails: fails, [path.variable])
    }

    func all(_ truth: PredicateTruth) throws -> PredicateTruth {
        let fails = try truth.fails.map { try any(PredicateTruth($0, [path.variable])).holds }
        return PredicateTruth(try all(truth.holds), fails: fails, [path.variable])
    }

    private func any(_ predicate: CausewayQuery.Predicate) throws -> CausewayQuery.Predicate {
        switch predicate {
        case .constant(let holds): return holds ? count(.greater) : .constant(false)
        case .or(let parts): return .any(of: try parts.map(any))
        case .not(let part): return PredicateTruth.negation(of: try all(part))
        case .comparison(let comparison): return .comparison(try quantified(comparison, .any))
        case .and(let parts):
            if let between = between(parts) { return .comparison(try quantified(between, .any)) }
            throw combined("contains", "&&")
        case .geoWithin: throw combined("contains", "a shape")
        }
    }

    private func all(_ predicate: CausewayQuery.Predicate) throws -> CausewayQuery.Predicate {
        switch predicate {
        case .constant(let holds): return holds ? .constant(true) : count(.equal)
        case .and(let parts): return .all(of: try parts.map(all))
        case .not(let part): return PredicateTruth.negation(of: try any(part))
        case .comparison(let comparison): return .comparison(try quantified(comparison, .all))
        case .or: throw combined("allSatisfy", "||")
        case .geoWithin: throw combined("allSatisfy", "a shape")
        }
    }

    /// Compares the number of values with zero.
    private func count(_ comparator: CausewayQuery.Comparator) -> CausewayQuery.Predicate {
        .comparison(Comparison(.path(path.with(.count, Int.self).path), comparator, .value(.int(0))))
    }

    private func quantified(
        _ comparison: CausewayQuery.Comparison, _ quantifier: Quantifier
    ) throws -> CausewayQuery.Comparison {
        guard comparison.quantifier == .implied, comparison.left == .path(path.path),
            comparison.right.path != path.path
        else {
            throw PredicateRefusal(
                "the condition on the values of '\(path.text)' contains '\(comparison)'",
                remedy: "Compare the value itself with a constant or a property.")
        }
        var result = comparison
        result.quantifier = quantifier
        return result
    }

    /// `low <= value && value <= high` is one question.
    private func between(_ parts: [CausewayQuery.Predicate]) -> CausewayQuery.Comparison? {
        guard parts.count == 2, case .comparison(let first) = parts[0], case .comparison(let second) = parts[1],
            first.left == second.left, case .value(let one) = first.right, case .value(let other) = second.right
        else { return nil }
        // Texts have no BETWEEN.
        if case .string = one { return nil }
        switch (first.comparator, second.comparator) {
        case (.greaterOrEqual, .lessOrEqual): return Comparison(first.left, .between, .values([one, other]))
        case (.lessOrEqual, .greaterOrEqual): return Comparison(first.left, .between, .values([other, one]))
        default: return nil
        }
    }

    private func combined(_ function: String, _ part: String) -> PredicateRefusal {
        PredicateRefusal(
            "'\(function)' on the values of '\(path.text)' combines conditions with \(part), and a query asks each value "
                + "one question",
            remedy: "Ask about each part by itself if that means the same, or filter the results with a closure.")
    }
}
