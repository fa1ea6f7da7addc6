import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewaySubscriptions
import CausewayWire

/// The server: the real record and the real conversations, called one at a time.
final class SimulatedServer {
    private let folder: String
    private let options: StoreEmbedded.Options
    /// Keeps the in-memory file alive while the record is closed and opened again, and lets the checker look inside.
    private let file: ObjectStore
    private(set) var record: StoreEmbedded
    private(set) var restarts = 0

    init(seed: UInt64, historyVersionsMax: UInt64) throws {
        folder = "simulation-\(seed)-\(Self.uniqueNumber())"
        options = StoreEmbedded.Options(
            historyVersionsMax: historyVersionsMax, mapSizeBytes: 1 << 26, inMemory: true)
        file = try ObjectStore.open(
            path: folder + "/database.causeway",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
        record = try StoreEmbedded.open(folder: folder, options: options, epochSeed: seed | 1)
        try record.extendSchema(SimulationSchema.schema)
    }

    private nonisolated(unsafe) static var number = 0

    /// The suite runs its seeds one after another, so a plain counter does.
    private static func uniqueNumber() -> Int {
        number += 1
        return number
    }

    /// What a restart loses is everything that was not committed: the open sessions.
    func restart() throws {
        restarts += 1
        record = try StoreEmbedded.open(folder: folder, options: options, epochSeed: 1)
    }

    func commit(_ changesets: [Changeset], of client: ClientID, at time: UInt64) throws -> CommitOutcome {
        try record.commit(
            [UploadBatch(client: client, user: "u", changesets: changesets)], receivedAt: time)[0]
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
    private let server: SimulatedServer

    init(_ hello: Hello, server: SimulatedServer, now: UInt64) throws {
        self.server = server
        let limits = SessionLimits(frameBytes: 1 << 20, creditBytes: 3_000, heartbeatMilliseconds: 5_000)
        conversation = Conversation(hello: hello, user: "u", limits: limits, now: now)
        _ = try server.record.register(hello.client, user: "u")
        try server.record.extendSchema(hello.schema)
    }

    func wants(_ queries: QuerySet) { conversation.wants(queries) }

    func credited(_ bytes: Int) { conversation.credited(bytes: UInt64(bytes)) }

    func marked(_ id: UInt64) { _ = conversation.marked(id, newest: server.record.version) }

    /// One action of the conversation; nil when it waits. `bytes` makes parts smaller than they would be, so that
    /// changes of few objects come in several.
    func act(now: UInt64, bytes: Int) throws -> (acted: Bool, message: DownloadMessage?) {
        switch conversation.next(newest: server.record.version, now: now) {
        case .difference(let request):
            do throws(StoreFailure) {
                difference = try ViewDifference(
                    server.record.snapshot(), from: request.from, held: request.held.texts,
                    wanted: request.wanted.texts, for: request.client)
                conversation.began()
                return (true, nil)
            } catch {
                guard error.code == .queryInvalid else { throw error }
                return (true, sent(conversation.refused(SyncFailure(error)), now))
            }
        case .part:
            guard let difference else { preconditionFailure("no difference is open") }
            let querySet = conversation.targetQuerySet
            let part = try difference.next(bytesMax: bytes)
            var checkpoint: Checkpoint?
            if part.isLast {
                checkpoint = Checkpoint(
                    epoch: server.record.epoch, version: difference.version, querySet: querySet,
                    acknowledged: difference.acknowledged)
                self.difference = nil
            }
            let chunk = ViewChunk(part, objectsTotal: UInt64(difference.objectsTotal))
            let message = conversation.message(for: chunk, lastAt: checkpoint)
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
