import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySyncedFile

/// Takes part in every write transaction of a synchronised file and records the app's changes.
final class SyncParticipant: CommitParticipant {
    let driver: SyncDriver

    init(_ driver: SyncDriver) {
        self.driver = driver
    }

    func willCommit(_ transaction: Transaction) throws {
        try driver.file.replica.record(in: transaction, now: driver.file.wallClock)
    }

    /// The driver hears of every commit from the store, including those of other processes. It decides whether the file
    /// stays open until the commit is on the server. This call keeps the file open until it has decided.
    func didCommit(version: UInt64, through coordinator: FileCoordinator) {
        driver.onQueue { _ in withExtendedLifetime(coordinator) {} }
    }

    func container(in transaction: Transaction) -> PrimaryKey? {
        do {
            return try driver.file.replica.container(in: transaction)
        } catch {
            misuse("The Realm file can no longer be read: \(error.message)")
        }
    }
}
