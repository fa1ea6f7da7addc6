import CausewayModel
package import CausewayQuery

// Whoever keeps a bound query keeps places of columns, also of classes that its paths lead through and that nobody asked a
// table of. So they count as handed out, and a transaction moves only where the query stays right.

extension Transaction {
    /// The predicate by the classes of this version, for as long as this transaction is used.
    package func bound(_ predicate: Predicate, to className: String) throws(QueryError) -> BoundPredicate {
        let bound = try predicate.bound(to: className, in: schema)
        hold(className)
        for name in bound.classNames { hold(name.string) }
        return bound
    }

    /// The sort key by the classes of this version, for as long as this transaction is used.
    package func bound(_ key: SortKey, to className: String) throws(QueryError) -> BoundSortKey {
        let bound = try key.bound(to: className, in: schema)
        hold(className)
        for name in bound.path.classNames { hold(name.string) }
        return bound
    }
}
