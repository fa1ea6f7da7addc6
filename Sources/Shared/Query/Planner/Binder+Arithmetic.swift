import CausewayModel

extension Binder {
    /// Computes what is constant. All other arithmetic is computed object by object.
    func bindArithmetic(_ comparison: Comparison, depth: Int) throws(QueryError) -> BoundPredicate {
        if let left = try constant(comparison.left), comparison.right.isPlain {
            return try rebind(comparison, left: .value(left), depth: depth)
        }
        if let right = try constant(comparison.right), comparison.left.isPlain {
            return try rebind(comparison, right: .value(right), depth: depth)
        }
        try checkComputed(comparison.comparator, comparison.options)
        let comparator = try comparator(of: comparison)
        var elements: BoundPath?
        let left = try bound(comparison.left, comparator, &elements)
        let right: BoundComputation.Right =
            if case .values(let values) = comparison.right {
                .list(try numbers(values, comparator))
            } else {
                .one(try bound(comparison.right, comparator, &elements))
            }
        guard comparison.quantifier == .implied || elements != nil else {
            throw Self.needsCollection
        }
        let quantifier =
            elements == nil ? .implied : comparison.quantifier == .implied ? Quantifier.any : comparison.quantifier
        return .computed(
            BoundComputation(quantifier: quantifier, left, comparator, right, elements: elements))
    }

    /// `age + 1 IN scores` asks for an element that is equal; IN and BETWEEN want a list otherwise.
    private func comparator(of comparison: Comparison) throws(QueryError) -> Comparator {
        switch (comparison.comparator, comparison.right) {
        case (.in, .values), (.between, .values): return comparison.comparator
        case (.in, .path(let path)) where try resolve(path).isToMany: return .equal
        case (.in, _):
            throw QueryError(
                .comparator, "Invalid predicate: IN needs a list of values or a collection on its right side")
        case (.between, _):
            throw QueryError(.value, "Invalid value: BETWEEN operations require an array of exactly two objects")
        default: return comparison.comparator
        }
    }

    /// The value of a side without any path; nil for other sides.
    private func constant(_ expression: Expression) throws(QueryError) -> Value? {
        guard case .arithmetic(let arithmetic) = expression, arithmetic.paths.isEmpty else { return nil }
        return try folded(arithmetic)
    }

    private func folded(_ arithmetic: Arithmetic) throws(QueryError) -> Value {
        switch arithmetic {
        case .value(let value): return value
        case .path: preconditionFailure("Only what has no path is folded.")
        case .claim: throw Self.claim(arithmetic.text(from: ""))
        case .operation(let left, let sign, let right):
            let result = sign.applied(try folded(left), try folded(right))
            guard !result.isNull else {
                throw QueryError(.value, "Division by zero: '\(arithmetic.text(from: ""))' has no result")
            }
            return result
        }
    }

    private func rebind(
        _ comparison: Comparison, left: Expression? = nil, right: Expression? = nil, depth: Int
    ) throws(QueryError) -> BoundPredicate {
        var plain = comparison
        plain.left = left ?? plain.left
        plain.right = right ?? plain.right
        return try bind(plain, depth: depth)
    }

    private func checkComputed(_ comparator: Comparator, _ options: TextOptions) throws(QueryError) {
        switch comparator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .in, .between: break
        case .beginsWith, .endsWith, .contains, .like, .text:
            throw QueryError(
                .comparator,
                "Invalid operator type: Operator '\(comparator.text)' not supported for the result of arithmetic",
                remedy: "Numbers take ==, !=, <, <=, >, >=, IN and BETWEEN.")
        }
        guard options.isEmpty else {
            throw QueryError(
                .comparator, "Invalid operator type: [c] and [d] are not supported for the result of arithmetic",
                remedy: "Numbers have neither case nor diacritics: remove the modifier.")
        }
    }

    // MARK: - Sides

    private func bound(
        _ expression: Expression, _ comparator: Comparator, _ elements: inout BoundPath?
    ) throws(QueryError) -> BoundArithmetic {
        switch expression {
        case .path(let path): return try bound(path, &elements)
        case .value(let value): return .value(try number(value, comparator))
        case .arithmetic(let arithmetic): return try bound(arithmetic, &elements)
        case .values, .subquery, .quantified, .typeOf, .claim:
            throw QueryError(
                .syntax, "Invalid predicate: The result of arithmetic is compared with a number or a key path to one")
        }
    }

    private func bound(
        _ arithmetic: Arithmetic, _ elements: inout BoundPath?
    ) throws(QueryError) -> BoundArithmetic {
        switch arithmetic {
        case .path(let path): return try bound(path, &elements)
        case .value(let value): return .value(value)
        case .claim: throw Self.claim(arithmetic.text(from: ""))
        case .operation where arithmetic.paths.isEmpty: return .value(try folded(arithmetic))
        case .operation(let left, let sign, let right):
            return .operation(try bound(left, &elements), sign, try bound(right, &elements))
        }
    }

    private func bound(_ path: PropertyPath, _ elements: inout BoundPath?) throws(QueryError) -> BoundArithmetic {
        let resolved = try resolve(path)
        guard resolved.type.isNumeric || resolved.type == .mixed else {
            throw QueryError(
                .value,
                "Invalid operand: Property '\(resolved.name)' on object of type '\(resolved.className)' is of type "
                    + "'\(resolved.shownType)', and arithmetic takes numbers",
                remedy: "Arithmetic takes ints, floats, doubles, decimals and mixed values.")
        }
        guard resolved.isToMany else { return .path(resolved.bound) }
        guard elements == nil || elements == resolved.bound else {
            throw QueryError(
                .comparator, "Comparing two collection columns is not permitted.",
                remedy: "Compare an operator on the collection, such as @count or @max, on one side.")
        }
        elements = resolved.bound
        return .element
    }

    private func numbers(_ values: [Value], _ comparator: Comparator) throws(QueryError) -> [Value] {
        guard comparator == .in || comparator == .between && values.count == 2 else {
            throw QueryError(.value, "Invalid value: BETWEEN operations require an array of exactly two objects")
        }
        return try values.map { value throws(QueryError) in
            try number(value, comparator == .in ? .equal : .lessOrEqual)
        }
    }

    /// A constant that the result of arithmetic is compared with. A Bool counts as 0 or 1, as it does everywhere.
    private func number(_ value: Value, _ comparator: Comparator) throws(QueryError) -> Value {
        switch value {
        case .int, .float, .double, .decimal: return value
        case .bool(let value): return .int(value ? 1 : 0)
        case .null: return .null
        default:
            throw QueryError(
                .value, "Expected a number beside arithmetic, but received: \(value.shown) (Invalid value)",
                remedy: "Arithmetic is compared with ints, floats, doubles and decimals.")
        }
    }
}

extension Expression {
    /// Whether it is compared with a constant without arithmetic.
    fileprivate var isPlain: Bool {
        switch self {
        case .path, .subquery: true
        default: false
        }
    }
}

extension Expression {
    var isComputed: Bool {
        if case .arithmetic = self { true } else { false }
    }

    /// Every path whose values are compared.
    var paths: [PropertyPath] {
        switch self {
        case .path(let path): [path]
        case .arithmetic(let arithmetic): arithmetic.paths
        case .value, .values, .quantified, .subquery, .typeOf, .claim: []
        }
    }
}
