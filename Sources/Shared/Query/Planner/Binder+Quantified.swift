import CausewayModel

// Quantifiers on both sides. The left one asks first: `ANY {1, 2} == ALL scores` holds if one of the values equals each of
// the scores.
extension Binder {
    /// A list with a quantifier of its own against anything else.
    func bind(
        _ comparison: Comparison, _ quantifier: Quantifier, _ values: [Value], isLeft: Bool, depth: Int
    ) throws(QueryError) -> BoundPredicate {
        if comparison.comparator == .equal,
            let found = try boundAsIn(comparison, quantifier, values, isLeft: isLeft, depth: depth)
        {
            return found
        }
        guard values.count <= QueryLimits.quantifiedValues else {
            throw QueryError(
                .limit,
                "The list of values is too long: \(values.count), and at most \(QueryLimits.quantifiedValues) are taken "
                    + "behind a quantifier",
                remedy: "Write IN {…}, which takes more.")
        }
        if !isLeft, let pairs = try boundPairs(comparison, quantifier, values) { return pairs }
        var plain = comparison
        let parts = try values.map { value throws(QueryError) -> BoundPredicate in
            if isLeft { plain.left = .value(value) } else { plain.right = .value(value) }
            return try bind(plain, depth: depth)
        }
        switch quantifier {
        case .implied, .any: return .or(parts)
        case .all: return .and(parts)
        case .none: return .not(.or(parts))
        }
    }

    /// Equality with ANY or NONE of a list as IN, which costs less; nil for what IN does not say.
    private func boundAsIn(
        _ comparison: Comparison, _ quantifier: Quantifier, _ values: [Value], isLeft: Bool, depth: Int
    ) throws(QueryError) -> BoundPredicate? {
        guard quantifier == .any || quantifier == .none else { return nil }
        var plain = comparison
        if isLeft { plain.left = comparison.right }
        plain.comparator = .in
        plain.right = .values(values)
        guard case .path(let path) = plain.left else {
            // A type or a number that is computed. Through a list it is left to the values one by one.
            guard comparison.quantifier == .implied else { return nil }
            let found = try bind(plain, depth: depth)
            return quantifier == .any ? found : .not(found)
        }
        let isToMany = try resolve(path).isToMany
        if isLeft || !isToMany {
            // One of the values for each element is not one value for all of them.
            guard comparison.quantifier == .implied || comparison.quantifier == .any else { return nil }
            let found = try bind(plain, depth: depth)
            return quantifier == .any ? found : .not(found)
        }
        guard quantifier == .none else { return try bind(plain, depth: depth) }
        // An element that equals NONE of the values is one that is not IN them.
        switch comparison.quantifier {
        case .implied, .any:
            plain.quantifier = .all
            return .not(try bind(plain, depth: depth))
        case .all:
            plain.quantifier = .none
            return try bind(plain, depth: depth)
        case .none:
            plain.quantifier = .all
            return try bind(plain, depth: depth)
        }
    }

    /// Each element of the path against the list on the right; nil where the values may be taken one by one instead.
    private func boundPairs(
        _ comparison: Comparison, _ quantifier: Quantifier, _ values: [Value]
    ) throws(QueryError) -> BoundPredicate? {
        let isExchangeable: Bool =
            switch (comparison.quantifier, quantifier) {
            case (.implied, .any), (.any, .any), (.all, .all), (.none, .any): true
            default: false
            }
        if isExchangeable {
            // NO element with ANY of the values: none of the values has such an element.
            guard comparison.quantifier == .none else { return nil }
            var any = comparison
            any.quantifier = .any
            return .not(try bind(any, quantifier, values, isLeft: false, depth: 0))
        }
        guard case .path(let path) = comparison.left else {
            guard comparison.quantifier == .implied else {
                throw QueryError(
                    .comparator,
                    "Invalid predicate: ALL and NONE before arithmetic or @type cannot stand beside a list with a quantifier",
                    remedy: "Write an AND or OR of comparisons with the single values.")
            }
            return nil
        }
        let resolved = try resolve(path)
        guard resolved.isToMany else { return nil }
        let tests = try values.map { value throws(QueryError) in
            try checkOperator(comparison.comparator, resolved.type, comparison.options)
            return try elementTest(comparison.comparator, value, resolved)
        }
        return .pairs(
            BoundPairs(
                quantifier: try self.quantifier(comparison.quantifier, over: resolved), path: resolved.bound,
                options: resolved.takesOptions ? comparison.options : [], rightQuantifier: quantifier,
                right: .tests(tests)))
    }

    private func elementTest(
        _ comparator: Comparator, _ value: Value, _ path: ResolvedPath
    ) throws(QueryError) -> BoundPairs.Test {
        if comparator == .text { try checkSearch(value) }
        return switch try convert(value, comparator, path) {
        case .comparison(let comparator, let value): .comparison(comparator, value)
        case .never: .constant(false)
        case .always: .constant(true)
        case .notNull: .comparison(.notEqual, .null)
        }
    }

    // MARK: - Constants alone

    /// `ANY {1, 2, 3} > ALL {1, 2}`: the same for every object.
    func bindLists(
        _ comparison: Comparison, _ left: (Quantifier, [Value]), _ right: (Quantifier, [Value])
    ) throws(QueryError) -> BoundPredicate {
        guard left.1.count * right.1.count <= QueryLimits.quantifiedValues else {
            throw QueryError(
                .limit, "At most \(QueryLimits.quantifiedValues) pairs of two lists are compared",
                remedy: "Compare with a property.")
        }
        let answers = try left.1.map { left throws(QueryError) -> Bool in
            let answers = try right.1.map { right throws(QueryError) -> Bool in
                guard let answer = Self.answer(left, comparison.comparator, right, comparison.options) else {
                    throw QueryError(
                        .value,
                        "Invalid value: \(left.shown) and \(right.shown) cannot be compared by "
                            + "'\(comparison.operatorText)'", remedy: "Compare values of one type.")
                }
                return answer
            }
            return right.0.holds(for: answers) { $0 }
        }
        return .constant(left.0.holds(for: answers) { $0 })
    }

    /// Nil for values that no property could hold together.
    private static func answer(
        _ left: Value, _ comparator: Comparator, _ right: Value, _ options: TextOptions
    ) -> Bool? {
        let isText: Bool =
            switch comparator {
            case .beginsWith, .endsWith, .contains, .like, .text: true
            default: !options.isEmpty
            }
        switch (left, right) {
        case (.string, .string): break
        case (.bytes, .bytes), (.null, _), (_, .null): if comparator == .text || !options.isEmpty { return nil }
        case (.timestamp, .timestamp), (.objectId, .objectId), (.uuid, .uuid), (.bool, .bool): if isText { return nil }
        default:
            guard !isText, ValueComparison.decimal(left) != nil, ValueComparison.decimal(right) != nil else {
                return nil
            }
        }
        return ValueComparison.holds(left, comparator, right, options)
    }
}

extension ResolvedPath {
    /// Whether `[c]` and `[d]` mean anything to its values.
    var takesOptions: Bool { type == .string || type == .mixed }
}
