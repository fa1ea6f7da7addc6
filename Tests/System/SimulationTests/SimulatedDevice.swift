import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayOperations
import CausewayStorage
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire

@testable import CausewaySimulation

/// A device: its file, its bookkeeping, and what it does with the messages of the server.
final class SimulatedDevice {
    let number: Int
    let store: ObjectStore
    let replica: Replica
    /// How far its wall clock is ahead of the server's, in milliseconds.
    let skew: Int64

    var wanted = QuerySet(version: 0, queries: [])
    /// Every query set this device ever wanted: the checkpoint names one of them.
    private var querySets: [UInt64: QuerySet] = [0: .empty]

    var session: SimulatedSession?
    /// The last changeset that was handed to the network in this connection.
    var sentThrough: UInt64 = 0
    private var parts: [ViewChunk] = []

    init(number: Int, seed: UInt64, skew: Int64) throws {
        self.number = number
        self.skew = skew
        store = try ObjectStore.open(
            path: "paired-device-\(number)-\(UInt64.random(in: 0 ... .max))",
            options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26))
        let transaction = try store.write()
        try transaction.extendSchema(SimulationSchema.schema.withNestedCollections)
        replica = try Replica.open(in: transaction, newClient: ClientID(seed &* 16 &+ UInt64(number)))
        _ = try transaction.commit(.relaxed)
        transaction.end()
    }

    // MARK: - The app

    func localTime(_ now: UInt64) -> UInt64 {
        UInt64(Int64(now) + skew)
    }

    func write(at now: UInt64, _ body: (Transaction) throws -> Bool) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        guard try body(transaction) else {
            transaction.abort()
            return
        }
        try replica.record(in: transaction, now: localTime(now))
        _ = try transaction.commit(.relaxed)
    }

    func read<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        let transaction = try store.read()
        defer { transaction.end() }
        return try body(transaction)
    }

    func subscribe(_ queries: [StandingQuery]) {
        wanted = QuerySet(version: wanted.version + 1, queries: queries)
        querySets[wanted.version] = wanted
        session?.wants(wanted)
    }

    // MARK: - The connection

    func connect(to server: SimulatedServer, now: UInt64, latency: Int64) throws {
        let state = try read { try replica.state(in: $0) }
        let held = querySets[state.querySet] ?? .empty
        let hello = Hello(
            client: replica.client, protocolVersions: 1...1, schema: SimulationSchema.schema,
            checkpoint: Checkpoint(
                epoch: state.epoch, version: state.version, querySet: state.querySet,
                acknowledged: state.acknowledged, incarnation: state.incarnation, schema: state.schema),
            held: held, wanted: wanted)
        session = try SimulatedSession(hello, server: server, now: now)
        // The server's word is older than the moment it arrives: the measured offset is never exact.
        replica.observe(serverTime: UInt64(Int64(now) - latency), localTime: localTime(now))
        sentThrough = try server.record.register(replica.client, user: "u").committed
    }

    func disconnect() {
        session = nil
        parts = []
    }

    // MARK: - Downloads

    /// Takes one message in.
    ///
    /// - Throws: what the server ends the session with, or refuses the queries for.
    func receive(_ message: DownloadMessage) throws {
        session?.credited(SimulatedSession.messageBytes)
        switch message {
        case .changes(let chunk):
            parts.append(chunk)
            if let checkpoint = chunk.checkpoint {
                try apply(parts, checkpoint)
                parts = []
            }
        case .queriesRefused(_, let failure), .end(let failure):
            throw failure
        case .digestsWanted(let question):
            try answer(question)
        case .mark, .heartbeat:
            break
        }
    }

    /// What one resync has asked about so far.
    private var digests: ReplicaDigests?

    private func answer(_ question: DigestQuestion) throws {
        session?.answered(question.number, try reports(on: question))
    }

    func reports(on question: DigestQuestion) throws -> [DigestReport] {
        if question.number == 1 {
            digests = replica.digests(seed: question.seed, acknowledged: question.acknowledged)
        }
        return try read { transaction in
            try question.asks.map { try digests?.report(on: $0, in: transaction) ?? .objects([]) }
        }
    }

    private func apply(_ parts: [ViewChunk], _ checkpoint: Checkpoint) throws {
        let transaction = try store.write()
        defer { transaction.end() }
        let application = try replica.beginApplying(acknowledged: checkpoint.acknowledged, in: transaction)
        application.refuse(parts)
        try application.show(parts)
        try application.finish(
            epoch: checkpoint.epoch, version: checkpoint.version, querySet: checkpoint.querySet,
            incarnation: checkpoint.incarnation, schema: checkpoint.schema)
        _ = try transaction.commit(.relaxed)
    }

    // MARK: - What the checker asks

    func content() throws -> [String: [PrimaryKey: Picture]] {
        try read { transaction in
            ["Item": transaction.pictures("Item"), "Shop": transaction.pictures("Shop")]
        }
    }
}
