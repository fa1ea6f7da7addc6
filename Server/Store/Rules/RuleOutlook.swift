package import CausewayModel
package import CausewayQuery

/// What is true of a rule for every caller and every object, as far as it can be told without any.
package enum RuleOutlook: Hashable, Sendable {
    /// Nothing is known: the rule may permit, and it may refuse.
    case open
    /// It permits nothing to anybody. The sentence says why.
    case never(String)
    /// It permits everything to everybody.
    case always
}

extension AccessRules {
    /// Looks for rules that can never be true, or are always true.
    ///
    /// Sound, not complete: what it says of a rule holds for all callers and all objects, and of a rule that it cannot
    /// decide it says `open`.
    ///
    /// - Parameters:
    ///   - forms: a comparison with claims, once for each form that the claims' values may have. Nil where that cannot be
    ///     listed.
    ///   - text: how a part of the rule is shown. Comparisons with claims are the same if their texts are.
    package static func outlook(
        of rule: Predicate, in className: String, _ schema: Schema, mayUseLinks: Bool,
        forms: (Predicate) -> [Predicate]?, text: (Predicate) -> String
    ) -> RuleOutlook {
        let binder = RuleBinder(className: className, schema: schema, mayUseLinks: mayUseLinks)
        let outline = binder.outline(rule, forms: forms, text: text)
        let permitting = outline.alternatives(true, orUnknown: false)
        if let reason = permitting?.contradiction(in: schema) { return .never(reason) }
        if outline.alternatives(false, orUnknown: true)?.contradiction(in: schema) != nil { return .always }
        return .open
    }
}

/// The logic of a rule, down to comparisons that are true, false or unknown by themselves.
indirect enum RuleOutline {
    case constant(Bool)
    case and([RuleOutline])
    case or([RuleOutline])
    case not(RuleOutline)
    case leaf(Leaf)

    struct Leaf: Hashable {
        enum Kind: Hashable {
            /// Nobody has an answer to it.
            case unknown
            /// Has an answer for every object.
            case bound(BoundPredicate)
            /// Depends on the caller, and is unknown for some.
            case ofCaller
        }

        var kind: Kind
        /// As it is shown.
        var text: String
    }
}

extension RuleBinder {
    /// The recursion is as deep as the rule's text, which the parser bounds.
    fileprivate func outline(
        _ predicate: Predicate, forms: (Predicate) -> [Predicate]?, text: (Predicate) -> String
    ) -> RuleOutline {
        switch predicate {
        case .constant(let answer): return .constant(answer)
        case .and(let parts): return .and(parts.map { outline($0, forms: forms, text: text) })
        case .or(let parts): return .or(parts.map { outline($0, forms: forms, text: text) })
        case .not(let part): return .not(outline(part, forms: forms, text: text))
        case .comparison(let comparison) where comparison.hasClaim:
            let known = forms(predicate)?.contains { isAnswered($0) } ?? true
            return .leaf(.init(kind: known ? .ofCaller : .unknown, text: text(predicate)))
        case .comparison, .geoWithin:
            guard let bound = leaf(predicate) else { return .leaf(.init(kind: .unknown, text: text(predicate))) }
            return RuleOutline(bound, text: text(predicate))
        }
    }

    private func isAnswered(_ form: Predicate) -> Bool {
        if case .constant = form { true } else { leaf(form) != nil }
    }
}

extension RuleOutline {
    /// Logic inside of what one comparison was bound to counts as logic of the rule.
    fileprivate init(_ bound: BoundPredicate, text: String) {
        switch bound {
        case .constant(let answer): self = .constant(answer)
        case .and(let parts): self = .and(parts.map { RuleOutline($0, text: text) })
        case .or(let parts): self = .or(parts.map { RuleOutline($0, text: text) })
        case .not(let part): self = .not(RuleOutline(part, text: text))
        default: self = .leaf(Leaf(kind: .bound(bound), text: text))
        }
    }
}
