import CausewayModel
package import CausewayObjectStore

// MARK: - Copies of a file

extension Replica {
    /// Turns a copy of a synchronised file into a local one: the objects stay, the log and bases are removed.
    package static func remove(from transaction: Transaction) {
        Trees(transaction).removeAll()
    }

    /// Turns a copy of a synchronised file into one that any device may go on with. It keeps the original's checkpoint,
    /// and gets a client of its own when it is opened: one client in two files would give one number to two changesets.
    ///
    /// Check ``ReplicaState/isSettled`` before: the call traps if there are changes that the server does not have.
    package static func leaveName(in transaction: Transaction) throws(StoreError) {
        let trees = Trees(transaction)
        guard let state = try trees.loadState() else { return }
        precondition(state.isSettled, "A copy would lose changes that the server does not have.")
        // Only the original's client may ever send them again.
        KeptChangesets(trees).removeAll()
        trees.save(ReplicaState(client: .nobody, at: state))
    }
}
