import CausewayModel
import CausewayOperations
import CausewayStore
import CausewayStoreEmbedded
import Dispatch
import Synchronization

/// A record whose snapshots wait at a gate, when a test has closed it: as if what is asked of them took as long.
final class GatedBackend: StoreBackend, OneWayIntake {
    private let store: StoreEmbedded
    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)

    private struct State {
        /// How many of the next snapshots pass, and how many of those behind them wait.
        var passing = 0
        var waitingMax = 0
        var waiting = 0
        var snapshots = 0
    }

    init(_ store: StoreEmbedded) {
        self.store = store
    }

    /// The next so many snapshots wait until the gate is opened; `passing` that come before them do not.
    func close(for count: Int, behind passing: Int = 0) {
        state.withLock { ($0.passing, $0.waitingMax) = (passing, count) }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { (state.waiting, state.waitingMax) = (0, 0) }
            return state.waiting
        }
        for _ in 0..<waiting { gate.signal() }
    }

    var waiting: Int { state.withLock { $0.waiting } }
    var snapshots: Int { state.withLock { $0.snapshots } }

    func snapshot() throws(StoreFailure) -> any StoreSnapshot {
        let waits = state.withLock { state in
            state.snapshots += 1
            guard state.passing == 0 else {
                state.passing -= 1
                return false
            }
            guard state.waitingMax > 0 else { return false }
            state.waitingMax -= 1
            state.waiting += 1
            return true
        }
        if waits { gate.wait() }
        return try store.snapshot()
    }

    // MARK: - As it is

    var epoch: UInt64 { store.epoch }
    var version: ServerVersion { store.version }

    func register(_ client: ClientID, user: String, standing: DeviceStanding) throws(StoreFailure) -> ClientRecord {
        try store.register(client, user: user, standing: standing)
    }

    func extendSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) -> SchemaAdditions {
        try store.extendSchema(wanted, by: declarer)
    }

    func requireSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) {
        try store.requireSchema(wanted, by: declarer)
    }

    func commit(_ batches: [UploadBatch], receivedAt time: UInt64) throws(StoreFailure) -> [CommitOutcome] {
        try store.commit(batches, receivedAt: time)
    }

    func ingest(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try store.ingest(batch, receivedAt: time)
    }

    func accept(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try store.accept(batch, receivedAt: time)
    }
}
