import CausewayModel

extension BoundComputation {
    func matches(_ row: some RowSource) -> Bool {
        guard let elements else { return holds(row, .null) }
        // What is the same for every element is read once: it may itself go over a collection.
        let computation = settled(in: row)
        return row.holds(quantifier, elements) { computation.holds(row, $0) }
    }

    private func settled(in row: some RowSource) -> BoundComputation {
        var settled = self
        settled.left = left.settled(in: row)
        if case .one(let right) = right { settled.right = .one(right.settled(in: row)) }
        return settled
    }

    private func holds(_ row: some RowSource, _ element: Value) -> Bool {
        let left = left.value(row, element)
        switch right {
        case .one(let right): return ValueComparison.holds(left, comparator, right.value(row, element), [])
        case .list(let values) where comparator == .between:
            return ValueComparison.holds(left, .greaterOrEqual, values[0], [])
                && ValueComparison.holds(left, .lessOrEqual, values[1], [])
        case .list(let values): return values.contains { ValueComparison.holds(left, .equal, $0, []) }
        }
    }
}

extension BoundArithmetic {
    /// The same with the values of its paths in place of them.
    fileprivate func settled(in row: some RowSource) -> BoundArithmetic {
        switch self {
        case .value, .element: self
        case .path(let path): .value(row.single(at: path))
        case .operation(let left, let sign, let right):
            .operation(left.settled(in: row), sign, right.settled(in: row))
        }
    }

    fileprivate func value(_ row: some RowSource, _ element: Value) -> Value {
        switch self {
        case .value(let value): value
        case .element: element
        case .path(let path): row.single(at: path)
        case .operation(let left, let sign, let right):
            sign.applied(left.value(row, element), right.value(row, element))
        }
    }
}

extension BoundTypeTest {
    func matches(_ row: some RowSource) -> Bool {
        let types: Set<StoredType> =
            switch right {
            case .types(let types): types
            case .path(let other): [row.type(of: row.single(at: other))]
            }
        guard quantifier != .implied else { return types.contains(row.type(of: row.single(at: path))) != isNegated }
        return row.holds(quantifier, path) { types.contains(row.type(of: $0)) != isNegated }
    }
}

extension RowSource {
    /// What a value is, as `@type` names it.
    fileprivate func type(of value: Value) -> StoredType {
        switch value {
        case .anyObject, .anyLink:
            switch nested(in: value) {
            case .list: .list
            case .map: .dictionary
            case .bytes, nil: .object
            }
        default: StoredType(value)
        }
    }
}
