import CausewayMerge
package import CausewayModel
package import CausewayObjectStore
package import CausewayOpLog
import CausewayOperations
import CausewaySession
import CausewayStorage
package import CausewayStore
package import CausewayStoreEmbedded
package import CausewaySubscriptions
import CausewayWire

/// A device with its file. What the record tells it goes through the bytes of messages.
package final class Follower {
    private let store: ObjectStore
    package let replica: Replica
    private var sent: UInt64 = 0
    private var isFirst = true
    /// The parts of objects that were told by what happened to them, and whole.
    package private(set) var told = (changes: 0, whole: 0)
    /// The bytes of the messages of the last download.
    package private(set) var bytes = 0
    package private(set) var refusals = 0
    package private(set) var comparisons = 0
    /// The user's rules for writing.
    package var permissions: Permissions?

    package static let schema = Schema([
        ClassSchema(
            name: "Note",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "title", type: .string),
                Property(name: "done", type: .bool),
                Property(name: "items", type: .int, collection: .list),
                Property(name: "any", type: .mixed, collection: .list),
                Property(name: "places", type: .object, collection: .list, target: "Place"),
                Property(name: "marks", type: .double, collection: .set),
                Property(name: "peers", type: .object, collection: .set, target: "Note"),
                Property(name: "scores", type: .int, collection: .map),
                Property(name: "body", type: .string, isText: true),
            ]),
        ClassSchema(
            name: "Place", kind: .embedded,
            properties: [Property(name: "city", type: .string), Property(name: "halls", type: .int, collection: .list)]),
    ])

    package enum Column {
        package static let title = 1
        package static let done = 2
        package static let items = 3
        package static let any = 4
        package static let places = 5
        package static let marks = 6
        package static let peers = 7
        package static let scores = 8
        package static let body = 9
    }

    package init(_ number: UInt64) throws {
        store = try ObjectStore.open(
            path: "follower-\(UInt64.random(in: 0 ... .max))", options: .init(inMemory: true, mapSizeBytes: 1 << 27))
        let transaction = try store.write()
        defer { transaction.end() }
        try transaction.extendSchema(Self.schema.withNestedCollections)
        replica = try Replica.open(in: transaction, newClient: ClientID(number))
        _ = try transaction.commit(.relaxed)
    }

    package var client: ClientID { replica.client }

    package func write(at time: UInt64, _ body: (Transaction) throws -> Void) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        try body(transaction)
        try replica.record(in: transaction, now: time)
        _ = try transaction.commit(.relaxed)
    }

    package func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        let transaction = try store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    /// Changes the file beside the app.
    package func tamper(_ body: (Transaction) throws -> Void) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        try body(transaction)
        _ = try transaction.commit(.relaxed)
    }

    /// A row of an embedded object that nothing holds yet.
    package func place(_ city: String, in transaction: Transaction) throws -> Value {
        let places = try table("Place", in: transaction)
        let key = try places.create(replica.container(in: transaction))
        places.set(key, 0, .string(city))
        return .object(key)
    }

    private func table(_ name: String, in transaction: Transaction) throws -> Table {
        guard let table = transaction.table(name) else { throw Unexpected("there is no class \(name)") }
        return table
    }

    // MARK: - Sync

    /// - Parameter records: one, or several that become copies of each other.
    package func upload(to records: StoreEmbedded..., at now: UInt64) throws {
        let changesets = try read { try replica.pending(in: $0, after: sent, limitBytes: 1 << 30) }
        guard let last = changesets.last else { return }
        let batch = UploadBatch(client: client, user: "u", permissions: permissions, changesets: changesets)
        for record in records {
            let outcome = try record.commit([batch], receivedAt: now)[0]
            if let failure = outcome.failure { throw Unexpected("an upload failed: \(failure)") }
        }
        sent = last.sequence
    }

    /// - Parameters:
    ///   - bytesMax: of a part.
    ///   - tellsEdits: whether the device speaks a version of the protocol in which edits are told.
    package func download(from record: StoreEmbedded, bytesMax: Int = 1 << 20, tellsEdits: Bool = true) throws {
        try download(from: record, bytesMax: bytesMax, tellsEdits: tellsEdits, isLost: false)
    }

    /// A resync: what the device has is compared.
    package func downloadCompared(from record: StoreEmbedded) throws {
        try download(from: record, bytesMax: 1 << 20, tellsEdits: true, isLost: true)
    }

    private func download(from record: StoreEmbedded, bytesMax: Int, tellsEdits: Bool, isLost: Bool) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        let snapshot = try record.snapshot()
        let state = try replica.state(in: transaction)
        let difference =
            if try isLost || ViewDifference.needsComparison(snapshot, from: state.version, for: client) {
                try compared(with: snapshot, in: transaction)
            } else {
                try ViewDifference(
                    snapshot, from: state.version, held: isFirst ? [] : Self.queries, wanted: Self.queries, for: client,
                    acknowledged: state.acknowledged, tellsEdits: tellsEdits)
            }
        let application = try replica.beginApplying(acknowledged: difference.acknowledged, in: transaction)
        bytes = 0
        var isLast = false
        while !isLast {
            let part = try difference.next(bytesMax: bytesMax)
            try apply(try sent(part, of: difference, epoch: record.epoch), to: application)
            isLast = part.isLast
        }
        try application.finish(epoch: record.epoch, version: difference.version, querySet: 1)
        refusals += application.quarantined.count
        isFirst = false
        _ = try transaction.commit(.relaxed)
    }

    private func sent(
        _ part: ViewDifference.Part, of difference: ViewDifference, epoch: UInt64
    ) throws -> ViewChunk {
        let checkpoint = difference.checkpoint(epoch: epoch, querySet: 1, permissions: 0)
        var chunk = ViewChunk(part, of: difference, to: checkpoint)
        chunk.checkpoint = part.isLast ? checkpoint : nil
        let message = WireCodec.encode(DownloadMessage.changes(chunk))
        bytes += message.count
        guard case .changes(let read) = try WireCodec.decode(DownloadMessage.self, body: message) else {
            throw Unexpected("changes came as another message")
        }
        // A run of many objects comes as columns.
        if chunk.entered.count < ObjectRun.leastCount, read != chunk {
            throw Unexpected("a message reads otherwise than it was written")
        }
        return read
    }

    private func apply(_ part: ViewChunk, to application: ViewApplication) throws {
        application.refuse(part.refused)
        for change in part.entered { try application.enter(change.object, change.state) }
        for run in part.enteredRuns { try application.enter(run) }
        for change in part.updated {
            told.changes += change.changes.count
            told.whole += change.state.parts.count
            try application.update(change.object, change.state, change.changes)
        }
        for leave in part.left { try application.leave(leave.object) }
        for end in part.deleted { try application.delete(end.object, life: end.life) }
    }

    private func compared(with snapshot: any StoreSnapshot, in transaction: Transaction) throws -> ViewDifference {
        comparisons += 1
        return try comparison(with: snapshot, in: transaction).difference()
    }

    private func comparison(with snapshot: any StoreSnapshot, in transaction: Transaction) throws -> ViewComparison {
        let state = try replica.state(in: transaction)
        let comparison = try ViewComparison(
            snapshot, schema: Self.schema, wanted: Self.queries, for: client, told: state.acknowledged, seed: 7)
        var digests = replica.digests(seed: 7, acknowledged: comparison.acknowledged)
        while let question = comparison.question() {
            let reports = try question.asks.map { try digests.report(on: $0, in: transaction) }
            guard try comparison.take(reports) else { throw Unexpected("a comparison took no answer") }
        }
        return comparison
    }

    /// What the record has otherwise than the device: values, the ids and places of elements, and runs of texts; nil if
    /// there is nothing [I3].
    package func disagreement(with record: StoreEmbedded) throws -> String? {
        try read { transaction in
            let part = try comparison(with: record.snapshot(), in: transaction).difference().next(bytesMax: 1 << 20)
            guard !part.isEmpty else { return nil }
            let entered = part.entered.map { content in
                let parts = content.state.parts.map { "\($0.property) \($0.content.elements(areKeys: false))" }
                let fields = content.state.fields.map { "\($0.property) \($0.value)" }
                return "\(content.object): \((fields + parts).joined(separator: "; "))"
            }
            return "\(entered); \(part.left); \(part.deleted); here: \(try described(in: transaction))"
        }
    }

    private func described(in transaction: Transaction) throws -> String {
        try (0..<2).map { id in
            let notes = try table("Note", in: transaction)
            guard let key = notes.key(for: .int(Int64(id))) else { return "none" }
            return (1...9).map { column in
                let property = notes.schema.properties[column]
                let values = property.collection == .none ? [notes.value(key, column)] : notes.listValues(key, column)
                return "\(property.name) \(values)"
            }.joined(separator: "; ")
        }.joined(separator: " | ")
    }

    /// What the columns show of a property: the values, and of a map its keys.
    package func shown(_ column: Int, of id: Int64) throws -> [Value] {
        try read { transaction in
            let notes = try table("Note", in: transaction)
            guard let key = notes.key(for: .int(id)) else { return [] }
            let property = notes.schema.properties[column]
            if property.collection == .none { return [notes.value(key, column)] }
            let keys = property.collection == .map ? notes.mapKeys(key, column).map { Value.string($0) } : []
            return keys + notes.listValues(key, column).map { transaction.travelling($0) }
        }
    }

    package var pendingCount: Int {
        get throws { try read { try replica.pending(in: $0, after: 0, limitBytes: 1 << 30) }.count }
    }

    package static let queries = [QueryText(className: "Note", predicate: "TRUEPREDICATE")]

    package struct Unexpected: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }
}

extension Follower {
    /// A record in memory.
    package static func record(editedBytesMin: Int = 128, historyVersionsMax: UInt64 = 1_000_000) throws
        -> StoreEmbedded
    {
        let record = try StoreEmbedded.open(
            folder: "followed-\(UInt64.random(in: 0 ... .max))",
            options: StoreEmbedded.Options(
                historyVersionsMax: historyVersionsMax, editedBytesMin: editedBytesMin, mapSizeBytes: 1 << 28,
                inMemory: true),
            epochSeed: 3)
        try record.extendSchema(Follower.schema)
        return record
    }
}
