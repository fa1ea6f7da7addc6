package import CausewayObjectStore
import CausewayModel
import CausewayOpLog
import CausewayOperations

extension Bookkeeping {
    /// Checks that the operation log ends with exactly the transactions that the objects show [I1].
    ///
    /// - Parameter last: the number in the journal, as the objects have it.
    /// - Throws: `Wrong` when a transaction has its objects without its operations, or the other way round.
    package static func checkLog(of store: ObjectStore, last: Int) throws {
        let transaction = try store.read()
        defer { transaction.end() }
        let replica = try Replica.open(in: transaction, newClient: unnamed())
        let logged = try replica.state(in: transaction).lastSequence
        // One changeset for the accounts and the journal, one for each transfer.
        guard logged == UInt64(last) + 1 else {
            throw Wrong("wrong: \(logged) changesets are logged, but the objects show \(last) transfers")
        }
        guard last > 0 else { return }
        let newest = try replica.pending(in: transaction, after: logged - 1, limitBytes: 1 << 20)
        guard newest.count == 1, newest[0].sequence == logged else {
            throw Wrong("wrong: changeset \(logged) is not in the log")
        }
        let counted = newest[0].operations.contains { operation in
            guard case .set(let object, let field) = operation else { return false }
            return object.className == "Journal" && field.property == "last" && field.value == .int(Int64(last))
        }
        guard counted else { throw Wrong("wrong: changeset \(logged) is not that of transfer \(last)") }
    }
}

/// A file that was written has its name already.
private func unnamed() -> ClientID {
    preconditionFailure("A file with transfers has no bookkeeping of its operations.")
}
