import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewaySyncedFile

/// Stands in every write transaction of a synchronised file and writes down what the app did.
final class SyncParticipant: CommitParticipant {
    let driver: SyncDriver

    init(_ driver: SyncDriver) {
        self.driver = driver
    }

    func willCommit(_ transaction: Transaction) throws {
        try driver.file.replica.record(in: transaction, now: driver.file.wallClock)
    }

    /// The driver hears of every commit from the store, other processes' included. It decides whether the file stays
    /// open until the commit is on the server, and the file stays open until it has.
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
