import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayQuery
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import CausewayWire

@testable import CausewaySimulation

/// The server: the real record and the real conversations, called one at a time.
final class SimulatedServer {
    /// Keeps the in-memory file alive, and lets the checker look inside.
    private let file: ObjectStore
    let record: StoreEmbedded

    init(seed: UInt64, historyVersionsMax: UInt64) throws {
        let folder = "paired-server-\(UInt64.random(in: 0 ... .max))"
        file = try ObjectStore.open(
            path: folder + "/database.causeway",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
        record = try StoreEmbedded.open(
            folder: folder,
            options: StoreEmbedded.Options(
                historyVersionsMax: historyVersionsMax, mapSizeBytes: 1 << 26, inMemory: true),
            epochSeed: seed | 1)
        try record.extendSchema(SimulationSchema.schema)
    }

    func commit(_ changesets: [Changeset], of client: ClientID, at time: UInt64) throws -> CommitOutcome {
        try record.commit([UploadBatch(client: client, user: "u", changesets: changesets)], receivedAt: time)[0]
    }

    /// A fresh run of queries: what a device that wants them must hold.
    func content(of queries: QuerySet) throws -> [String: [PrimaryKey: Picture]] {
        let transaction = try file.read()
        defer { transaction.end() }
        var content: [String: [PrimaryKey: Picture]] = [:]
        for className in ["Item", "Shop"] {
            let predicates = try queries.queries.filter { $0.className == className }.map {
                try Predicate.parse($0.predicate).bound(to: className, in: transaction.schema)
            }
            let keys = try transaction.keys(className, matching: .or(predicates))
            content[className] = transaction.pictures(className, predicates.isEmpty ? [] : keys)
        }
        return content
    }

    /// Embedded objects that no object holds any more.
    func orphans() throws -> [String] {
        let transaction = try file.read()
        defer { transaction.end() }
        return transaction.orphans()
    }
}

/// The server's half of one connection.
final class SimulatedSession {
    private var conversation: Conversation
    private var difference: ViewDifference?
    private var comparison: ViewComparison?
    private let server: SimulatedServer

    init(_ hello: Hello, server: SimulatedServer, now: UInt64) throws {
        self.server = server
        let limits = SessionLimits(frameBytes: 1 << 20, creditBytes: 3_000, heartbeatMilliseconds: 5_000)
        _ = try server.record.register(hello.client, user: "u")
        try server.record.extendSchema(hello.schema)
        let snapshot = try server.record.snapshot()
        let isKnown = try snapshot.lineage().knows(
            hello.checkpoint.version, of: hello.checkpoint.incarnation, newest: snapshot.version)
        conversation = Conversation(
            hello: hello, isLost: hello.checkpoint != .nothing && !isKnown, awaited: hello.checkpoint.acknowledged,
            user: "u", limits: limits, now: now)
    }

    func wants(_ queries: QuerySet) { conversation.wants(queries) }

    func credited(_ bytes: Int) { conversation.credited(bytes: UInt64(bytes)) }

    func marked(_ id: UInt64) { _ = conversation.marked(id, newest: server.record.version) }

    func answered(_ number: UInt64, _ reports: [DigestReport]) { conversation.answered(number, reports) }

    private func begin(_ request: Conversation.DifferenceRequest) throws(StoreFailure) {
        let snapshot = try server.record.snapshot()
        let isCompared =
            if request.isLost { true } else {
                try ViewDifference.needsComparison(snapshot, from: request.from, for: request.client)
            }
        guard isCompared else {
            difference = try ViewDifference(
                snapshot, from: request.from, held: request.held.texts, wanted: request.wanted.texts,
                for: request.client, acknowledged: request.acknowledged)
            return conversation.began()
        }
        let comparison = try ViewComparison(
            snapshot, schema: conversation.schema, wanted: request.wanted.texts, for: request.client,
            told: request.acknowledged, seed: snapshot.version.rawValue)
        guard comparison.acknowledged >= request.awaited else {
            return conversation.foundIncomplete(at: snapshot.version)
        }
        self.comparison = comparison
        conversation.comparisonBegan()
    }

    /// One action of the conversation; nil when it waits. `bytes` makes parts smaller than they would be, so that
    /// changes of few objects come in several.
    func act(now: UInt64, bytes: Int) throws -> (acted: Bool, message: DownloadMessage?) {
        switch conversation.next(newest: server.record.version, now: now) {
        case .difference(let request):
            do throws(StoreFailure) {
                try begin(request)
                return (true, nil)
            } catch {
                guard error.code == .queryInvalid else { throw error }
                return (true, sent(conversation.refused(SyncFailure(error)), now))
            }
        case .question:
            guard let comparison else { preconditionFailure("no comparison is open") }
            let question = comparison.question()
            if question == nil {
                difference = try comparison.difference()
                self.comparison = nil
            }
            let message = conversation.asked(question.map { DigestQuestion($0) }, now: now)
            return (true, message.map { sent($0, now) })
        case .compare(let reports):
            conversation.compared(fits: try comparison?.take(reports) ?? false)
            return (true, nil)
        case .part:
            guard let difference else { preconditionFailure("no difference is open") }
            let querySet = conversation.targetQuerySet
            let part = try difference.next(bytesMax: bytes)
            let checkpoint = difference.checkpoint(epoch: server.record.epoch, querySet: querySet, permissions: 0)
            if part.isLast { self.difference = nil }
            let chunk = ViewChunk(part, of: difference, to: checkpoint)
            let message = conversation.message(for: chunk, lastAt: part.isLast ? checkpoint : nil)
            return (true, message.map { sent($0, now) })
        case .send(let message):
            return (true, sent(message, now))
        case .wait:
            return (false, nil)
        case .finish(let failure):
            return (true, sent(.end(failure), now))
        }
    }

    static let messageBytes = 1_000

    private func sent(_ message: DownloadMessage, _ now: UInt64) -> DownloadMessage {
        conversation.sent(bytes: Self.messageBytes, now: now)
        return message
    }
}
