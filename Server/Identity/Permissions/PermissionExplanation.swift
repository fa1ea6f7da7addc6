package import CausewayStore

/// Why a user may or may not do something with one object: for each right the rule that decides, and how it comes out.
package struct PermissionExplanation: Hashable, Sendable {
    package var className: String
    /// In the order of `PermissionRules.Right`.
    package var rights: [RuleExplanation]
    /// In the order of the schema, without the primary key, which goes where its object goes.
    package var properties: [OfProperty]

    package struct OfProperty: Hashable, Sendable {
        package var name: String
        /// Of the property's own rules alone.
        package var read: RuleExplanation
        package var write: RuleExplanation
        /// The outcome: a property can be read where its object and itself can.
        package var mayRead: RuleVerdict
        package var mayWrite: RuleVerdict
    }

    package subscript(right: PermissionRules.Right) -> RuleExplanation? { rights.first { $0.right == right } }
}

package enum RuleVerdict: String, CaseIterable, Hashable, Sendable {
    case permitted
    /// The rule is known to be false.
    case refused
    /// The rule has no answer for this user and object, so it permits nothing.
    case unknown

    init(_ answer: RuleAnswer) {
        self =
            switch answer {
            case .yes: .permitted
            case .no: .refused
            case .unknown: .unknown
            }
    }

    /// Permitted where both are.
    func and(_ other: RuleVerdict) -> RuleVerdict {
        if self == .refused || other == .refused { return .refused }
        return self == .unknown || other == .unknown ? .unknown : .permitted
    }
}

/// One right, the rule that decides about it, and how it comes out.
package struct RuleExplanation: Hashable, Sendable {
    package var right: PermissionRules.Right
    package var verdict: RuleVerdict
    /// Where the rule stands in the section `permissions`: `classes.Task.read`. Nil without such a section.
    package var key: String?
    /// The keys that were left out, so that this rule stands in for theirs.
    package var leftOut: [String]
    /// What decides in place of the rule, or beside it; nil where the rule alone does.
    package var note: String?
    package var part: RulePart
}

/// A rule, or what AND, OR and NOT in it stand before.
package struct RulePart: Hashable, Sendable {
    package var form: JudgedPart.Form
    package var answer: RuleAnswer
    /// As configured.
    package var written: String
    /// With the caller's claims put in.
    package var forCaller: String
    /// The claims that the caller does not have in a form that can be compared.
    package var missingClaims: [String]
    package var parts: [RulePart]

    /// Longer texts are cut off: a claim may hold a long list.
    package static let textBytesMax = 2_000
}
