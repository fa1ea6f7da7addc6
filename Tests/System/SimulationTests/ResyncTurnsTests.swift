import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStoreEmbedded
import CausewayWire
import Synchronization
import Testing

@testable import CausewaySimulation

/// A server that resyncs one device at a time, and two whose checkpoints it has never had.
@Suite("Resyncs in turn")
struct ResyncTurnsTests {
    enum Ending: CaseIterable {
        case answered, dropped, replaced, silent
    }

    @Test(
        "a device waits for its turn while another is asked, and is asked however the other's turn ends",
        arguments: Ending.allCases)
    func turn(_ ending: Ending) async throws {
        let server = try Server()
        let first = try await server.connect(1)
        let question = try await first.device.question()
        let second = try await server.connect(2)
        server.pass(Server.limits.heartbeatMilliseconds)
        try await second.device.until { if case .heartbeat = $0 { true } else { false } }
        #expect(second.device.isFirstHeartbeat, "the second was asked before its turn")
        // What it sends is taken meanwhile.
        let answer = try await server.conversations.upload(
            second.device.session, by: .init(user: "user"), [server.change(2, 1)])
        #expect(answer == UploadAnswer(committed: 1))
        try await server.conversations.mark(second.device.session, by: .init(user: "user"), id: 7)

        switch ending {
        case .answered:
            try await server.answer(question, of: first.device)
            try await first.device.until { $0.checkpoint != nil }
        case .dropped:
            first.download.cancel()
        case .replaced:
            _ = try await server.conversations.open(server.hello(1), by: .init(user: "user"))
        case .silent:
            server.pass(DownloadConversation.awaitedStallMilliseconds)
            try await first.device.until {
                if case .end(let failure) = $0 { failure.code == .serverBusy } else { false }
            }
        }
        try await server.answer(second.device.question(), of: second.device)
        try await second.device.until { $0.checkpoint?.acknowledged == 1 }
        try await second.device.until { $0 == .mark(7) }
        await server.conversations.end(SyncFailure(.serverEnding, "the test is over"))
    }

    /// Without a network, in a time of its own.
    private final class Server: Sendable {
        let conversations: Conversations
        static let limits = SessionLimits(frameBytes: 1 << 20, creditBytes: 1 << 20, heartbeatMilliseconds: 40)
        private let clock: Clock
        private let epoch: UInt64

        init() throws {
            let store = try StoreEmbedded.open(
                folder: "turns-\(UInt64.random(in: 0...UInt64.max))",
                options: StoreEmbedded.Options(mapSizeBytes: 1 << 26, inMemory: true), epochSeed: 5)
            epoch = store.epoch
            let clock = Clock()
            self.clock = clock
            conversations = Conversations(
                backend: store, intake: store, limits: Self.limits, comparisonsAtOnce: 1,
                now: { clock.time.withLock { $0 } })
        }

        func pass(_ milliseconds: UInt64) { clock.time.withLock { $0 += milliseconds } }

        func hello(_ client: UInt64) -> Hello {
            Hello(
                client: ClientID(client), protocolVersions: 1...1, schema: SimulationSchema.schema,
                checkpoint: Checkpoint(
                    epoch: epoch, version: ServerVersion(1), querySet: 0, acknowledged: 0, incarnation: 1),
                held: .empty, wanted: .empty)
        }

        func connect(_ client: UInt64) async throws -> (device: Device, download: Task<Void, Never>) {
            let device = Device(try await conversations.open(hello(client), by: .init(user: "user")).session)
            let download = Task { [conversations] in
                _ = try? await conversations.download(device.session, by: .init(user: "user"), into: device)
            }
            return (device, download)
        }

        /// The device holds nothing, and wants nothing.
        func answer(_ question: DigestQuestion, of device: Device) async throws {
            let reports = question.asks.map { _ in DigestReport.whole(.empty) }
            try await conversations.digests(
                ResyncRequest(session: device.session, number: question.number, reports: reports),
                by: .init(user: "user"))
        }

        func change(_ client: UInt64, _ sequence: UInt64) -> Changeset {
            Changeset(
                client: ClientID(client), sequence: sequence,
                stamp: Stamp(time: sequence << 16, client: ClientID(client)), base: .zero,
                operations: [.create(ObjectReference("Shop", .string("s\(sequence)")), life: 1, fields: [])])
        }
    }

    private final class Clock: Sendable {
        let time = Mutex<UInt64>(1_000)
    }

    private final class Device: DownloadSink {
        let session: UInt64
        private let received = ReceivedMessages()

        init(_ session: UInt64) {
            self.session = session
        }

        func send(_ message: DownloadMessage) async throws -> Int {
            received.append(message)
            return 1
        }

        var isFirstHeartbeat: Bool {
            if case .heartbeat = received.all.first { true } else { false }
        }

        func question() async throws -> DigestQuestion {
            var found: DigestQuestion?
            try await until { message in
                if case .digestsWanted(let question) = message { found = question }
                return found != nil
            }
            return try #require(found)
        }

        func until(_ isWanted: (DownloadMessage) -> Bool) async throws {
            try await received.until(isWanted)
        }
    }
}

extension DownloadMessage {
    fileprivate var checkpoint: Checkpoint? {
        if case .changes(let chunk) = self { chunk.checkpoint } else { nil }
    }
}
