import CausewayModel
package import CausewayStore

extension StoreEmbedded {
    /// Lets a part of the history go that has become too old, while nobody commits. Commits between two calls wait for
    /// none longer than for another commit.
    ///
    /// - Parameter time: now, in milliseconds since 1970.
    /// - Returns: whether there is more to let go.
    package func maintain(at time: UInt64) throws(StoreFailure) -> Bool {
        try write { transaction, meta throws(StoreFailure) in
            let before = meta.historyStart
            meta.received = max(meta.received, time)
            try HistoryTree(in: transaction).trim(options, versionsMax: Self.maintainedAtOnce, &meta)
            let trimmed = meta.historyStart.rawValue - before.rawValue
            return (trimmed == UInt64(Self.maintainedAtOnce), trimmed > 0)
        }
    }

    private static let maintainedAtOnce = 1_024
}
