import CausewayModel
package import CausewayQuery

// A bound query contains places of columns, also of classes that its paths lead through and whose tables nobody asked
// for. So these classes count as handed out, and the transaction moves only to versions for which the query stays
// right.

extension Transaction {
    /// Binds a predicate to the classes of this version. It stays valid for as long as this transaction is used.
    package func bound(_ predicate: Predicate, to className: String) throws(QueryError) -> BoundPredicate {
        let bound = try predicate.bound(to: className, in: schema)
        hold(className)
        bound.forEachClass(hold)
        return bound
    }

    /// Binds a sort key to the classes of this version. It stays valid for as long as this transaction is used.
    package func bound(_ key: SortKey, to className: String) throws(QueryError) -> BoundSortKey {
        let bound = try key.bound(to: className, in: schema)
        hold(className)
        bound.path.forEachClass(hold)
        return bound
    }
}
