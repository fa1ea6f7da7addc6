import CausewayModel

extension BoundComputation {
    func matches(_ row: some RowSource) -> Bool {
        guard let elements else { return holds(row, .null) }
        var found = false
        // Each quantifier is decided by the first element that answers its question.
        row.visit(elements) { element in
            let holds = holds(row, element)
            found = quantifier == .all ? !holds : holds
            return !found
        }
        return quantifier == .any ? found : !found
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
        var found = false
        row.walk(path.steps[...]) { value in
            let holds = types.contains(row.type(of: value)) != isNegated
            found = quantifier == .all ? !holds : holds
            return !found
        }
        return quantifier == .any ? found : !found
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
