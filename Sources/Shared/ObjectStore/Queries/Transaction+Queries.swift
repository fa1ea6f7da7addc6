package import CausewayModel
package import CausewayQuery

extension Transaction {
    /// The objects of a class that meet a predicate, ascending by key. Sees what this transaction wrote.
    package func keys(_ className: String, matching predicate: BoundPredicate) throws(StoreError) -> [ObjectKey] {
        let table = try existing(className)
        let keys = QueryPlan(table, predicate).keys()
        try throwDamage()
        return keys
    }

    /// The objects of a class within a range of keys that meet a predicate, ascending.
    ///
    /// - Complexity: that of a table with the rows of the range only.
    package func keys(
        _ className: String, matching predicate: BoundPredicate, in range: ClosedRange<ObjectKey>
    ) throws(StoreError) -> [ObjectKey] {
        let table = try existing(className)
        let keys = QueryPlan.keys(table, predicate, in: range)
        try throwDamage()
        return keys
    }

    package func count(_ className: String, matching predicate: BoundPredicate) throws(StoreError) -> Int {
        let table = try existing(className)
        let count = table.indexedCount(predicate) ?? QueryPlan(table, predicate).count()
        try throwDamage()
        return count
    }

    /// The first objects that meet a predicate, ascending by key, at most `limit`.
    ///
    /// - Complexity: looks at rows only until it has them; a limit of one tells whether there are any.
    package func firstKeys(
        _ className: String, matching predicate: BoundPredicate, limit: Int
    ) throws(StoreError) -> [ObjectKey] {
        let table = try existing(className)
        var keys: [ObjectKey] = []
        guard limit > 0 else { return keys }
        let plan = QueryPlan(table, predicate)
        if let first = plan.firstKeys(limit) {
            keys = first
        } else {
            plan.run { number, found in
                let first = Int64(number * slotsPerLeaf)
                found.forEach { if keys.count < limit { keys.append(ObjectKey(first + Int64($0))) } }
                return keys.count < limit
            }
        }
        try throwDamage()
        return keys
    }

    /// Whether one object meets a predicate; false when it is not here.
    package func matches(_ key: ObjectKey, _ className: String, _ predicate: BoundPredicate) -> Bool {
        settle()
        guard let table = table(className), table.exists(key) else { return false }
        return predicate.matches(StoredRow(table: table, key: key))
    }

    /// Describes how a query would run, for people to read.
    package func explain(_ className: String, matching predicate: BoundPredicate) -> String {
        table(className).map { QueryPlan($0, predicate).explanation } ?? "no such class"
    }

    func existing(_ className: String) throws(StoreError) -> Table {
        try throwDamage()
        if let table = table(className) { return table }
        throw StoreError(
            .schemaConflict, "The file has no class '\(className)'. Extend its schema before asking for objects.",
            path: store.path)
    }
}
