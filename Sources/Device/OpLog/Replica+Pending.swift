import CausewayModel
package import CausewayObjectStore
package import CausewayOperations

// MARK: - What waits to be sent

extension Replica {
    /// The logged changesets after a number, in order, all of one opening and with bases of one run: at least one if
    /// there is any, otherwise no more than fit the limit.
    package func pending(
        in transaction: Transaction, after sequence: UInt64, limitBytes: Int
    ) throws(StoreError) -> [Changeset] {
        try pendingBatch(in: transaction, after: sequence, limitBytes: limitBytes).changesets
    }

    /// The same changesets, and how many bytes they take in the log.
    ///
    /// - Parameter operationsMax: the most operations that the server takes at once; several changesets together hold
    ///   no more.
    package func pendingBatch(
        in transaction: Transaction, after sequence: UInt64, limitBytes: Int, operationsMax: Int = .max
    ) throws(StoreError) -> (changesets: [Changeset], sizeBytes: Int) {
        let trees = Trees(transaction)
        let state = try state(in: transaction)
        var found: [Changeset] = []
        var sizeBytes = 0
        var operations = 0
        try trees.changesets(in: trees.log, after: sequence) { changeset, size in
            var changeset = changeset
            changeset.opening = trees.opening(of: changeset.sequence, in: .changesets, state.openings) ?? 0
            changeset.run = state.baseRuns.id(of: changeset.sequence) ?? 0
            operations += changeset.operationCount
            if let first = found.first,
                sizeBytes + size > limitBytes || operations > operationsMax || changeset.opening != first.opening
                    || changeset.run != first.run
            {
                return false
            }
            sizeBytes += size
            found.append(changeset)
            return true
        }
        return (found, sizeBytes)
    }

    /// The one-way entries after a number, in order, without gaps and of one opening, and how many bytes they take in
    /// the log; nil if there are none.
    package func pendingOneWay(
        in transaction: Transaction, after number: UInt64, limitBytes: Int, operationsMax: Int = .max
    ) throws(StoreError) -> (first: UInt64, entries: [[Operation]], sizeBytes: Int, opening: UInt64)? {
        let trees = Trees(transaction)
        let openings = try state(in: transaction).oneWayOpenings
        var first: UInt64?
        var opening: UInt64 = 0
        var entries: [[Operation]] = []
        var sizeBytes = 0
        var operations = 0
        try trees.changesets(in: trees.oneWay, after: number) { changeset, size in
            operations += changeset.operationCount
            let maker = trees.opening(of: changeset.sequence, in: .oneWay, openings) ?? 0
            if !entries.isEmpty,
                sizeBytes + size > limitBytes || operations > operationsMax || maker != opening
            {
                return false
            }
            sizeBytes += size
            first = first ?? changeset.sequence
            opening = maker
            entries.append(changeset.operations)
            return true
        }
        return first.map { ($0, entries, sizeBytes, opening) }
    }

    /// Forgets one-way entries that are durable on the server: nothing of them stays on the device.
    package func acknowledgeOneWay(through number: UInt64, in transaction: Transaction) throws(StoreError) {
        let trees = Trees(transaction)
        var state = try state(in: transaction)
        let last = min(number, state.lastOneWay)
        guard last > state.acknowledgedOneWay else { return }
        trees.oneWay.removeRange(from: Trees.key(state.acknowledgedOneWay + 1), upTo: Trees.key(last + 1))
        state.acknowledgedOneWay = last
        trees.forgetOpenings(before: last, of: .oneWay, state.oneWayOpenings)
        state.oneWayOpenings.forget(before: last)
        trees.save(state)
    }
}
