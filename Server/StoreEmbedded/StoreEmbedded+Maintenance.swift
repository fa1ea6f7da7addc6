import CausewayEnvironment
import CausewayModel
import CausewayObjectStore
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
            try maintaining(at: time, .call, in: transaction, &meta)
        }
    }

    /// A part of maintenance in a write transaction.
    func maintaining(
        at time: UInt64, _ writing: Writing, in transaction: Transaction, _ meta: inout Meta
    ) throws(StoreFailure) -> (outcome: Bool, commits: Bool) {
        let before = meta.historyStart
        let (leapStart, received) = (meta.leapStart, meta.received)
        meta.receive(at: time)
        try HistoryTree(in: transaction).trim(options, versionsMax: Self.maintainedAtOnce, &meta)
        let trimmed = meta.historyStart.rawValue - before.rawValue
        let version = meta.version
        let forgotten = try forget(in: transaction, &meta)
        if meta.version > version { try continueLineage(after: version, writing, meta, in: transaction) }
        let clients = try keep(in: transaction, meta)
        let isClockNews =
            meta.leapStart != leapStart || meta.received < received
            // A pause in which nobody commits is no leap.
            || meta.received - received > DoubtedClock.leapMilliseconds / 4
        return (
            trimmed == UInt64(Self.maintainedAtOnce) || forgotten.hasMore || clients.hasMore,
            trimmed > 0 || forgotten.count > 0 || clients.changed > 0 || isClockNews
        )
    }

    /// Looks at the next clients. How far a replica is with them is part of its state, and counts as a change.
    private func keep(in transaction: Transaction, _ meta: Meta) throws(StoreFailure) -> ClientKeeping.Outcome {
        func work(_ keeping: inout ClientKeeping) throws(StoreFailure) -> ClientKeeping.Outcome {
            try keeping.work(
                ClientKeeping.day(of: meta.received), since: ClientKeeping.day(of: meta.leapEnd),
                daysMax: options.clientDaysMax, in: transaction)
        }
        guard isReplica else { return try keeping.withLock { keeping throws(StoreFailure) in try work(&keeping) } }
        let before = try ClientKeeping.load(in: transaction)
        var keeping = before
        var outcome = try work(&keeping)
        if keeping != before {
            keeping.save(in: transaction)
            outcome.changed += 1
        }
        return outcome
    }

    private static let maintainedAtOnce = 1_024
}
