package import CausewayModel
package import CausewayQuery

// Rules against a schema.
//
// A comparison that cannot be bound is unknown: it names a claim that the caller does not have, compares a claim of
// another type than the property's, names a property that does not exist, or follows a link where links are not
// allowed. Logic with unknowns has three values, and an unknown outcome permits nothing. Only `true` counts in the end.
// So it is enough to put `false` for a comparison under an even number of NOTs, and `true` under an odd one: without
// the claim `NOT role == $user.claims.role` permits nobody, and neither does `role == $user.claims.role`.

extension AccessRules.Rule {
    /// - Parameter mayUseLinks: whether the rule may look at other objects. Read rules may not, for the same reason as
    ///   subscriptions: a change of the other object would have to be noticed here.
    func bound(to className: String, in schema: Schema, mayUseLinks: Bool) -> BoundPredicate {
        switch self {
        case .always: .constant(true)
        case .never: .constant(false)
        case .when(let predicate):
            RuleBinder(className: className, schema: schema, mayUseLinks: mayUseLinks)
                .bind(predicate, unknownIs: false).folded
        }
    }

    /// Whether the caller's claims alone fulfil the rule, without looking at an object.
    package var holdsWithoutObject: Bool {
        bound(to: "", in: Schema(), mayUseLinks: false) == .constant(true)
    }
}

struct RuleBinder {
    let className: String
    let schema: Schema
    let mayUseLinks: Bool

    /// The recursion is as deep as the rule's text, which the parser bounds.
    func bind(_ predicate: Predicate, unknownIs unknown: Bool) -> BoundPredicate {
        switch predicate {
        case .constant(let answer): .constant(answer)
        case .and(let parts): .and(parts.map { bind($0, unknownIs: unknown) })
        case .or(let parts): .or(parts.map { bind($0, unknownIs: unknown) })
        case .not(let part): .not(bind(part, unknownIs: !unknown))
        case .comparison, .geoWithin: leaf(predicate) ?? .constant(unknown)
        }
    }

    /// A comparison against the schema; nil where its answer is unknown for every object.
    func leaf(_ predicate: Predicate) -> BoundPredicate? {
        for candidate in Self.readings(of: predicate) {
            guard let bound = try? candidate.bound(to: className, in: schema) else { continue }
            if bound.productOfCollections(in: schema) != nil { return nil }
            return mayUseLinks || bound.usesLinks(in: schema).isEmpty ? bound : nil
        }
        return nil
    }

    /// Claims have no identifier types: a string is also read as the UUID or ObjectId that it spells, and as the link
    /// to the object with that primary key. The first reading that fits the property's type counts.
    private static func readings(of predicate: Predicate) -> [Predicate] {
        let kinds: [(String) -> Value?] = [
            { UUID16(hyphenated: $0).map(Value.uuid) }, { ObjectIdentifier12(hexadecimal: $0).map(Value.objectId) },
            { .link(.string($0)) }, { UUID16(hyphenated: $0).map { .link(.uuid($0)) } },
            { ObjectIdentifier12(hexadecimal: $0).map { .link(.objectId($0)) } },
        ]
        return [predicate]
            + kinds.map { kind in
                predicate.mappingValues { _, value in
                    if case .string(let text) = value { kind(text) ?? value } else { value }
                }
            }
    }
}

extension BoundPredicate {
    /// The same predicate with its constants folded away, so that a rule that always permits costs nothing.
    package var folded: BoundPredicate {
        switch self {
        case .and(let parts):
            let rest = parts.map(\.folded).filter { $0 != .constant(true) }
            if rest.contains(.constant(false)) { return .constant(false) }
            return rest.isEmpty ? .constant(true) : rest.count == 1 ? rest[0] : .and(rest)
        case .or(let parts):
            let rest = parts.map(\.folded).filter { $0 != .constant(false) }
            if rest.contains(.constant(true)) { return .constant(true) }
            return rest.isEmpty ? .constant(false) : rest.count == 1 ? rest[0] : .or(rest)
        case .not(let part):
            let inner = part.folded
            if case .constant(let answer) = inner { return .constant(!answer) }
            return .not(inner)
        default: return self
        }
    }
}

// MARK: - Rules that do not fit the schema

extension AccessRules {
    /// Why a rule cannot be answered for anybody: of each comparison that does not fit the schema, the reason. The values of
    /// claims depend on the caller, so only the property paths of a comparison with a claim are checked.
    package static func problems(
        of rule: Predicate, in className: String, _ schema: Schema, mayUseLinks: Bool
    ) -> [String] {
        switch rule {
        case .constant: return []
        case .and(let parts), .or(let parts):
            return parts.flatMap { problems(of: $0, in: className, schema, mayUseLinks: mayUseLinks) }
        case .not(let part):
            return problems(of: part, in: className, schema, mayUseLinks: mayUseLinks)
        case .comparison(let comparison):
            if case .quantified(.none, _) = comparison.right {
                return [
                    "The rule compares with NONE of a list: '\(comparison)'. For a collection that asks whether some element is "
                        + "none of the values, which grants more than it seems to. Write NONE path IN {…}, or NOT path IN {…} "
                        + "for a single value."
                ]
            }
            guard comparison.hasClaim else {
                return [unfit(rule, className, schema, mayUseLinks, onlyNames: false)].compactMap { $0 }
            }
            // Beside a claim only property paths can be wrong.
            return [comparison.left.path, comparison.right.path].compactMap { $0 }
                .compactMap { path in
                    let reading = Predicate.comparison(Comparison(.path(path), .equal, .value(.null)))
                    return unfit(reading, className, schema, mayUseLinks, onlyNames: true)
                }
        case .geoWithin: return [unfit(rule, className, schema, mayUseLinks, onlyNames: false)].compactMap { $0 }
        }
    }

    private static func unfit(
        _ leaf: Predicate, _ className: String, _ schema: Schema, _ mayUseLinks: Bool, onlyNames: Bool
    ) -> String? {
        do {
            let bound = try leaf.bound(to: className, in: schema)
            if let product = bound.productOfCollections(in: schema) {
                return
                    "The rule compares each element of one collection with each of another: '\(product)'. Whoever writes "
                    + "objects would choose what that costs. Compare an operator such as @count or @max."
            }
            guard let link = bound.usesLinks(in: schema).first, !mayUseLinks else { return nil }
            return
                "The rule looks through a link to another object: '\(link)'. Who may read an object follows from itself "
                + "and what is embedded in it. Copy what decides into a property of '\(className)'."
        } catch {
            return onlyNames && error.code != .property ? nil : "\(error)"
        }
    }
}

extension Comparison {
    var hasClaim: Bool { left.hasClaim || right.hasClaim }
}

extension Expression {
    fileprivate var hasClaim: Bool {
        switch self {
        case .claim: true
        case .arithmetic(let arithmetic): arithmetic.hasClaim
        case .path, .value, .values, .subquery, .quantified, .typeOf: false
        }
    }
}

extension Arithmetic {
    fileprivate var hasClaim: Bool {
        switch self {
        case .claim: true
        case .path, .value: false
        case .operation(let left, _, let right): left.hasClaim || right.hasClaim
        }
    }
}
