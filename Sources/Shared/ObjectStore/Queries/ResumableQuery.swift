package import CausewayModel
package import CausewayQuery

/// A query that gives way to others between two leaves, and goes on with what it has prepared.
///
/// Valid until its transaction writes or moves.
package final class ResumableQuery {
    private let transaction: Transaction
    private let plan: QueryPlan
    private var batch: LeafBatch
    /// The leaves to test, ascending.
    private let leaves: [Int]
    /// Of each leaf the rows that an index has found; nil for a scan of all.
    private let candidates: [SlotBitmap]?
    /// How many leaves are tested.
    private var leavesTested = 0
    /// The objects that were found so far, ascending by key.
    package private(set) var keys: [ObjectKey] = []

    package init(_ className: String, matching predicate: BoundPredicate, in transaction: Transaction)
        throws(StoreError)
    {
        self.transaction = transaction
        let table = try transaction.existing(className)
        plan = QueryPlan(table, predicate)
        batch = plan.batch
        let found = plan.entrance.map { Self.rows(of: $0) }
        leaves = found?.map(\.number) ?? Array(table.leafNumbers)
        candidates = found?.map(\.rows)
        try transaction.throwDamage()
    }

    private static func rows(of entrance: QueryEntrance) -> [LeafRows] {
        var keys: [ObjectKey] = []
        entrance.collect(&keys)
        if !entrance.isOrdered { keys.sort() }
        var leaves: [LeafRows] = []
        for key in keys {
            if leaves.last?.number != key.leafNumber {
                leaves.append(LeafRows(number: key.leafNumber, rows: SlotBitmap()))
            }
            leaves[leaves.count - 1].rows.insert(key.slot)
        }
        return leaves
    }

    /// Goes on until it is done or over. At least one leaf is tested.
    ///
    /// - Returns: whether all objects are found.
    package func go(until isOver: () -> Bool) throws(StoreError) -> Bool {
        let table = plan.table
        while leavesTested < leaves.count {
            let number = leaves[leavesTested]
            var rows = table.aliveWords(number)
            if let candidates { rows = rows.intersection(candidates[leavesTested]) }
            leavesTested += 1
            _ = batch.take(number, rows, take)
            if isOver(), leavesTested < leaves.count {
                try transaction.throwDamage()
                return false
            }
        }
        _ = batch.settle(take)
        try transaction.throwDamage()
        return true
    }

    private func take(_ number: Int, _ found: SlotBitmap) -> Bool {
        let first = Int64(number * slotsPerLeaf)
        found.forEach { keys.append(ObjectKey(first + Int64($0))) }
        return true
    }
}
