import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire
import Synchronization
import Testing

@testable import CausewaySimulation

/// The driver as the endpoint calls it, on threads of its own, around the real record.
@Suite("Conversations")
struct ConversationsTests {
    @Test("what one device uploads, the other is told; its writer is told that it arrived")
    func told() async throws {
        let bench = try Bench()
        let ann = try await bench.connect(1)
        let bob = try await bench.connect(2)
        let answer = try await bench.conversations.upload(ann.session, by: .init(user: "user"), [bench.change(1, 1)])
        #expect(answer == UploadAnswer(committed: 1))
        let entered = try await bob.sink.next { $0.enteredCount > 0 }
        #expect(entered.entered.map(\.object) == [ObjectReference("Shop", .string("s1"))])
        #expect(entered.checkpoint?.version == ServerVersion(1))
        let acknowledged = try await ann.sink.next { $0.checkpoint?.acknowledged == 1 }
        #expect(acknowledged.entered.isEmpty)
        await bench.end()
    }

    @Test("uploads that come together are all answered")
    func together() async throws {
        let bench = try Bench()
        let watcher = try await bench.connect(99)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 1...8 {
                group.addTask {
                    let device = try await bench.connect(UInt64(client))
                    for sequence in 1...10 {
                        let answer = try await bench.conversations.upload(
                            device.session, by: .init(user: "user"), [bench.change(UInt64(client), UInt64(sequence))])
                        #expect(answer == UploadAnswer(committed: UInt64(sequence)))
                    }
                }
            }
            try await group.waitForAll()
        }
        let last = try await watcher.sink.next { $0.checkpoint?.version == ServerVersion(80) }
        #expect(last.checkpoint?.querySet == 1)
        #expect(await watcher.sink.enteredCount() == 80)
        await bench.end()
    }

    @Test("a mark comes after what was committed before it")
    func mark() async throws {
        let bench = try Bench()
        let ann = try await bench.connect(1)
        let bob = try await bench.connect(2)
        _ = try await bench.conversations.upload(ann.session, by: .init(user: "user"), [bench.change(1, 1)])
        try await bench.conversations.mark(bob.session, by: .init(user: "user"), id: 17)
        try await bob.sink.until { $0 == .mark(17) }
        #expect(await bob.sink.enteredCount() == 1)
        await bench.end()
    }

    @Test("queries that cannot be served are refused in the stream, and the others go on")
    func refused() async throws {
        let bench = try Bench()
        let ann = try await bench.connect(1)
        try await bench.conversations.want(
            ann.session, by: .init(user: "user"),
            QuerySet(version: 2, queries: [StandingQuery(className: "Shop", predicate: "best.name == 'a'")]))
        try await ann.sink.until {
            if case .queriesRefused(2, let failure) = $0 { failure.message.contains("best.name") } else { false }
        }
        let bob = try await bench.connect(2)
        _ = try await bench.conversations.upload(bob.session, by: .init(user: "user"), [bench.change(2, 1)])
        _ = try await ann.sink.next { $0.enteredCount > 0 }
        await bench.end()
    }

    @Test("a device that consumes nothing is sent no more than its credit")
    func credit() async throws {
        let bench = try Bench(creditBytes: 20_000)
        let ann = try await bench.connect(1)
        for sequence in 1...40 {
            let changeset = bench.change(1, UInt64(sequence), title: String(repeating: "x", count: 2_000))
            _ = try await bench.conversations.upload(ann.session, by: .init(user: "user"), [changeset])
        }
        let slow = try await bench.connect(2, givesCredit: false)
        let first = try await slow.sink.next { $0.enteredCount > 0 }
        #expect(first.checkpoint == nil)
        try await Task.sleep(for: .milliseconds(100))
        let held = await slow.sink.bytes()
        #expect(held <= 20_000 + 12_000, "\(held) bytes are in flight")
        try await bench.conversations.credit(slow.session, by: .init(user: "user"), bytes: 1 << 40)
        slow.sink.givesCredit.store(true, ordering: .relaxed)
        try await bench.conversations.credit(slow.session, by: .init(user: "user"), bytes: 1 << 40)
        _ = try await slow.sink.next { $0.checkpoint != nil }
        #expect(await slow.sink.enteredCount() == 40)
        await bench.end()
    }

    @Test("a checkpoint names the opening of the file that made what it acknowledges")
    func acknowledgedOpening() async throws {
        let bench = try Bench()
        let ann = try await bench.connect(1)
        var changeset = bench.change(1, 1)
        changeset.opening = 77
        _ = try await bench.conversations.upload(ann.session, by: .init(user: "user"), [changeset])
        let told = try await ann.sink.next { $0.checkpoint?.acknowledged == 1 }
        #expect(told.checkpoint?.opening == 77)
        await bench.end()
    }

    @Test("a file that begins again before its first checkpoint is taken for one that has seen no database yet")
    func begunAgainBeforeTheFirstCheckpoint() async throws {
        let bench = try Bench()
        let none = QuerySet.empty
        let checkpoint = Checkpoint(epoch: 0, version: .zero, querySet: 0, acknowledged: 0, schema: .max)
        let hello = Hello(
            client: ClientID(5), protocolVersions: 1...1, schema: Schema(), checkpoint: checkpoint, held: none,
            wanted: none)
        #expect(try await bench.conversations.open(hello, by: .init(user: "user")).committed == 0)
        // Of an epoch that is not this database's nothing is taken, at whatever version.
        var other = hello
        other.checkpoint.epoch = 1
        await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.open(other, by: .init(user: "user"))
        }
        other.checkpoint = checkpoint
        other.checkpoint.version = ServerVersion(1)
        await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.open(other, by: .init(user: "user"))
        }
        await bench.end()
    }

    @Test("a session belongs to its user, has one download, and ends when its client says hello again")
    func ownership() async throws {
        let bench = try Bench()
        let ann = try await bench.connect(1)
        await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.upload(ann.session, by: .init(user: "eve"), [bench.change(1, 1)])
        }
        await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.upload(ann.session, by: .init(user: "user"), [bench.change(3, 1)])
        }
        await #expect(throws: SyncFailure.self) {
            try await bench.conversations.download(ann.session, by: .init(user: "user"), into: ann.sink)
        }
        await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.open(bench.hello(1), by: .init(user: "eve"))
        }
        _ = try await bench.connect(1)
        try await ann.sink.until { if case .end(let failure) = $0 { failure.code == .sessionUnknown } else { false } }
        await bench.end()
    }

    @Test("a checkpoint of another life of the database, and a protocol nobody speaks, are refused with the remedy")
    func hello() async throws {
        let bench = try Bench()
        var hello = bench.hello(1)
        hello.checkpoint = Checkpoint(epoch: 12345, version: ServerVersion(1), querySet: 1, acknowledged: 0)
        await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.open(hello, by: .init(user: "user"))
        }
        hello = bench.hello(1)
        hello.protocolVersions = 7...9
        let failure = await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.open(hello, by: .init(user: "user"))
        }
        #expect(failure?.code == .protocolVersionUnsupported)
    }

    @Test("who may not extend the schema is told what it lacks, and leaves no trace; an older hello is taken")
    func schemaExtension() async throws {
        let bench = try Bench()
        let guest = Bench.access(mayExtendSchema: false)
        let developer = Bench.access(mayExtendSchema: true)
        _ = try await bench.conversations.open(bench.hello(1), by: .init(user: "user"))
        let schema = try bench.store.snapshot().schema
        var newer = bench.hello(2)
        newer.schema = SimulationSchema.newerSchema
        let refused = newer
        let failure = await #expect(throws: SyncFailure.self) {
            _ = try await bench.conversations.open(refused, by: .init(user: "eve", access: guest))
        }
        #expect(failure?.code == .schemaMismatch && failure?.action == .report)
        for word in ["Item.stars", "Item.motto", "Shop.floor", "Badge", "permissions.schema.extend"] {
            #expect(failure?.message.contains(word) == true, "\(word) in: \(failure?.message ?? "")")
        }
        #expect(try bench.store.snapshot().schema == schema)

        _ = try await bench.conversations.open(bench.hello(3), by: .init(user: "eve", access: guest))
        var older = bench.hello(4)
        older.schema = Schema(SimulationSchema.schema.classes.filter { $0.name == "Ledger" })
        older.wanted = .empty
        _ = try await bench.conversations.open(older, by: .init(user: "eve", access: guest))
        #expect(try bench.store.snapshot().schema == schema)

        // The client that was refused belongs to nobody yet.
        _ = try await bench.conversations.open(newer, by: .init(user: "ann", access: developer))
        let extended = try bench.store.snapshot().schema
        #expect(extended["Badge"] != nil && extended["Item"]?.index(of: "stars") != nil)
        newer.client = ClientID(5)
        _ = try await bench.conversations.open(newer, by: .init(user: "eve", access: guest))
        #expect(try bench.store.snapshot().schema == extended)
        await bench.end()
    }

    @Test("at the end every download is told, and no session opens any more")
    func ending() async throws {
        let bench = try Bench()
        let ann = try await bench.connect(1)
        await bench.conversations.end(SyncFailure(.serverEnding, "maintenance"))
        try await ann.sink.until { if case .end(let failure) = $0 { failure.code == .serverEnding } else { false } }
        await #expect(throws: SyncFailure.self) { _ = try await bench.connect(2) }
    }
}

/// A server without a network.
private final class Bench: Sendable {
    let conversations: Conversations
    let store: StoreEmbedded

    init(creditBytes: UInt64 = 1 << 20) throws {
        store = try StoreEmbedded.open(
            folder: "bench-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true), epochSeed: 5)
        conversations = Conversations(
            backend: store, intake: store,
            limits: SessionLimits(frameBytes: 1 << 20, creditBytes: creditBytes, heartbeatMilliseconds: 60_000),
            now: { 1_000 })
    }

    func hello(_ client: UInt64) -> Hello {
        Hello(
            client: ClientID(client), protocolVersions: 1...1, schema: SimulationSchema.schema, checkpoint: .nothing,
            held: .empty,
            wanted: QuerySet(version: 1, queries: [StandingQuery(className: "Shop", predicate: "TRUEPREDICATE")]))
    }

    static func access(mayExtendSchema: Bool) -> Access {
        Access(expires: 1, claims: 0) { Permissions(AccessRules(mayExtendSchema: mayExtendSchema)) }
    }

    func connect(_ client: UInt64, givesCredit: Bool = true) async throws -> (session: UInt64, sink: Sink) {
        let session = try await conversations.open(hello(client), by: .init(user: "user")).session
        let sink = Sink(conversations, session, givesCredit: givesCredit)
        Task { [conversations] in try await conversations.download(session, by: .init(user: "user"), into: sink) }
        _ = try await sink.next { _ in true }
        return (session, sink)
    }

    func change(_ client: UInt64, _ sequence: UInt64, title: String = "t") -> Changeset {
        Changeset(
            client: ClientID(client), sequence: sequence,
            stamp: Stamp(time: sequence << 16, client: ClientID(client)), base: .zero,
            operations: [
                .create(
                    ObjectReference("Shop", .string("s\(client * 1_000 + sequence - 1_000)")), life: 1,
                    fields: [FieldValue("title", .string(title))])
            ])
    }

    func end() async {
        await conversations.end(SyncFailure(.serverEnding, "the test is over"))
    }
}

/// What one device was sent.
private final class Sink: DownloadSink, Sendable {
    let givesCredit: Atomic<Bool>
    private let conversations: Conversations
    private let session: UInt64
    private let received = ReceivedMessages()
    private let sizes = Mutex(0)

    init(_ conversations: Conversations, _ session: UInt64, givesCredit: Bool) {
        self.conversations = conversations
        self.session = session
        self.givesCredit = Atomic(givesCredit)
    }

    func send(_ message: DownloadMessage) async throws -> Int {
        var bytes = 50
        if case .changes(let chunk) = message {
            for change in chunk.entered { bytes += 50 + change.state.fields.description.utf8.count / 4 }
            for run in chunk.enteredRuns { bytes += 50 * run.count + run.fields.description.utf8.count / 4 }
        }
        received.append(message)
        sizes.withLock { $0 += bytes }
        if givesCredit.load(ordering: .relaxed) {
            let (conversations, session, credit) = (conversations, session, bytes)
            Task { try? await conversations.credit(session, by: .init(user: "user"), bytes: UInt64(credit)) }
        }
        return bytes
    }

    func bytes() async -> Int { sizes.withLock { $0 } }

    func enteredCount() async -> Int {
        received.all.reduce(0) { count, message in
            if case .changes(let chunk) = message { count + chunk.enteredCount } else { count }
        }
    }

    /// The first part that is as wanted, once it is there.
    func next(_ isWanted: (ViewChunk) -> Bool) async throws -> ViewChunk {
        var found: ViewChunk?
        try await until { message in
            guard case .changes(let chunk) = message, isWanted(chunk) else { return false }
            found = chunk
            return true
        }
        return try #require(found)
    }

    func until(_ isWanted: (DownloadMessage) -> Bool) async throws {
        try await received.until(isWanted)
    }
}

extension ViewChunk {
    fileprivate var enteredCount: Int { enteredRuns.reduce(entered.count) { $0 + $1.count } }
}
