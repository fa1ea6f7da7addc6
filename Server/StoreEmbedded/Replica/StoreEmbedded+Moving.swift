import CausewayJournal
import CausewayObjectStore
import CausewayStorage
package import CausewayStore

// A database that moves to a journal, and back. Its devices go on where they were: the epoch and the versions stay.

extension StoreEmbedded {
    /// Makes a record a replica that has applied nothing: its state is what the journal begins with.
    ///
    /// - Parameters:
    ///   - folder: of a file that nobody has open.
    ///   - shutOuts: whom the operator has shut out: the journal keeps them too.
    /// - Returns: the database that the journal is to have.
    package static func becomeReplica(folder: String, shutOuts: [ShutOut] = []) throws(StoreFailure) -> UInt64 {
        let record = try open(folder: folder, epochSeed: 1)
        defer { record.close() }
        try record.move { transaction, meta in
            JournalMark.beginning(of: meta.epoch).save(in: transaction)
            meta.save(in: transaction, isReplica: true)
            ShutOutTree(in: transaction).fill(with: shutOuts)
        }
        return record.epoch
    }

    /// Makes a replica a record that changes by calls.
    ///
    /// - Returns: whom the operator had shut out. The record does not have them any more.
    package static func becomeRecord(folder: String) throws(StoreFailure) -> [ShutOut] {
        let database = try readingFile(in: folder) { Meta(in: $0).epoch }
        let replica = try openReplica(folder: folder, of: database)
        defer { replica.close() }
        let shutOuts = try replica.shutOuts()
        try replica.move { transaction, meta in
            ShutOutTree(in: transaction).removeAll()
            JournalMark.remove(in: transaction)
            RecordSettings.remove(in: transaction)
            ClientKeeping.remove(in: transaction)
            meta.save(in: transaction, isReplica: false)
        }
        return shutOuts
    }

    private func move(_ body: (Transaction, Meta) -> Void) throws(StoreFailure) {
        let transaction: Transaction
        do throws(StoreError) {
            transaction = try store.write()
        } catch {
            throw StoreFailure(error)
        }
        // Takes back what was not committed.
        defer { transaction.end() }
        body(transaction, Meta(in: transaction))
        do throws(StoreError) {
            _ = try transaction.commit(.durable)
        } catch {
            throw StoreFailure(error)
        }
    }
}
