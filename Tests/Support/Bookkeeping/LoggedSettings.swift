package import Causeway
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import Glibc

/// Makes a Realm keep its operation log as a synchronised one does, without a server to send it to.
package struct LoggedSettings: SyncSettings {
    private let client: UInt64

    package init(client: UInt64) {
        self.client = client
    }

    package func attach(_ coordinator: FileCoordinator, for configuration: Realm.Configuration) throws {
        guard coordinator.participant == nil else { return }
        let transaction = try coordinator.store.write()
        do {
            let replica = try Replica.open(in: transaction, newClient: ClientID(client))
            _ = try transaction.commit()
            coordinator.participant = Recorder(replica)
        } catch {
            if transaction.isWritable { transaction.abort() }
            throw error
        }
    }

    package func isEqual(to other: any SyncSettings) -> Bool { other is LoggedSettings }
}

/// Stands in every write transaction and writes down what it did, as the sync driver's participant does.
private final class Recorder: CommitParticipant {
    private let replica: Replica

    init(_ replica: Replica) {
        self.replica = replica
    }

    func willCommit(_ transaction: Transaction) throws {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        try replica.record(in: transaction, now: UInt64(now.tv_sec) * 1_000 + UInt64(now.tv_nsec) / 1_000_000)
    }

    func didCommit(version: UInt64, through coordinator: FileCoordinator) {}

    func container(in transaction: Transaction) -> PrimaryKey? {
        try? replica.container(in: transaction)
    }
}
