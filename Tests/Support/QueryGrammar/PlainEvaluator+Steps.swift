extension PlainEvaluator {
    /// The rows after SORT, DISTINCT and LIMIT, in the order in which they are written.
    package func applied(_ steps: [TreeStep], to rows: [Int]) -> [Int] {
        steps.reduce(rows) { rows, step in
            switch step {
            case .limit(let count): return Array(rows.prefix(count))
            case .distinct(let name):
                var seen: Set<PlainValue> = []
                return rows.filter { seen.insert(objects[$0].values[name] ?? .null).inserted }
            case .sort(let name, let isAscending):
                // Stable: rows of one value keep their order, in both directions.
                return rows.enumerated().sorted { left, right in
                    let order = Self.order(objects[left.element].values[name], objects[right.element].values[name])
                    if order == 0 { return left.offset < right.offset }
                    return isAscending ? order < 0 : order > 0
                }.map(\.element)
            }
        }
    }

    /// Null first, then numbers by their amounts or texts by their bytes.
    private static func order(_ left: PlainValue?, _ right: PlainValue?) -> Int {
        let (left, right) = (left ?? .null, right ?? .null)
        if left == .null || right == .null { return left == right ? 0 : left == .null ? -1 : 1 }
        if let left = left.amount(.all), let right = right.amount(.all) { return PlainNumber.order(left, right) ?? 0 }
        let (first, second) = (left.utf8 ?? [], right.utf8 ?? [])
        return first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
    }
}
