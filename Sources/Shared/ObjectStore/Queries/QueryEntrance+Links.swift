import CausewayModel
import CausewayQuery

extension QueryEntrance {
    /// The objects that link to one of these objects: the backlinks of each.
    static func links(
        _ comparison: BoundComparison, _ step: BoundPath.Step, _ operand: [Value], _ table: Table
    ) -> QueryEntrance? {
        guard comparison.comparator == .equal || comparison.comparator == .in, let name = step.target,
            let target = table.transaction.knownTable(name), !operand.contains(.null)
        else { return nil }
        let targets = Set(operand.compactMap { StoredRow.key($0, target) })
        return origins(of: Array(targets), in: target, step.property, table, cost: 0)
    }

    /// A condition behind a link, from the cheaper end: first finds the target's objects that meet it, then the objects
    /// that link to them.
    static func backwards(
        _ comparison: BoundComparison, _ step: BoundPath.Step, _ operand: [Value], _ table: Table, _ limit: Double
    ) -> QueryEntrance? {
        // Rows whose link leads nowhere would match, too, and have no backlink.
        guard let name = step.target, let target = table.transaction.knownTable(name),
            !NullRule(comparison.comparator, operand).nullsMatch
        else { return nil }
        var rest = comparison
        rest.path.steps.removeFirst()
        let predicate = BoundPredicate.comparison(rest)
        let plan = QueryPlan(target, predicate)
        let cost = plan.cost
        guard cost < limit else { return nil }
        let keys = plan.keys(atMost: Int(min((limit - cost) / treeCost, 1e9)))
        return keys.flatMap { origins(of: $0, in: target, step.property, table, cost: cost) }
    }

    private static func origins(
        of targets: [ObjectKey], in target: Table, _ column: Int, _ table: Table, cost: Double
    ) -> QueryEntrance? {
        var rowCount = 0
        var chunkCount = 0
        for key in targets {
            let range = IndexRange(prefix: Table.backlinkKey(key, table.columns[column].id))
            guard target.backlinks.count(range, in: table.transaction, upTo: .max, &chunkCount, &rowCount) else {
                return nil
            }
        }
        return QueryEntrance(
            how: { "through \(table.name).\(table.schema.properties[column].name) backwards" }, rest: nil,
            rowCount: rowCount,
            cost: cost + 2 * treeCost * Double(targets.count) + chunkCost * Double(chunkCount)
                + rowCost * Double(rowCount), isOrdered: targets.count <= 1, areAlive: true,
            collect: { keys in
                for key in targets { target.forEachOrigin(of: key, in: table, column) { keys.append($0) } }
            }, count: { rowCount })
    }
}
