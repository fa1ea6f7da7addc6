import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStoreEmbedded
import CausewayWire
import Synchronization
import Testing

@testable import CausewaySimulation

/// What one device's long work does to others, and what becomes of it when the device leaves.
@Suite("Long work and short work", .timeLimit(.minutes(2)))
struct LanesTests {
    @Test("while a view is worked out others say hello and hear of commits; a database that takes too long says so")
    func beside() async throws {
        let bench = try Bench()
        // What follows on nothing is work for the long lanes, and ann's is to be short.
        let first = try await bench.conversations.open(bench.hello(4), by: .init(user: "user")).session
        #expect(try await bench.upload("first", by: 4, in: first) == UploadAnswer(committed: 1))
        let ann = try await bench.connect(1)
        try await ann.received.until { $0.checkpoint?.version == ServerVersion(1) }
        #expect(bench.conversations.isAnswering)
        bench.backend.close(for: 1)
        let slow = try await bench.connect(2)
        try await bench.until { $0.waiting == 1 }

        let other = try await bench.conversations.open(bench.hello(3), by: .init(user: "user")).session
        #expect(try await bench.upload("a", by: 3, in: other) == UploadAnswer(committed: 1))
        try await ann.received.until { $0.checkpoint?.version == ServerVersion(2) }
        #expect(slow.received.all.isEmpty)

        // Asked once, it gives every thread something to do; asked again, it knows which has not come to it.
        #expect(bench.conversations.isAnswering)
        bench.pass(Conversations.answerMillisecondsMax + 1)
        #expect(!bench.conversations.isAnswering)
        bench.backend.open()
        try await slow.received.until { $0.checkpoint?.version == ServerVersion(2) }
        while !bench.conversations.isAnswering { await Task.yield() }
        await bench.conversations.end(SyncFailure(.serverEnding, "the test is over"))
    }

    @Test("a device whose checkpoint is older than the history is compared beside others, who go on hearing of commits")
    func stale() async throws {
        let bench = try Bench(historyVersionsMax: 2)
        let writer = try await bench.conversations.open(bench.hello(4), by: .init(user: "user")).session
        #expect(try await bench.upload("first", by: 4, in: writer) == UploadAnswer(committed: 1))
        let old = try await bench.connect(1)
        try await old.received.until { $0.checkpoint?.version == ServerVersion(1) }
        let checkpoint = try #require(old.received.all.compactMap(\.checkpoint).last)
        old.download.cancel()
        await old.download.value
        for client in 5...9 as ClosedRange<UInt64> {
            let session = try await bench.conversations.open(bench.hello(client), by: .init(user: "user")).session
            #expect(try await bench.upload("\(client)", by: client, in: session) == UploadAnswer(committed: 1))
        }
        let ann = try await bench.connect(2)
        try await ann.received.until { $0.checkpoint?.version == ServerVersion(6) }

        // The hello and the first look pass, which finds that it must be compared; the comparison waits at the gate.
        bench.backend.close(for: 1, behind: 2)
        let late = try await bench.connect(1, from: checkpoint)
        try await bench.until { $0.waiting == 1 }
        let other = try await bench.conversations.open(bench.hello(10), by: .init(user: "user")).session
        #expect(try await bench.upload("second", by: 10, in: other) == UploadAnswer(committed: 1))
        try await ann.received.until { $0.checkpoint?.version == ServerVersion(7) }
        #expect(!late.received.all.contains { if case .digestsWanted = $0 { true } else { false } })
        bench.backend.open()
        try await late.received.until { if case .digestsWanted = $0 { true } else { false } }
        await bench.conversations.end(SyncFailure(.serverEnding, "the test is over"))
    }

    @Test("what devices asked for that have left is not worked out any more")
    func gone() async throws {
        let bench = try Bench()
        bench.backend.close(for: 1_000)
        var devices: [(received: ReceivedMessages, download: Task<Void, Never>)] = []
        for client in 1...30 { devices.append(try await bench.connect(UInt64(client))) }
        try await bench.until { $0.waiting > 0 }
        // Those that wait for the threads that stand at the gate.
        for device in devices { device.download.cancel() }
        let working = bench.backend.snapshots
        bench.backend.open()
        for device in devices { await device.download.value }
        #expect(working <= 2 && bench.backend.snapshots <= 2)
        // Somebody who comes then is served.
        let next = try await bench.connect(31)
        try await next.received.until { $0.checkpoint != nil }
        await bench.conversations.end(SyncFailure(.serverEnding, "the test is over"))
    }

    @Test("what a device does not take is counted: another of its user is told to come later, and then is served")
    func plans() async throws {
        let bench = try Bench(creditBytes: 60, bounds: SessionBounds(planBytesOfUser: 1 << 10))
        let writer = try await bench.conversations.open(bench.hello(1), by: .init(user: "user")).session
        // Eight bytes each: more than what is too small to count.
        let shops = (0..<16_384).map { number in
            Operation.create(
                ObjectReference("Shop", .string("\(number)")), life: 1,
                fields: [FieldValue("title", .string(String(repeating: "\(number) ", count: 20)))])
        }
        let changeset = Changeset(
            client: ClientID(1), sequence: 1, stamp: Stamp(time: 1 << 16, client: ClientID(1)), base: .zero,
            operations: shops)
        #expect(try await bench.conversations.upload(writer, by: .init(user: "user"), [changeset]).committed == 1)
        let stalled = try await bench.connect(2)
        try await stalled.received.until { $0.isPart }
        let late = try await bench.connect(3)
        await late.download.value
        guard case .end(let failure) = late.received.all.last else {
            Issue.record("the download did not end")
            return
        }
        #expect(failure.code == .serverBusy && failure.message.contains("other devices"))
        stalled.download.cancel()
        await stalled.download.value
        let next = try await bench.connect(4)
        try await next.received.until { $0.isPart }
        await bench.conversations.end(SyncFailure(.serverEnding, "the test is over"))
    }

    private final class Bench: Sendable {
        let backend: GatedBackend
        let conversations: Conversations
        private let clock: Clock

        private final class Clock: Sendable {
            let time = Mutex<UInt64>(1_000)
        }

        init(
            creditBytes: UInt64 = 1 << 20, bounds: SessionBounds = SessionBounds(),
            historyVersionsMax: UInt64 = 1_000_000
        ) throws {
            let store = try StoreEmbedded.open(
                folder: "lanes-\(UInt64.random(in: 0...UInt64.max))",
                options: StoreEmbedded.Options(
                    historyVersionsMax: historyVersionsMax, mapSizeBytes: 1 << 26, inMemory: true),
                epochSeed: 5)
            let (backend, clock) = (GatedBackend(store), Clock())
            (self.backend, self.clock) = (backend, clock)
            conversations = Conversations(
                backend: backend, intake: backend,
                limits: SessionLimits(
                    frameBytes: 1 << 20, creditBytes: creditBytes, heartbeatMilliseconds: 60_000),
                bounds: bounds, now: { clock.time.withLock { $0 } })
        }

        func pass(_ milliseconds: UInt64) { clock.time.withLock { $0 += milliseconds } }

        /// - Parameter checkpoint: of what it holds of the shops; nil where it holds nothing.
        func hello(_ client: UInt64, from checkpoint: Checkpoint? = nil) -> Hello {
            let shops = QuerySet(
                version: 1, queries: [StandingQuery(className: "Shop", predicate: "TRUEPREDICATE")])
            return Hello(
                client: ClientID(client), protocolVersions: 1...1, schema: SimulationSchema.schema,
                checkpoint: checkpoint ?? .nothing, held: checkpoint == nil ? .empty : shops, wanted: shops)
        }

        /// A client's first changeset.
        func upload(_ shop: String, by client: UInt64, in session: UInt64) async throws -> UploadAnswer {
            let create = Operation.create(ObjectReference("Shop", .string(shop)), life: 1, fields: [])
            let changeset = Changeset(
                client: ClientID(client), sequence: 1, stamp: Stamp(time: 1 << 16, client: ClientID(client)),
                base: .zero, operations: [create])
            return try await conversations.upload(session, by: .init(user: "user"), [changeset])
        }

        func connect(
            _ client: UInt64, from checkpoint: Checkpoint? = nil
        ) async throws -> (received: ReceivedMessages, download: Task<Void, Never>) {
            let session = try await conversations.open(hello(client, from: checkpoint), by: .init(user: "user")).session
            let received = ReceivedMessages()
            let download = Task { [conversations] in
                _ = try? await conversations.download(session, by: .init(user: "user"), into: Sink(received))
            }
            return (received, download)
        }

        func until(_ holds: (GatedBackend) -> Bool) async throws {
            while !holds(backend) { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private struct Sink: DownloadSink {
        let received: ReceivedMessages

        init(_ received: ReceivedMessages) { self.received = received }

        func send(_ message: DownloadMessage) async throws -> Int {
            received.append(message)
            return 50
        }
    }
}

extension DownloadMessage {
    /// Whether more of the change will come.
    fileprivate var isPart: Bool {
        if case .changes(let chunk) = self { chunk.checkpoint == nil } else { false }
    }

    fileprivate var checkpoint: Checkpoint? {
        if case .changes(let chunk) = self { chunk.checkpoint } else { nil }
    }
}
