package import CausewayObjectStore
package import CausewayStore

extension StoreEmbedded {
    /// The newest version, and its rows in the file: for people who ask for more than devices may.
    ///
    /// The transaction reads for as long as the snapshot is in use.
    package func browsed() throws(StoreFailure) -> (snapshot: any StoreSnapshot, rows: Transaction) {
        do {
            let transaction = try store.read()
            return (EmbeddedSnapshot(transaction, catalog(of: transaction), snapshots.open()), transaction)
        } catch {
            throw StoreFailure(error)
        }
    }
}
