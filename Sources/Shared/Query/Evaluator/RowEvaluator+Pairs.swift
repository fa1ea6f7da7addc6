import CausewayModel

extension BoundPairs {
    func matches(_ row: some RowSource) -> Bool {
        var others: [Value] = []
        if case .path(let path, _) = right {
            row.visit(path) { value in
                others.append(value)
                return true
            }
        }
        var found = false
        // Each quantifier is decided by the first element that answers its question.
        row.visit(path) { value in
            let holds = holds(value, others, row)
            found = quantifier == .all ? !holds : holds
            return !found
        }
        return quantifier == .any ? found : !found
    }

    private func holds<Row: RowSource>(_ value: Value, _ others: [Value], _ row: Row) -> Bool {
        func compare(_ comparator: Comparator, _ other: Value) -> Bool {
            ValueComparison.holds(value, comparator, other, options) { left, right in
                row.namesSameObject(left, right, in: path.steps.last?.target ?? "")
            }
        }
        let found =
            switch right {
            case .tests(let tests):
                tests.contains { test in
                    let holds =
                        switch test {
                        case .constant(let answer): answer
                        case .comparison(let comparator, let constant): compare(comparator, constant)
                        }
                    return holds != (rightQuantifier == .all)
                }
            case .path(_, let comparator): others.contains { compare(comparator, $0) != (rightQuantifier == .all) }
            }
        return rightQuantifier == .any ? found : !found
    }
}
