import CausewayQuery
import Foundation

/// Whether a Bool expression of a predicate holds, as conditions of a query.
///
/// A predicate can also throw, as `$0.friend!.age > 3` does for an object without a friend. Then it neither holds nor
/// fails. So both are kept, because the negation of an expression that throws does not hold either.
struct PredicateTruth {
    let holds: CausewayQuery.Predicate
    /// When it is false. Nil if it never throws: then it is false whenever it does not hold.
    let fails: CausewayQuery.Predicate?
    /// The objects that it looks at.
    let variables: Set<PredicateExpressions.VariableID>

    init(
        _ holds: CausewayQuery.Predicate, fails: CausewayQuery.Predicate? = nil,
        _ variables: Set<PredicateExpressions.VariableID>
    ) {
        self.holds = holds
        self.fails = fails
        self.variables = variables
    }

    init(_ constant: Bool) {
        self.init(.constant(constant), [])
    }

    /// What throws for every object.
    static let undefined = PredicateTruth(.constant(false), fails: .constant(false), [])

    var isTotal: Bool { fails == nil }

    /// When it is false.
    var failure: CausewayQuery.Predicate { fails ?? Self.negation(of: holds) }

    static prefix func ! (truth: Self) -> Self {
        guard let fails = truth.fails else { return Self(negation(of: truth.holds), truth.variables) }
        return Self(fails, fails: truth.holds, truth.variables)
    }

    /// The right side counts only where the left one holds, as `&&` evaluates it.
    static func && (left: Self, right: Self) -> Self {
        let fails =
            left.isTotal && right.isTotal
            ? nil : either(left.failure, both(left.holds, right.failure))
        return Self(both(left.holds, right.holds), fails: fails, left.variables.union(right.variables))
    }

    /// The right side counts only where the left one fails, as `||` evaluates it.
    static func || (left: Self, right: Self) -> Self {
        let later = left.isTotal ? right.holds : both(left.failure, right.holds)
        let fails = left.isTotal && right.isTotal ? nil : both(left.failure, right.failure)
        return Self(either(left.holds, later), fails: fails, left.variables.union(right.variables))
    }

    /// The first truth where this one holds, and the second where it fails.
    func choosing(_ yes: Self, _ no: Self) -> Self {
        let fails =
            isTotal && yes.isTotal && no.isTotal
            ? nil : Self.either(Self.both(holds, yes.failure), Self.both(failure, no.failure))
        return Self(
            Self.either(Self.both(holds, yes.holds), Self.both(failure, no.holds)), fails: fails,
            variables.union(yes.variables).union(no.variables))
    }

    // MARK: - Conditions, with the constants among them removed

    static func both(_ left: CausewayQuery.Predicate, _ right: CausewayQuery.Predicate) -> CausewayQuery.Predicate {
        if left == .constant(false) || right == .constant(false) { return .constant(false) }
        return .all(of: [left, right])
    }

    static func either(_ left: CausewayQuery.Predicate, _ right: CausewayQuery.Predicate) -> CausewayQuery.Predicate {
        if left == .constant(true) || right == .constant(true) { return .constant(true) }
        return .any(of: [left, right])
    }

    static func negation(of predicate: CausewayQuery.Predicate) -> CausewayQuery.Predicate {
        switch predicate {
        case .constant(let value): .constant(!value)
        case .not(let inner): inner
        default: .not(predicate)
        }
    }
}
