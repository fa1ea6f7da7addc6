package import CausewayModel
package import CausewayQuery

extension Transaction {
    /// The first `limit` objects of a class in an order, of those that meet a condition: what `sorted` would begin with.
    ///
    /// A sample of the rows is put in order. Its value at `limit` is a bound: what lies behind it is not among the first.
    /// A query finds the rest, which is little, and only that is sorted.
    ///
    /// - Returns: nil where this would be no shorter: the class is small, few rows of the sample meet the condition, many
    ///   of them have one value, or the first order is not by a number, string or date of the object itself.
    /// - Complexity: that of a query with one comparison more, and of sorting what lies before the bound.
    package func leading(
        _ limit: Int, _ className: String, matching condition: BoundPredicate?, by sortKeys: [BoundSortKey]
    ) throws(StoreError) -> [ObjectKey]? {
        settle()
        // A condition that prepares something, or reads row by row, costs too much for a sample.
        guard condition?.readsColumnsAlone != false, let order = sortKeys.first, LeadingSample.takes(limit, order),
            let table = table(className), let bound = LeadingSample(table, condition)?.bound(limit, order)
        else { return nil }
        let keys = try keys(className, matching: condition.map { .and([$0, bound]) } ?? bound)
        return sortedPrefix(limit, of: keys, className, by: sortKeys)
    }
}

/// Rows from leaves that lie far apart, so that rows in the order in which they were made are a sample too.
private struct LeadingSample {
    private static let leaves = 16
    /// Of a class with fewer leaves, a sample is too much of all.
    private static let leastLeaves = 64

    let table: Table
    let keys: [ObjectKey]

    init?(_ table: Table, _ condition: BoundPredicate?) {
        let numbers = Array(table.leafNumbers)
        guard numbers.count >= Self.leastLeaves else { return nil }
        var keys: [ObjectKey] = []
        for index in 0..<Self.leaves {
            let number = numbers[index * (numbers.count - 1) / (Self.leaves - 1)]
            let first = Int64(number * slotsPerLeaf)
            if let condition {
                let range = ObjectKey(first)...ObjectKey(first + Int64(slotsPerLeaf) - 1)
                keys += QueryPlan.keys(table, condition, in: range)
            } else {
                table.aliveWords(number).forEach { keys.append(ObjectKey(first + Int64($0))) }
            }
        }
        self.table = table
        self.keys = keys
    }

    /// Whether a bound can be found for so many rows of an order.
    static func takes(_ limit: Int, _ order: BoundSortKey) -> Bool {
        guard limit > 0, limit <= leaves * slotsPerLeaf / 4, order.path.steps.count == 1,
            let step = order.path.steps.first, step.isColumn, step.direction == .forward
        else { return false }
        return switch step.type {
        case .int, .float, .double, .string, .date: true
        case .bool, .data, .decimal128, .objectId, .uuid, .object, .mixed: false
        }
    }

    /// Holds for every row that may be among the first `limit`. Null and NaN, which no comparison tells from the first,
    /// meet it too. Nil where it would hold for much of the class.
    func bound(_ limit: Int, _ order: BoundSortKey) -> BoundPredicate? {
        let most = keys.count / 4
        guard limit <= most, let property = order.path.steps.first?.property else { return nil }
        let first = table.transaction.sortedPrefix(most, of: keys, table.name, by: [order])
        guard first.count == most else { return nil }
        let value = table.value(first[limit - 1], property)
        guard !value.isNull, !value.isNaN, value != table.value(first[most - 1], property) else { return nil }
        return .not(
            .comparison(
                BoundComparison(
                    quantifier: .implied, path: order.path, comparator: order.ascending ? .greater : .less,
                    options: [], operand: .value(value))))
    }
}
