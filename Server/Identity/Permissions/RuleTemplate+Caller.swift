import CausewayModel
package import CausewayQuery

extension RuleTemplate {
    /// The predicate for one caller, with their claims put in.
    package func predicate(for caller: Caller) -> Predicate {
        guard !mentions.isEmpty else { return predicate }
        return predicate.with(mentions.map { ClaimOperand($0, of: caller) })
    }

    /// Whether the caller has a claim in a form that can be compared.
    func hasValue(_ mention: Int, for caller: Caller) -> Bool { ClaimOperand(mentions[mention], of: caller) != nil }

    /// A comparison, once for each form that the values of its claim may have. Nil where it asks for two claims, which
    /// may have different forms.
    func forms(of comparison: Predicate) -> [Predicate]? {
        guard case .comparison(let written) = comparison, let first = written.claims.first.map({ mentions[$0] }),
            written.claims.allSatisfy({ mentions[$0] == first })
        else { return nil }
        let forms = first == .id ? Self.formsOfId : Self.formsOfClaims
        return forms.map { form in comparison.with(mentions.map { _ in form }) }
    }

    private static let spellings: [Value] = [
        .string("a"), .string("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), .string("507f1f77bcf86cd799439011"),
    ]

    /// What a user's id can be.
    private static let formsOfId = spellings.map { ClaimOperand.one($0) }

    /// What tokens can hold: the types that JSON has, strings that spell ids, and lists of them.
    private static let formsOfClaims: [ClaimOperand] = {
        let single: [Value] = [.bool(true), .int(1), .double(0.5)] + spellings
        return single.flatMap { [.one($0), .many([$0]), .many([$0, $0])] }
    }()

    /// Whether it asks about the caller alone: every comparison is between claims and constants.
    package var asksCallerAlone: Bool { predicate.asksCallerAlone }
}

/// A claim as an operand.
private enum ClaimOperand {
    case one(Value)
    case many([Value])

    /// Nil for a claim that is missing, null, or made of more than plain values.
    init?(_ mention: RuleTemplate.Mention, of caller: Caller) {
        switch mention {
        case .id: self = .one(.string(caller.user.string))
        case .claim(let path):
            var claim: ClaimValue = .object(caller.claims)
            for name in path {
                guard case .object(let members) = claim, let member = members[exactly: name] else { return nil }
                claim = member
            }
            if case .array(let elements) = claim {
                let values = elements.compactMap(Self.value)
                guard values.count == elements.count else { return nil }
                self = .many(values)
            } else {
                guard let value = Self.value(claim) else { return nil }
                self = .one(value)
            }
        }
    }

    private static func value(_ claim: ClaimValue) -> Value? {
        switch claim {
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .double(let value): value.isNaN ? nil : .double(value)
        case .string(let value): .string(value)
        case .null, .array, .object: nil
        }
    }
}

extension Predicate {
    fileprivate func with(_ values: [ClaimOperand?]) -> Predicate {
        switch self {
        case .constant, .geoWithin: self
        case .and(let parts): .and(parts.map { $0.with(values) })
        case .or(let parts): .or(parts.map { $0.with(values) })
        case .not(let part): .not(part.with(values))
        case .comparison(let comparison): comparison.with(values)
        }
    }

    fileprivate var asksCallerAlone: Bool {
        switch self {
        case .constant: true
        case .geoWithin: false
        case .and(let parts), .or(let parts): parts.allSatisfy(\.asksCallerAlone)
        case .not(let part): part.asksCallerAlone
        case .comparison(let comparison):
            [comparison.left, comparison.right].allSatisfy { side in
                switch side {
                case .value, .values, .claim: true
                case .path, .subquery, .arithmetic, .quantified, .typeOf: false
                }
            }
        }
    }
}

extension Comparison {
    fileprivate func with(_ values: [ClaimOperand?]) -> Predicate {
        var comparison = self
        comparison.left = left.with(values, isSet: false)
        comparison.right = right.with(values, isSet: comparator == .in)
        // `$user.claims.teams CONTAINS team` asks the same as `team IN $user.claims.teams`.
        if case .values = comparison.left, case .path = comparison.right, comparator == .contains, options == [] {
            (comparison.left, comparison.right) = (comparison.right, comparison.left)
            comparison.comparator = .in
        }
        if let left = comparison.left.constants, let right = comparison.right.constants {
            // Unknown: it stays a comparison that no schema can bind.
            let isList = if case .values = comparison.left { true } else { false }
            guard let answer = comparison.answer(left, isList: isList, right) else { return .comparison(self) }
            return .constant(answer)
        }
        return .comparison(comparison)
    }

    // MARK: - Claims against constants
    //
    // The query language compares only properties, so comparisons about the caller alone are evaluated here:
    // `$user.claims.role == 'admin'`.

    /// - Parameter isList: whether the left side is a claim with several values.
    private func answer(_ left: [Value], isList: Bool, _ right: [Value]) -> Bool? {
        switch comparator {
        case .in: return quantified(left) { value in any(of: right) { known(value, .equal, $0) } }
        case .contains where isList:
            return right.count == 1 ? any(of: left) { known($0, .equal, right[0]) } : nil
        case .between:
            guard right.count == 2 else { return nil }
            return quantified(left) { value in
                guard let low = known(value, .greaterOrEqual, right[0]), let high = known(value, .lessOrEqual, right[1])
                else { return nil }
                return low && high
            }
        default: return right.count == 1 ? quantified(left) { known($0, comparator, right[0]) } : nil
        }
    }

    private func quantified(_ values: [Value], _ holds: (Value) -> Bool?) -> Bool? {
        switch quantifier {
        case .implied, .any: any(of: values, holds)
        case .all: values.isEmpty ? nil : any(of: values) { holds($0).map { !$0 } }.map { !$0 }
        case .none: any(of: values, holds).map { !$0 }
        }
    }

    private func any(of values: [Value], _ holds: (Value) -> Bool?) -> Bool? {
        var found = false
        for value in values {
            guard let answer = holds(value) else { return nil }
            found = found || answer
        }
        return found
    }

    /// Nil for values that cannot be compared: then the answer is unknown.
    private func known(_ left: Value, _ comparator: Comparator, _ right: Value) -> Bool? {
        let isComparable =
            switch (left, right) {
            case (.string, .string), (.bool, .bool): true
            case (.int, .int), (.int, .double), (.double, .int), (.double, .double): true
            case (.int, .float), (.double, .float), (.int, .decimal), (.double, .decimal): true
            case (.float, .int), (.float, .double), (.decimal, .int), (.decimal, .double): true
            default: false
            }
        return isComparable ? ValueComparison.holds(left, comparator, right, options) : nil
    }
}

extension Comparison {
    /// The numbers of the claims that it asks for.
    var claims: [Int] { left.claims + right.claims }
}

extension Expression {
    fileprivate var claims: [Int] {
        switch self {
        case .claim(let number): [number]
        case .arithmetic(let arithmetic): arithmetic.claims
        case .path, .value, .values, .subquery, .quantified, .typeOf: []
        }
    }

    fileprivate func with(_ values: [ClaimOperand?], isSet: Bool) -> Expression {
        switch self {
        case .claim(let number):
            switch values[number] {
            case .one(let value): isSet ? .values([value]) : .value(value)
            case .many(let values): .values(values)
            case nil: self
            }
        case .arithmetic(let arithmetic): .arithmetic(arithmetic.with(values))
        case .path, .value, .values, .subquery, .quantified, .typeOf: self
        }
    }

    fileprivate var constants: [Value]? {
        switch self {
        case .value(let value): [value]
        case .values(let values): values
        default: nil
        }
    }
}

extension Arithmetic {
    fileprivate var claims: [Int] {
        switch self {
        case .claim(let number): [number]
        case .path, .value: []
        case .operation(let left, _, let right): left.claims + right.claims
        }
    }

    fileprivate func with(_ values: [ClaimOperand?]) -> Arithmetic {
        switch self {
        case .claim(let number):
            // Nothing can be computed with claims that are no numbers, so the answer is unknown.
            switch values[number] {
            case .one(let value) where value.isNumber: .value(value)
            case .one, .many, nil: self
            }
        case .path, .value: self
        case .operation(let left, let sign, let right): .operation(left.with(values), sign, right.with(values))
        }
    }
}

extension Value {
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .double: true
        default: false
        }
    }
}
