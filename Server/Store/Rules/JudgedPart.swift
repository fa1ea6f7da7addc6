package import CausewayModel
package import CausewayQuery

/// The answer of a rule, or of a part of a rule, for one object. Logic with unknowns has three values, and only `yes`
/// permits anything.
package enum RuleAnswer: String, CaseIterable, Hashable, Sendable {
    case yes = "true"
    case no = "false"
    case unknown

    /// True if all are, false if one is false.
    package static func all(_ answers: some Sequence<RuleAnswer>) -> RuleAnswer {
        var result = yes
        for answer in answers {
            if answer == .no { return .no }
            if answer == .unknown { result = .unknown }
        }
        return result
    }

    /// True if one is, false if all are false.
    package static func any(_ answers: some Sequence<RuleAnswer>) -> RuleAnswer {
        all(answers.lazy.map(\.negated)).negated
    }

    package var negated: RuleAnswer {
        switch self {
        case .yes: .no
        case .no: .yes
        case .unknown: .unknown
        }
    }
}

/// A rule with the answers of its parts for one object, for an operator who asks why.
package struct JudgedPart: Hashable, Sendable {
    package enum Form: String, CaseIterable, Hashable, Sendable {
        case and
        case or
        case not
        case comparison
    }

    package var form: Form
    package var answer: RuleAnswer
    /// What was judged: the rule for one caller, with their claims put in.
    package var predicate: Predicate
    /// What AND, OR and NOT stand before; empty for a comparison.
    package var parts: [JudgedPart]
}

extension AccessRules.Rule {
    /// Judges every part of the rule for one object. Comparisons are bound exactly as they are for devices, so the whole
    /// is `yes` if and only if the bound rule matches.
    ///
    /// - Parameter matches: whether the object matches a predicate that is bound to its class.
    /// - Complexity: each comparison is evaluated once, also those that the answer does not depend on.
    package func judged<Failure: Error>(
        of className: String, in schema: Schema, mayUseLinks: Bool,
        _ matches: (BoundPredicate) throws(Failure) -> Bool
    ) throws(Failure) -> JudgedPart {
        let binder = RuleBinder(className: className, schema: schema, mayUseLinks: mayUseLinks)
        switch self {
        case .always: return try binder.judged(.constant(true), matches)
        case .never: return try binder.judged(.constant(false), matches)
        case .when(let predicate): return try binder.judged(predicate, matches)
        }
    }
}

extension RuleBinder {
    /// The recursion is as deep as the rule's text, which the parser bounds.
    fileprivate func judged<Failure: Error>(
        _ predicate: Predicate, _ matches: (BoundPredicate) throws(Failure) -> Bool
    ) throws(Failure) -> JudgedPart {
        switch predicate {
        case .constant(let answer):
            return JudgedPart(form: .comparison, answer: answer ? .yes : .no, predicate: predicate, parts: [])
        case .and(let parts):
            let judged = try parts.map { part throws(Failure) in try self.judged(part, matches) }
            return JudgedPart(form: .and, answer: .all(judged.map(\.answer)), predicate: predicate, parts: judged)
        case .or(let parts):
            let judged = try parts.map { part throws(Failure) in try self.judged(part, matches) }
            return JudgedPart(form: .or, answer: .any(judged.map(\.answer)), predicate: predicate, parts: judged)
        case .not(let part):
            let judged = try self.judged(part, matches)
            return JudgedPart(form: .not, answer: judged.answer.negated, predicate: predicate, parts: [judged])
        case .comparison, .geoWithin:
            var answer = RuleAnswer.unknown
            if let bound = leaf(predicate) { answer = try matches(bound) ? .yes : .no }
            return JudgedPart(form: .comparison, answer: answer, predicate: predicate, parts: [])
        }
    }
}
