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
        return row.holds(quantifier, path) { holds($0, others, row) }
    }

    private func holds<Row: RowSource>(_ value: Value, _ others: [Value], _ row: Row) -> Bool {
        func compare(_ comparator: Comparator, _ other: Value) -> Bool {
            ValueComparison.holds(value, comparator, other, options) { left, right in
                row.namesSameObject(left, right, in: path.steps.last?.target ?? "")
            }
        }
        return switch right {
        case .tests(let tests):
            rightQuantifier.holds(for: tests) { test in
                switch test {
                case .constant(let answer): answer
                case .comparison(let comparator, let constant): compare(comparator, constant)
                }
            }
        case .path(_, let comparator): rightQuantifier.holds(for: others) { compare(comparator, $0) }
        }
    }
}
