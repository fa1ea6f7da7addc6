package import CausewayStore
import Synchronization

/// Says what callers may do in one database, by the current rules.
///
/// Callers with the same claims share one answer, so that a thousand sessions of a team bind its rules once.
package final class PermissionOffice: Sendable {
    /// Guarded by itself; held for a lookup or an insert.
    private let state: Mutex<State>

    private struct State {
        /// Nil when everything is permitted.
        var rules: PermissionRules?
        var known: [AccessRules: Permissions] = [:]
    }

    /// How many answers are kept. Beyond that all are dropped and worked out again.
    private static let knownMax = 10_000

    package init(_ rules: PermissionRules?) {
        state = Mutex(State(rules: rules))
    }

    /// Replaces the rules. Sessions ask again when they are told to.
    package func replace(by rules: PermissionRules?) {
        state.withLock { $0 = State(rules: rules) }
    }

    /// The rules in force; nil when everything is permitted.
    package var rules: PermissionRules? { state.withLock(\.rules) }

    /// What a caller may do; nil when there are no rules.
    package func permissions(of caller: Caller) -> Permissions? {
        guard let rules else { return nil }
        let resolved = rules.rules(for: caller)
        return state.withLock { state in
            // The rules were replaced meanwhile: the answer is good for this once, and not kept.
            guard state.rules == rules else { return Permissions(resolved) }
            if let known = state.known[resolved] { return known }
            if state.known.count >= Self.knownMax { state.known.removeAll() }
            let permissions = Permissions(resolved)
            state.known[resolved] = permissions
            return permissions
        }
    }
}
