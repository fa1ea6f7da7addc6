import CausewayMerge
import CausewayModel
package import CausewayObjectStore
import CausewayOperations

// MARK: - What the app did, as a changeset

extension Replica {
    /// Turns what the transaction has changed so far into one logged changeset, as a part of the transaction [I1].
    ///
    /// Call it once, just before commit. One-way objects go to their own log, and their rows are deleted.
    ///
    /// - Parameter now: the device's wall clock in milliseconds since 1970.
    /// - Throws: `invalidValue` when an object of a synced class has no primary key, and what reading the file throws.
    package func record(in transaction: Transaction, now: UInt64) throws(StoreError) {
        let changes = transaction.changes
        guard !changes.isEmpty else { return }
        var state = try state(in: transaction)
        state.clockTime = clock.reading(now: now, after: state.clockTime)
        enter(&state, in: transaction)
        var recording = Recording(transaction, state: state, work, knownRuns)
        try recording.add(changes)
        recording.finish()
    }

    /// Logs operations once more that have left the log, as one new changeset.
    func log(_ operations: [Operation], in transaction: Transaction, now: UInt64) throws(StoreError) {
        guard !operations.isEmpty else { return }
        var state = try state(in: transaction)
        state.clockTime = clock.reading(now: now, after: state.clockTime)
        enter(&state, in: transaction)
        var recording = Recording(transaction, state: state, work, knownRuns)
        for operation in operations { try recording.addAgain(operation) }
        recording.finish()
    }
}
