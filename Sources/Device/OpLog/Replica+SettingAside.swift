import CausewayModel
package import CausewayObjectStore
package import CausewayOperations

// MARK: - What the server refuses as a whole

extension Replica {
    /// Moves a logged changeset that the server refuses as a whole to the quarantine [I7]. An empty one stays in the
    /// log under its number, so that the numbers have no gap; other pending changesets stay as they are.
    ///
    /// The app sees the bases and the rest of the log. Objects that ended without an operation of their own, as
    /// embedded ones do, are in no base. So the view counts as made for no schema, and the next hello brings a resync.
    ///
    /// - Parameter now: the device's wall clock in milliseconds since 1970.
    /// - Returns: What went to the quarantine; nothing if the changeset has left the log, or was set aside before.
    package func setAside(
        _ sequence: UInt64, code: UInt32, reason: String, in transaction: Transaction, now: UInt64
    ) throws(StoreError) -> [QuarantinedChange] {
        let trees = Trees(transaction)
        var state = try state(in: transaction)
        guard sequence > state.acknowledged,
            var changeset = try trees.entry(sequence, of: trees.log), !changeset.operations.isEmpty
        else { return [] }
        let operations = changeset.operations
        changeset.operations = []
        trees.log.put(Trees.key(sequence), Changeset.encode([changeset]))
        state.schema = ReplicaState.noSchema
        trees.save(state)
        let application = try ViewApplication(transaction, state: state, work, knownRuns, acknowledged: 0)
        try application.showAgain(Set(operations.map(\.target)))
        return trees.quarantine([
            QuarantinedChange(number: 0, time: now, code: code, reason: reason, operations: operations)
        ])
    }

    /// The same for a one-way entry, of which the device has nothing else.
    package func setAsideOneWay(
        _ number: UInt64, code: UInt32, reason: String, in transaction: Transaction, now: UInt64
    ) throws(StoreError) -> [QuarantinedChange] {
        let trees = Trees(transaction)
        let operations = try trees.entry(number, of: trees.oneWay)?.operations ?? []
        return try setAsideOneWay(
            operations.indices.map {
                OperationRefusal(sequence: number, operation: UInt64($0), code: code, reason: reason)
            }, in: transaction, now: now)
    }

    /// The same for some operations of one-way entries, named by the number of the entry. The rest of the entry is sent
    /// without them.
    package func setAsideOneWay(
        _ refused: [OperationRefusal], in transaction: Transaction, now: UInt64
    ) throws(StoreError) -> [QuarantinedChange] {
        let trees = Trees(transaction)
        let acknowledged = try state(in: transaction).acknowledgedOneWay
        var changes: [QuarantinedChange] = []
        let byEntry = Dictionary(grouping: refused, by: \.sequence).sorted { $0.key < $1.key }
        for (number, refused) in byEntry where number > acknowledged {
            guard var entry = try trees.entry(number, of: trees.oneWay) else { continue }
            let parted = entry.operations.parted(by: refused, at: now, isOneWay: true)
            entry.operations = parted.left
            trees.oneWay.put(Trees.key(number), Changeset.encode([entry]))
            changes += parted.refused
        }
        return trees.quarantine(changes)
    }

    /// Makes the view count as made for no schema, so that the next hello brings a resync.
    package func compareView(in transaction: Transaction) throws(StoreError) {
        var state = try state(in: transaction)
        state.schema = ReplicaState.noSchema
        Trees(transaction).save(state)
    }

    /// Logs a refused part of a one-way entry once more, as an entry of its own.
    func logOneWay(_ operations: [Operation], in transaction: Transaction) throws(StoreError) {
        let trees = Trees(transaction)
        var state = try state(in: transaction)
        trees.appendOneWay(operations, stamp: .zero, to: &state)
        trees.save(state)
    }
}
