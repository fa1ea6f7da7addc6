import CausewayJournal
import CausewayObjectStore
import CausewayStorage
package import CausewayStore

// A database that moves to a journal, and back. Its devices go on where they were: the epoch and the versions stay.

extension StoreEmbedded {
    /// Makes a record a replica that has applied nothing: its state is what the journal begins with.
    ///
    /// - Parameter folder: of a file that nobody has open.
    /// - Returns: the database that the journal is to have.
    package static func becomeReplica(folder: String) throws(StoreFailure) -> UInt64 {
        let record = try open(folder: folder, epochSeed: 1)
        defer { record.close() }
        try record.move { transaction, meta in
            JournalMark.beginning(of: meta.epoch).save(in: transaction)
            meta.save(in: transaction, isReplica: true)
        }
        return record.epoch
    }

    /// Makes a replica a record that changes by calls.
    package static func becomeRecord(folder: String, of database: UInt64) throws(StoreFailure) {
        let replica = try openReplica(folder: folder, of: database)
        defer { replica.close() }
        try replica.move { transaction, meta in
            JournalMark.remove(in: transaction)
            RecordSettings.remove(in: transaction)
            ClientKeeping.remove(in: transaction)
            meta.save(in: transaction, isReplica: false)
        }
    }

    private func move(_ body: (Transaction, Meta) -> Void) throws(StoreFailure) {
        do {
            let transaction = try store.write()
            defer { transaction.end() }
            body(transaction, Meta(in: transaction))
            _ = try transaction.commit(.durable)
        } catch {
            throw StoreFailure(error)
        }
    }
}
