package import CausewayModel
package import CausewayQuery
import CausewayStore

// Why a user may do something. The verdicts come from the rules that devices are judged by (`BoundRules`), and the parts
// of a rule are bound as they are.

extension PermissionRules {
    /// Explains what a caller may do with one object.
    ///
    /// - Parameters:
    ///   - rules: nil where the database has none, and everything is permitted.
    ///   - matches: whether the object matches a predicate that is bound to its class.
    /// - Returns: nil for a class that the schema does not have, and for an embedded one: its objects are parts of others.
    package static func explanation<Failure: Error>(
        _ rules: PermissionRules?, for caller: Caller, of className: String, in schema: Schema,
        _ matches: (BoundPredicate) throws(Failure) -> Bool
    ) throws(Failure) -> PermissionExplanation? {
        let access = (rules ?? PermissionRules()).rules(for: caller)
        guard let classSchema = schema[className], let bound = Permissions(access).bound(in: schema)[className] else {
            return nil
        }
        let explaining = RuleExplaining(rules: rules, caller: caller, classSchema: classSchema, schema: schema)
        var rights: [RuleExplanation] = []
        for right in Right.allCases {
            let permits = try matches(bound[right])
            rights.append(try explaining.explanation(of: right, permits: permits, matches))
        }
        let readable = rights[Right.read.place].verdict
        let writable = rights[Right.write.place].verdict
        var properties: [PermissionExplanation.OfProperty] = []
        for (number, property) in classSchema.properties.enumerated() where !property.isPrimaryKey {
            let read = try explaining.explanation(
                of: .read, property: property, permits: try matches(bound.readable[number] ?? .constant(true)), matches)
            let write = try explaining.explanation(
                of: .write, property: property, permits: try matches(bound.writable[number] ?? .constant(true)),
                matches)
            properties.append(
                PermissionExplanation.OfProperty(
                    name: property.name, read: read, write: write, mayRead: readable.and(read.verdict),
                    mayWrite: writable.and(write.verdict)))
        }
        return PermissionExplanation(className: className, rights: rights, properties: properties)
    }
}

extension PermissionRules.Right {
    /// In `allCases`.
    fileprivate var place: Int {
        switch self {
        case .read: 0
        case .create: 1
        case .write: 2
        case .delete: 3
        }
    }
}

extension BoundRules.OfClass {
    fileprivate subscript(right: PermissionRules.Right) -> BoundPredicate {
        switch right {
        case .read: read
        case .create: create
        case .write: write
        case .delete: delete
        }
    }
}

/// What the explanations of one class share.
private struct RuleExplaining {
    let rules: PermissionRules?
    let caller: Caller
    let classSchema: ClassSchema
    let schema: Schema

    /// Where the class's rules stand.
    private var key: String { rules?.byClass[classSchema.name] == nil ? "default" : "classes.\(classSchema.name)" }

    private var ofClass: PermissionRules.OfClass? { rules.map { $0.byClass[classSchema.name] ?? $0.otherwise } }

    func explanation<Failure: Error>(
        of right: PermissionRules.Right, permits: Bool, _ matches: (BoundPredicate) throws(Failure) -> Bool
    ) throws(Failure) -> RuleExplanation {
        var explained = try explanation(ofClass?.deciding(right), right, under: key, permits: permits, matches)
        guard classSchema.kind == .asymmetric else { return explained }
        switch right {
        case .read:
            (explained.verdict, explained.note) = (
                .refused, "The objects of the class are one-way: no device reads them, whatever the rule says."
            )
        case .write: explained.note = "One-way objects are only created. This rule decides about replacing one."
        case .delete:
            (explained.verdict, explained.note) = (
                .refused, "The objects of the class are one-way: no device deletes them, whatever the rule says."
            )
        case .create: break
        }
        return explained
    }

    func explanation<Failure: Error>(
        of right: PermissionRules.Right, property: Property, permits: Bool,
        _ matches: (BoundPredicate) throws(Failure) -> Bool
    ) throws(Failure) -> RuleExplanation {
        let deciding = ofClass?.properties[property.name]?.deciding(right)
        return try explanation(
            deciding, right, under: "\(key).properties.\(property.name)", permits: permits, matches)
    }

    /// - Parameters:
    ///   - deciding: nil where there is no rule, which permits.
    ///   - permits: what the rule that devices are judged by says.
    private func explanation<Failure: Error>(
        _ deciding: PermissionRules.Deciding?, _ right: PermissionRules.Right, under key: String, permits: Bool,
        _ matches: (BoundPredicate) throws(Failure) -> Bool
    ) throws(Failure) -> RuleExplanation {
        let rule = deciding?.rule ?? .always
        let judged = try rule.rule(for: caller).judged(
            of: classSchema.name, in: schema, mayUseLinks: right != .read, matches)
        let explained = RuleExplanation(
            right: right, verdict: permits ? .permitted : judged.answer == .unknown ? .unknown : .refused,
            key: deciding.map { "\(key).\($0.key.rawValue)" },
            leftOut: deciding?.leftOut.map { "\(key).\($0.rawValue)" } ?? [], note: nil, part: part(judged, of: rule))
        return noted(explained, judged.answer, permits)
    }

    /// A property that may hold objects of an embedded class with rules of its own is closed, whatever its rule says.
    private func noted(_ explained: RuleExplanation, _ answer: RuleAnswer, _ permits: Bool) -> RuleExplanation {
        guard answer == .yes, !permits else { return explained }
        var explained = explained
        explained.verdict = .refused
        explained.note =
            "The property holds embedded objects whose class has a rule of its own, which the server cannot evaluate. Give "
            + "the rule to the property, and take it from the embedded class."
        return explained
    }

    // MARK: - Parts

    private func part(_ judged: JudgedPart, of rule: PermissionRules.Rule) -> RulePart {
        switch rule {
        case .always, .never:
            let text = rule == .always ? "true" : "false"
            return RulePart(
                form: .comparison, answer: judged.answer, written: text, forCaller: text, missingClaims: [], parts: [])
        case .when(let template):
            var whole = part(judged, template.predicate, template)
            whole.written = Self.clipped(template.text)
            return whole
        }
    }

    /// - Parameter written: the same part before claims were put in. Putting them in changes comparisons only.
    private func part(_ judged: JudgedPart, _ written: Predicate, _ template: RuleTemplate) -> RulePart {
        let inner = zip(judged.parts, written.parts).map { part($0, $1, template) }
        var missing: [String] = []
        for number in written.claims where !template.hasValue(number, for: caller) {
            let text = template.mentions[number].text
            if !missing.contains(text) { missing.append(text) }
        }
        return RulePart(
            form: judged.form, answer: judged.answer,
            written: Self.clipped(template.named(written.description)),
            forCaller: Self.clipped(template.named(judged.predicate.description)), missingClaims: missing, parts: inner)
    }

    private static func clipped(_ text: String) -> String {
        guard text.utf8.count > RulePart.textBytesMax else { return text }
        return String(decoding: text.utf8.prefix(RulePart.textBytesMax), as: UTF8.self) + "…"
    }
}

extension Predicate {
    /// What AND, OR and NOT stand before.
    fileprivate var parts: [Predicate] {
        switch self {
        case .and(let parts), .or(let parts): parts
        case .not(let part): [part]
        case .constant, .comparison, .geoWithin: []
        }
    }

    /// The numbers of the claims that it asks for.
    fileprivate var claims: [Int] {
        switch self {
        case .comparison(let comparison): comparison.claims
        case .constant, .geoWithin: []
        case .and, .or, .not: parts.flatMap(\.claims)
        }
    }
}
