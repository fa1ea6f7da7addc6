import CausewayObjectStore
package import CausewayStore

// Reading a database, whoever serves it.

extension StoreEmbedded {
    /// Reads the newest state of the database in a folder. The server may run or not.
    package static func reading<Value>(
        folder: String, _ body: (any StoreSnapshot) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        try readingFile(in: folder) { transaction throws(StoreFailure) in
            let snapshot = EmbeddedSnapshot(
                transaction, RecordCatalog(transaction.schema, in: transaction), OpenSnapshots().open())
            return try body(snapshot)
        }
    }

    static func readingFile<Value>(
        in folder: String, _ body: (Transaction) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        var options = ObjectStore.Options()
        options.readOnly = true
        let store: ObjectStore
        let transaction: Transaction
        do throws(StoreError) {
            store = try ObjectStore.open(path: folder + "/" + fileName, options: options)
            transaction = try store.read()
        } catch {
            throw StoreFailure(error)
        }
        defer {
            transaction.end()
            store.close()
        }
        return try body(transaction)
    }
}
