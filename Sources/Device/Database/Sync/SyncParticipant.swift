import CausewayModel
import CausewayObjectStore
import CausewayOpLog

/// Stands in every write transaction of a synchronised file and writes down what the app did.
final class SyncParticipant: CommitParticipant {
    let driver: SyncDriver

    init(_ driver: SyncDriver) {
        self.driver = driver
    }

    func willCommit(_ transaction: Transaction) throws {
        try driver.file.replica.record(in: transaction, now: SyncedFile.wallClock)
    }

    /// The driver hears of every commit from the store, other processes' included.
    func didCommit(version: UInt64) {}

    func container(in transaction: Transaction) -> PrimaryKey? {
        do {
            return try driver.file.replica.container(in: transaction)
        } catch {
            misuse("The Realm file can no longer be read: \(error.message)")
        }
    }
}
