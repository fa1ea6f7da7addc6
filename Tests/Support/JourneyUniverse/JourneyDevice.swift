import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStorage
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import Synchronization

/// One device: its file and its bookkeeping, and what it does with the server when it is told to.
final class JourneyDevice {
    let number: Int
    let replica: Replica
    private let store: ObjectStore
    private let skewMilliseconds: UInt64
    private let fault: Journeys.Fault?
    private var sentThrough: UInt64 = 0
    private var held: [QueryText] = []
    var watching = Itinerary.Watching.all

    init(number: Int, folder: String, skewMilliseconds: UInt64, fault: Journeys.Fault?) throws {
        self.fault = fault
        self.number = number
        self.skewMilliseconds = skewMilliseconds
        store = try ObjectStore.open(
            path: "\(folder)-device-\(number)",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 27))
        let transaction = try store.write()
        defer { transaction.end() }
        try transaction.extendSchema(JourneySchema.schema.withNestedCollections)
        replica = try Replica.open(in: transaction, newClient: ClientID(UInt64(number) + 1))
        _ = try transaction.commit(.relaxed)
    }

    func close() { store.close() }

    func verify() throws -> CausewayObjectStore.VerificationReport { try store.verify() }

    func write(at now: UInt64, _ body: (Transaction) throws -> Void) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        try body(transaction)
        try replica.record(in: transaction, now: now + skewMilliseconds)
        _ = try transaction.commit(.relaxed)
    }

    func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        let transaction = try store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    /// - Returns: what was sent, and why the server refused something of it; no failure when it took everything.
    func upload(to record: StoreEmbedded, at now: UInt64) throws -> (sent: [Changeset], failure: StoreFailure?) {
        let changesets = try read { try replica.pending(in: $0, after: sentThrough, limitBytes: 1 << 30) }
        guard let last = changesets.last else { return ([], nil) }
        let batch = UploadBatch(client: replica.client, user: "u", changesets: changesets)
        let outcome = try record.commit([batch], receivedAt: now)[0]
        sentThrough = last.sequence
        return (changesets, outcome.failure)
    }

    func download(from record: StoreEmbedded) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        let state = try replica.state(in: transaction)
        let wanted = queries
        let difference = try difference(from: state.version, to: record.snapshot(), wanted, in: transaction)
        let application = try replica.beginApplying(acknowledged: difference.acknowledged, in: transaction)
        var isLast = false
        while !isLast {
            let part = try difference.next(bytesMax: 1 << 20)
            for change in part.entered { try application.enter(change.object, change.state) }
            for run in part.enteredRuns { try application.enter(run) }
            for change in part.updated where fault != .missesUpdates {
                try application.update(change.object, change.state, change.changes)
            }
            for leave in part.left where fault != .missesLeaves { try application.leave(leave.object) }
            for end in part.deleted where fault != .missesDeletes { try application.delete(end.object, life: end.life) }
            isLast = part.isLast
        }
        try application.finish(epoch: record.epoch, version: difference.version, querySet: 1)
        held = wanted
        _ = try transaction.commit(.relaxed)
    }

    /// From the history, or where that has been forgotten, by comparing what both ends have.
    private func difference(
        from version: ServerVersion, to snapshot: any StoreSnapshot, _ wanted: [QueryText], in transaction: Transaction
    ) throws -> ViewDifference {
        guard try ViewDifference.needsComparison(snapshot, from: version, for: replica.client) else {
            return try ViewDifference(snapshot, from: version, held: held, wanted: wanted, for: replica.client)
        }
        let comparison = try ViewComparison(
            snapshot, schema: JourneySchema.schema, wanted: wanted, for: replica.client, seed: 7)
        var digests = replica.digests(seed: 7, acknowledged: comparison.acknowledged)
        while let question = comparison.question() {
            let reports = try question.asks.map { try digests.report(on: $0, in: transaction) }
            guard try comparison.take(reports) else { throw UnfittingAnswer() }
        }
        return try comparison.difference()
    }

    /// What the device said of its objects is no answer to what the server asked.
    private struct UnfittingAnswer: Error {}

    private var queries: [QueryText] {
        switch watching {
        case .all: [QueryText(className: "Item", predicate: "TRUEPREDICATE")]
        case .flagged: [QueryText(className: "Item", predicate: "flag == true")]
        case .nothing: []
        }
    }
}
