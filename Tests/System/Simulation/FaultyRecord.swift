import CausewayModel
import CausewayOperations
import CausewayStore

/// A record that fails when it is told to: before a call took effect, or after it.
///
/// Unchecked: a record and the world around it live on one thread.
final class FaultyRecord: StoreBackend, @unchecked Sendable {
    /// A call, as it can be made again.
    typealias Change = (any StoreBackend) throws(StoreFailure) -> Void

    enum Failing {
        case not
        case before(StoreFailure.Code)
        case after(StoreFailure.Code)
    }

    let record: any StoreBackend
    /// Told of every call that changed the record, so that an older copy of it can be made.
    private let changed: (@escaping Change) -> Void
    /// Told of every commit before it is tried.
    private let committing: ([UploadBatch]) -> Void
    /// Asked at every call.
    private let failing: () -> Failing
    private let mutation: Mutation?
    private var commits = 0
    private var ingests = 0

    init(
        _ record: any StoreBackend, mutation: Mutation?, changed: @escaping (@escaping Change) -> Void,
        committing: @escaping ([UploadBatch]) -> Void, failing: @escaping () -> Failing
    ) {
        self.record = record
        self.changed = changed
        self.committing = committing
        self.mutation = mutation
        self.failing = failing
    }

    var epoch: UInt64 { record.epoch }
    var version: ServerVersion { record.version }

    private func changing<Outcome>(
        _ body: @escaping (any StoreBackend) throws(StoreFailure) -> Outcome
    ) throws(StoreFailure) -> Outcome {
        try failingSometimes { () throws(StoreFailure) in
            changed { record throws(StoreFailure) in _ = try body(record) }
            return try body(record)
        }
    }

    private func failingSometimes<Outcome>(
        _ body: () throws(StoreFailure) -> Outcome
    ) throws(StoreFailure) -> Outcome {
        switch failing() {
        case .not: return try body()
        case .before(let code): throw StoreFailure(code, "The disk failed before anything was written.")
        case .after(let code):
            _ = try body()
            throw StoreFailure(code, "The disk failed, though everything was written.")
        }
    }

    func register(
        _ client: ClientID, user: String, standing: DeviceStanding
    ) throws(StoreFailure) -> ClientRecord {
        try changing { record throws(StoreFailure) in try record.register(client, user: user, standing: standing) }
    }

    func extendSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) -> SchemaAdditions {
        try changing { record throws(StoreFailure) in try record.extendSchema(wanted, by: declarer) }
    }

    func requireSchema(_ wanted: Schema, by declarer: Declarer?) throws(StoreFailure) {
        try failingSometimes { () throws(StoreFailure) in try record.requireSchema(wanted, by: declarer) }
    }

    func commit(_ batches: [UploadBatch], receivedAt time: UInt64) throws(StoreFailure) -> [CommitOutcome] {
        commits += 1
        committing(batches)
        if mutation == .uploadNeverTaken { throw StoreFailure(.busy, "Come again later.") }
        var batches = batches
        if commits % 4 == 3, mutation == .changesetSkipped { batches[0].changesets[0].operations = [] }
        let wanted = batches
        let outcomes = try changing { record throws(StoreFailure) in try record.commit(wanted, receivedAt: time) }
        if commits % 4 == 3, mutation == .changesetAppliedTwice { try commitAgain(batches[0], receivedAt: time) }
        return outcomes
    }

    /// The same operations under another name, as if the client's sequence were not known.
    private func commitAgain(_ batch: UploadBatch, receivedAt time: UInt64) throws(StoreFailure) {
        let other = ClientID(UInt64(commits) << 32 | 7)
        _ = try record.register(other, user: batch.user)
        let again = batch.changesets.enumerated().map { index, changeset in
            Changeset(
                client: other, sequence: UInt64(index + 1), stamp: changeset.stamp, base: changeset.base,
                operations: changeset.operations)
        }
        _ = try record.commit([UploadBatch(client: other, user: batch.user, changesets: again)], receivedAt: time)
    }

    func ingest(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        ingests += 1
        var batch = batch
        if ingests % 3 == 2, mutation == .oneWayEntryLost { batch.entries[0] = [] }
        let wanted = batch
        return try changing { record throws(StoreFailure) in try record.ingest(wanted, receivedAt: time) }
    }

    func snapshot() throws(StoreFailure) -> any StoreSnapshot {
        try failingSometimes { () throws(StoreFailure) in try record.snapshot() }
    }
}
