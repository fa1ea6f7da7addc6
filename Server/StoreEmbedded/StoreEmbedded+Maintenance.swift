import CausewayModel
package import CausewayStore

extension StoreEmbedded {
    /// Lets a part of the history go that has become too old, and what was remembered for it, while nobody commits.
    /// Commits between two calls wait for none longer than for another commit.
    ///
    /// - Parameter time: now, in milliseconds since 1970.
    /// - Returns: whether there is more to let go.
    package func maintain(at time: UInt64) throws(StoreFailure) -> Bool {
        try write { transaction, meta throws(StoreFailure) in
            let before = meta.historyStart
            meta.received = max(meta.received, time)
            try HistoryTree(in: transaction).trim(options, versionsMax: Self.maintainedAtOnce, &meta)
            let trimmed = meta.historyStart.rawValue - before.rawValue
            let version = meta.version
            let forgotten = try forget(in: transaction, &meta)
            if meta.version > version { try continueLineage(after: version, meta, in: transaction) }
            return (trimmed == UInt64(Self.maintainedAtOnce) || forgotten.hasMore, trimmed > 0 || forgotten.count > 0)
        }
    }

    private static let maintainedAtOnce = 1_024
}
