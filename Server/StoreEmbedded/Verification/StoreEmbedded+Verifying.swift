import CausewayModel
package import CausewayObjectStore
package import CausewayStore

extension StoreEmbedded {
    /// Compares the trees that a record keeps beside its objects with the objects and with each other. `RecordCheck`
    /// has the rules.
    ///
    /// Reads the newest version, while the file is in use. `ObjectStore.verify` comes first: this takes pages, indexes
    /// and links for sound.
    ///
    /// - Parameter progress: told now and then how much is done, from 0 to 1.
    /// - Complexity: O(n) in the size of the record. In memory is one version of the history at a time, and the rows of
    ///   one class.
    package static func verify(
        _ store: ObjectStore, _ progress: (Double) -> Void = { _ in }
    ) throws(StoreFailure) -> RecordReport {
        do throws(StoreError) {
            let transaction = try store.read()
            defer { transaction.end() }
            let check = RecordCheck(transaction)
            check.run(progress)
            try transaction.throwDamage()
            return check.report
        } catch {
            throw StoreFailure(error)
        }
    }
}
