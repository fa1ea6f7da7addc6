import CausewayModel
package import CausewayObjectStore

// MARK: - Copies of a file

extension Replica {
    /// Makes a copy of a synchronised file a local one: the objects stay, the books go.
    package static func remove(from transaction: Transaction) {
        Trees(transaction).removeAll()
    }

    /// Makes a copy of a synchronised file one that any device may go on with: it stands where the original stands, and
    /// gets a client of its own when it is opened. One client in two files would give one number to two changesets.
    ///
    /// Ask ``ReplicaState/isSettled`` before: what the server does not have would belong to nobody.
    package static func leaveName(in transaction: Transaction) throws(StoreError) {
        let trees = Trees(transaction)
        guard let state = try trees.loadState() else { return }
        precondition(state.isSettled, "A copy would lose changes that the server does not have.")
        // Nobody but the original's client may ever send them again.
        KeptChangesets(trees).removeAll()
        trees.save(ReplicaState(client: .nobody, at: state))
    }
}
