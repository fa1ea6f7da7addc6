import CausewayIdentity
import CausewayStore
import CausewayStoreEmbedded

extension Configuration {
    /// Makes of the copy of a node's replica a database of one server, with the accounts that all nodes have. Of a server alone, the
    /// copy is that already.
    func settleCopy(of database: String, inFolder folder: String) throws(CommandFailure) {
        guard let journal else { return }
        do {
            // Who is shut out is in no backup.
            _ = try StoreEmbedded.becomeRecord(folder: folder)
            try SharedAccounts(of: database, journal).give(toFolder: folder, of: database)
        } catch let error as StoreFailure {
            throw CommandFailure(error.message)
        } catch let error as AccountError {
            throw CommandFailure(error.message)
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
