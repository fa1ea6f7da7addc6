import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStoreEmbedded
import CausewayWire
import Synchronization
import Testing

@testable import CausewaySimulation

/// Sessions of one user who asks for more than anybody's share, beside a user who asks for little.
@Suite("A client that lies in its session")
struct LyingSessionTests {
    private func conversations() throws -> Conversations {
        let store = try StoreEmbedded.open(
            folder: "lies-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(mapSizeBytes: 1 << 27, inMemory: true), epochSeed: 5)
        return Conversations(backend: store, intake: store, now: { 1_000 })
    }

    private func hello(_ client: UInt64) -> Hello {
        Hello(
            client: ClientID(client), protocolVersions: 1...1, schema: SimulationSchema.schema, checkpoint: .nothing,
            held: .empty, wanted: .empty)
    }

    private func change(_ client: UInt64, _ sequence: UInt64) -> Changeset {
        Changeset(
            client: ClientID(client), sequence: sequence, stamp: Stamp(time: sequence, client: ClientID(client)),
            base: .zero,
            operations: [
                .create(
                    ObjectReference("Shop", .string("s\(client)-\(sequence)")), life: 1,
                    fields: [FieldValue("title", .string("t"))])
            ])
    }

    private func refusal(_ body: () async throws -> Void) async -> SyncFailure.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SyncFailure)?.code
        }
    }

    @Test("sessions of one user end at that user's share: ten thousand hellos leave room for everybody else")
    func manySessions() async throws {
        let conversations = try conversations()
        var refused = 0
        for client in 1...10_000 as ClosedRange<UInt64> {
            let code = await refusal { _ = try await conversations.open(hello(client), by: .init(user: "eve")) }
            if let code {
                #expect(code == .serverBusy)
                refused += 1
            }
        }
        #expect(refused == 8_000)
        let welcome = try await conversations.open(hello(20_000), by: .init(user: "ann"))
        let answer = try await conversations.upload(welcome.session, by: .init(user: "ann"), [change(20_000, 1)])
        #expect(answer == UploadAnswer(committed: 1))
        // A client that has a session may open it anew: a device that lost its connection is not locked out.
        #expect(await refusal { _ = try await conversations.open(hello(7), by: .init(user: "eve")) } == nil)
    }

    @Test("a session is its user's: no other may upload to it, mark it, or change its queries")
    func otherSessions() async throws {
        let conversations = try conversations()
        let ann = try await conversations.open(hello(1), by: .init(user: "ann"))
        _ = try await conversations.open(hello(2), by: .init(user: "eve"))
        let queries = QuerySet(version: 9, queries: [StandingQuery(className: "Shop", predicate: "FALSEPREDICATE")])
        let attempts: [() async throws -> Void] = [
            { _ = try await conversations.upload(ann.session, by: .init(user: "eve"), [change(1, 1)]) },
            { _ = try await conversations.upload(ann.session, by: .init(user: "eve"), [change(2, 1)]) },
            { try await conversations.mark(ann.session, by: .init(user: "eve"), id: 1) },
            { try await conversations.want(ann.session, by: .init(user: "eve"), queries) },
            { _ = try await conversations.upload(ann.session &+ 1, by: .init(user: "eve"), []) },
        ]
        for attempt in attempts { #expect(await refusal(attempt) == .sessionUnknown) }
        #expect(
            await refusal { _ = try await conversations.open(hello(1), by: .init(user: "eve")) } == .permissionDenied)
        await #expect(throws: SyncFailure.self) {
            try await conversations.credit(ann.session, by: .init(user: "eve"), bytes: .max)
        }
        #expect(
            try await conversations.upload(ann.session, by: .init(user: "ann"), [change(1, 1)])
                == UploadAnswer(committed: 1))
    }

    @Test("marks end at a number, and credit beyond 64 bits is no more than what is in flight")
    func floods() async throws {
        let conversations = try conversations()
        let eve = try await conversations.open(hello(1), by: .init(user: "eve"))
        let ann = try await conversations.open(hello(2), by: .init(user: "ann"))
        var refused = 0
        for id in 0..<10_000 as Range<UInt64> {
            if await refusal({ try await conversations.mark(eve.session, by: .init(user: "eve"), id: id) })
                == .serverBusy
            {
                refused += 1
            }
        }
        #expect(refused == 10_000 - DownloadConversation.marksMax)
        for _ in 0..<10 { try await conversations.credit(eve.session, by: .init(user: "eve"), bytes: .max) }
        for version in 0..<10_000 as Range<UInt64> {
            let queries = QuerySet(
                version: version, queries: [StandingQuery(className: "Shop", predicate: "title == '\(version)'")])
            try await conversations.want(eve.session, by: .init(user: "eve"), queries)
        }
        try await conversations.mark(ann.session, by: .init(user: "ann"), id: 1)
        #expect(
            try await conversations.upload(ann.session, by: .init(user: "ann"), [change(2, 1)])
                == UploadAnswer(committed: 1))
    }

    @Test("a checkpoint of another database is refused; one that this database never gave begins a resync")
    func checkpoints() async throws {
        let conversations = try conversations()
        let epoch = try await conversations.open(hello(1), by: .init(user: "eve")).epoch
        var lie = hello(1)
        lie.checkpoint = Checkpoint(epoch: epoch &+ 1, version: .zero, querySet: 0, acknowledged: 0)
        #expect(await refusal { _ = try await conversations.open(lie, by: .init(user: "eve")) } == .epochChanged)
        for version in [1, 1_000, UInt64.max] {
            lie.checkpoint = Checkpoint(
                epoch: epoch, version: ServerVersion(version), querySet: 0, acknowledged: 0, incarnation: version)
            let session = try await conversations.open(lie, by: .init(user: "eve")).session
            let messages = Messages()
            let download = Task { try? await conversations.download(session, by: .init(user: "eve"), into: messages) }
            while messages.first == nil { try await Task.sleep(for: .milliseconds(5)) }
            download.cancel()
            guard case .digestsWanted = messages.first else {
                Issue.record("version \(version): \(String(describing: messages.first))")
                continue
            }
        }
    }

    private final class Messages: DownloadSink {
        private let all = Mutex<[DownloadMessage]>([])

        var first: DownloadMessage? { all.withLock(\.first) }

        func send(_ message: DownloadMessage) async throws -> Int {
            all.withLock { $0.append(message) }
            return 1
        }
    }
}
