import CausewayEnvironment
import CausewayModel
package import CausewayStore
import Synchronization

extension StoreEmbedded {
    /// Removes a part of the history that is too old, and what was remembered for it and for clients that have not been
    /// heard of for long, while nobody commits. Commits between two calls wait no longer than for another commit.
    ///
    /// - Parameter time: now, in milliseconds since 1970.
    /// - Returns: whether there is more to remove.
    package func maintain(at time: UInt64) throws(StoreFailure) -> Bool {
        try write { transaction, meta throws(StoreFailure) in
            let before = meta.historyStart
            let (leapStart, received) = (meta.leapStart, meta.received)
            meta.receive(at: time)
            try HistoryTree(in: transaction).trim(options, versionsMax: Self.maintainedAtOnce, &meta)
            let trimmed = meta.historyStart.rawValue - before.rawValue
            let version = meta.version
            let forgotten = try forget(in: transaction, &meta)
            if meta.version > version { try continueLineage(after: version, meta, in: transaction) }
            let clients = try keeping.withLock { keeping throws(StoreFailure) in
                try keeping.work(
                    ClientKeeping.day(of: meta.received), since: ClientKeeping.day(of: meta.leapEnd),
                    daysMax: options.clientDaysMax, in: transaction)
            }
            let isClockNews =
                meta.leapStart != leapStart || meta.received < received
                // A pause in which nobody commits is no leap.
                || meta.received - received > DoubtedClock.leapMilliseconds / 4
            return (
                trimmed == UInt64(Self.maintainedAtOnce) || forgotten.hasMore || clients.hasMore,
                trimmed > 0 || forgotten.count > 0 || clients.changed > 0 || isClockNews
            )
        }
    }

    private static let maintainedAtOnce = 1_024
}
