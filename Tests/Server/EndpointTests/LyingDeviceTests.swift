import CausewayDecoderFuzzing
import CausewayEnvironment
import CausewayModel
import CausewayOperations
import CausewaySession
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire
import Foundation
import Synchronization
import Testing

@testable import CausewayEndpoint

/// Eve speaks the protocol and lies in it, over TLS, to the real conversations around a real record. Ada is served
/// before, between and after.
@Suite("A device that lies to the server", .serialized)
struct LyingDeviceTests {
    private static let schema = Schema([
        ClassSchema(
            name: "Note",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "body", type: .data, isOptional: true),
            ])
    ])
    private static let ada: UInt64 = 1
    private static let eve: UInt64 = 2
    private static let all = QuerySet(
        version: 1, queries: [StandingQuery(className: "Note", predicate: "TRUEPREDICATE")])

    private func run(
        queryTerms: UInt64 = SessionLimits.standard.queryTerms, bounds: SessionBounds = SessionBounds(),
        _ body: (Bench) async throws -> Void
    ) async throws {
        let store = try StoreEmbedded.open(
            folder: "lies-\(UInt64.random(in: 0...UInt64.max))",
            options: StoreEmbedded.Options(mapSizeBytes: 1 << 27, inMemory: true), epochSeed: 5)
        let limits = SessionLimits(
            frameBytes: SessionLimits.standard.frameBytes, creditBytes: 256 << 10, heartbeatMilliseconds: 200,
            queryTerms: queryTerms)
        let conversations = Conversations(
            backend: store, intake: store, limits: limits, bounds: bounds, now: { SystemClock().now() })
        try await Bench.run(["flights": conversations], body)
    }

    // MARK: - What they send

    private func hello(_ client: UInt64, wanted: QuerySet = Self.all) -> Hello {
        Hello(
            client: ClientID(client), protocolVersions: 1...1, schema: Self.schema, checkpoint: .nothing,
            held: .empty, wanted: wanted)
    }

    private func note(_ client: UInt64, _ sequence: UInt64, body: [UInt8] = [1]) -> Changeset {
        Changeset(
            client: ClientID(client), sequence: sequence, stamp: Stamp(time: sequence, client: ClientID(client)),
            base: .zero,
            operations: [
                .create(
                    ObjectReference("Note", .int(Int64(truncatingIfNeeded: client &* 1_000 &+ sequence))), life: 1,
                    fields: [FieldValue("body", .bytes(body))])
            ])
    }

    /// What Eve is told; nil when it is not that she is refused.
    private func refusal(_ bench: Bench, _ call: String, _ message: some WireMessage) async throws -> SyncFailure.Code?
    {
        try await refusal(bench, call, bytes: WireCodec.encode(message))
    }

    private func refusal(_ bench: Bench, _ call: String, bytes: [UInt8]) async throws -> SyncFailure.Code? {
        let (status, body) = try await bench.post("/v1/flights/\(call)", token: "other", bytes: bytes)
        if status == 200 {
            // An upload is answered with what is durable, and why the rest is not.
            return call == "upload" ? try WireCodec.decode(UploadAnswer.self, body: body).failure?.code : nil
        }
        let failure = try WireCodec.decode(SyncFailure.self, body: body)
        #expect(failure.status == status && !failure.message.isEmpty)
        return failure.code
    }

    private func openAsEve(
        _ bench: Bench, client: UInt64 = Self.eve, wanted: QuerySet = Self.all
    ) async throws -> UInt64 {
        let (_, body) = try await bench.post(
            "/v1/flights/session", token: "other", bytes: WireCodec.encode(hello(client, wanted: wanted)))
        return try WireCodec.decode(Welcome.self, body: body).session
    }

    private func upload(_ bench: Bench, _ session: UInt64, _ changesets: [Changeset]) async throws -> UploadAnswer {
        try await bench.post(
            "upload", UploadRequest(session: session, changesets: changesets), expecting: UploadAnswer.self)
    }

    // MARK: - Lies

    @Test("clients, sessions and numbers that are not its own are refused, each with its code")
    func identities() async throws {
        try await run { bench in
            let ada = try await bench.post("session", hello(Self.ada), expecting: Welcome.self).session
            let eve = try await openAsEve(bench)
            #expect(try await upload(bench, ada, [note(Self.ada, 1)]).committed == 1)

            let entry: [CausewayOperations.Operation] = [.create(ObjectReference("Note", .int(5)), life: 1, fields: [])]
            let lies: [(String, String, any WireMessage, SyncFailure.Code)] = [
                ("another's client", "session", hello(Self.ada), .permissionDenied),
                (
                    "another's changeset", "upload", UploadRequest(session: eve, changesets: [note(Self.ada, 2)]),
                    .permissionDenied
                ),
                (
                    "another's session", "upload", UploadRequest(session: ada, changesets: [note(Self.ada, 2)]),
                    .sessionUnknown
                ),
                ("another's session", "mark", MarkRequest(session: ada, mark: 1), .sessionUnknown),
                (
                    "another's session", "subscriptions", SubscriptionsRequest(session: ada, wanted: .empty),
                    .sessionUnknown
                ),
                ("another's session", "resync", ResyncRequest(session: ada, number: 1, reports: []), .sessionUnknown),
                ("a gap", "upload", UploadRequest(session: eve, changesets: [note(Self.eve, 7)]), .sequenceGap),
                (
                    "the largest number", "upload", UploadRequest(session: eve, changesets: [note(Self.eve, .max)]),
                    .sequenceGap
                ),
                (
                    "another's one-way entries", "ingest",
                    IngestBatch(client: ClientID(Self.ada), first: 1, entries: [entry]), .permissionDenied
                ),
                (
                    "a gap of entries", "ingest", IngestBatch(client: ClientID(Self.eve), first: 9, entries: [entry]),
                    .sequenceGap
                ),
            ]
            for (number, lie) in lies.enumerated() {
                let code = try await refusal(bench, lie.1, lie.2)
                #expect(code == lie.3, "\(lie.0), \(lie.1)")
                let next = UInt64(number + 2)
                #expect(try await upload(bench, ada, [note(Self.ada, next)]).committed == next, "\(lie.0)")
            }
            // Numbers begin at one: what comes below counts as known, and is not looked at.
            let zero = UploadRequest(session: eve, changesets: [note(Self.eve, 0)])
            #expect(try await refusal(bench, "upload", zero) == nil)
            // Credit that is not hers counts for nobody.
            #expect(try await refusal(bench, "credit", CreditRequest(session: ada, bytes: .max)) == .sessionUnknown)
            // Nor did a repetition with other content change anything. It is answered as far as it goes.
            #expect(try await upload(bench, ada, [note(Self.ada, 1, body: [9])]).committed == 1)
            #expect(
                try await refusal(bench, "upload", UploadRequest(session: eve, changesets: [note(Self.eve, 1)])) == nil)
        }
    }

    @Test("frames that are whole and hold numbers without end, or what once broke a reader, are refused")
    func numbers() async throws {
        try await run { bench in
            let ada = try await bench.post("session", hello(Self.ada), expecting: Welcome.self).session
            let eve = try await openAsEve(bench)
            let envelope = Array(UploadRequest(session: eve, changesets: []).payload.prefix(10))
            let endless = [UInt8](repeating: 0x80, count: 40)
            let longer: [UInt8] = [0x80, 0x00]
            let largest = [UInt8](repeating: 0xFF, count: 9) + [0x01]
            for call in ["session", "upload", "credit", "resync", "subscriptions", "mark", "ingest"] {
                for number in [endless, longer, largest] {
                    let code = try await refusal(bench, call, bytes: Frames.encode(number))
                    #expect(code == .messageMalformed, "\(call) \(number)")
                }
            }
            for number in [endless, largest] {
                let code = try await refusal(bench, "upload", bytes: Frames.encode(envelope + [1] + number))
                #expect(code == .messageMalformed, "\(number)")
            }
            let folder = ProtocolPage.root.appending(path: "Tests/Vectors/wire")
            let broken = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter {
                $0.hasPrefix("broken-")
            }
            #expect(!broken.isEmpty)
            for file in broken.sorted() {
                let bytes = [UInt8](try Data(contentsOf: folder.appending(path: file)))
                let code = try await refusal(bench, "upload", bytes: bytes)
                #expect([.frameDamaged, .frameTooLarge, .messageMalformed].contains(code), "\(file)")
            }
            #expect(try await upload(bench, ada, [note(Self.ada, 1)]).committed == 1)
        }
    }

    @Test("a download that is never credited stops within its credit, and holds up nobody")
    func noCredit() async throws {
        try await run { bench in
            let ada = try await bench.post("session", hello(Self.ada), expecting: Welcome.self).session
            var noise: UInt64 = 1
            // Three megabytes that do not shrink.
            for sequence in 1...48 as ClosedRange<UInt64> {
                let body = (0..<64 << 10).map { _ in
                    noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(truncatingIfNeeded: noise >> 56)
                }
                _ = try await upload(bench, ada, [note(Self.ada, sequence, body: body)])
            }
            let eve = try await openAsEve(bench)
            struct Enough: Error {}
            var (bytes, beats) = (0, 0)
            await #expect(throws: Enough.self) {
                try await bench.download(token: "other", session: eve) { message in
                    // Heartbeats need no credit: three in a row, and nothing else comes.
                    if case .heartbeat = message { beats += 1 } else { beats = 0 }
                    bytes += WireCodec.encode(message).count
                    if beats == 3 { throw Enough() }
                }
            }
            #expect(bytes > 100 << 10 && bytes < 512 << 10, "\(bytes)")

            // Who gives credit gets all of it, while Eve does not.
            let other = try await openAsEve(bench)
            var objects = 0
            await #expect(throws: Enough.self) {
                try await bench.download(token: "other", session: other) { message in
                    guard case .changes(let chunk) = message else { return }
                    objects += chunk.entered.count
                    if chunk.checkpoint != nil { throw Enough() }
                    let credit = CreditRequest(session: other, bytes: UInt64(WireCodec.encode(message).count))
                    _ = try await bench.post("/v1/flights/credit", token: "other", bytes: WireCodec.encode(credit))
                }
            }
            #expect(objects == 48)
        }
    }

    private final class Count: Sendable {
        let number = Atomic(0)
    }

    @Test("the queries of one user's downloads ask so much together: one more comes later, and others are served")
    func queryTerms() async throws {
        // Ten devices may always ask for as much as one may.
        try await run(queryTerms: 10, bounds: SessionBounds(queryTermsOfUser: 1)) { bench in
            let predicate = (1...9).map { "_id == \($0)" }.joined(separator: " OR ")
            let wanted = QuerySet(version: 1, queries: [StandingQuery(className: "Note", predicate: predicate)])
            let served = Count()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 10..<20 as Range<UInt64> {
                    let session = try await openAsEve(bench, client: client, wanted: wanted)
                    group.addTask {
                        // Broken off in the end.
                        try? await bench.download(token: "other", session: session) { message in
                            guard case .changes(let chunk) = message, chunk.checkpoint != nil else { return }
                            served.number.add(1, ordering: .relaxed)
                        }
                    }
                }
                #expect(await eventually { served.number.load(ordering: .relaxed) == 10 })
                var last: DownloadMessage?
                let late = try await openAsEve(bench, client: 20, wanted: wanted)
                try await bench.download(token: "other", session: late) { last = $0 }
                guard case .end(let failure) = last else {
                    Issue.record("the download did not say why it ended")
                    return group.cancelAll()
                }
                #expect(failure.code == .serverBusy && failure.message.contains("100 comparisons"))
                struct Enough: Error {}
                let ada = try await bench.post("session", hello(Self.ada, wanted: wanted), expecting: Welcome.self)
                await #expect(throws: Enough.self) {
                    try await bench.download(session: ada.session) { message in
                        if case .changes = message { throw Enough() }
                    }
                }
                group.cancelAll()
            }
        }
    }
}
