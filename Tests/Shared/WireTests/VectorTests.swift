import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayWire
import Foundation
import Testing

/// Bytes that version 1 of the protocol has promised to read, kept in `Tests/Vectors/wire`.
///
/// With `CAUSEWAY_WRITE_VECTORS=1` in the environment the intact ones are written anew: for a new version only.
@Suite("Vectors")
struct VectorTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Vectors/wire").standardized
    private static var isWriting: Bool { ProcessInfo.processInfo.environment["CAUSEWAY_WRITE_VECTORS"] == "1" }

    private func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appending(path: name + ".frame")))
    }

    func check<M: WireMessage & Equatable>(_ name: String, _ message: M) throws {
        let encoded = WireCodec.encode(message)
        if Self.isWriting {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try Data(encoded).write(to: Self.folder.appending(path: name + ".frame"))
        }
        let kept = try bytes(name)
        #expect(try WireCodec.decode(M.self, body: kept) == message, "\(name)")
        // Another release of the compressor may find other bytes for the same payload.
        let isCompressed = kept[4] & 1 == 1
        if isCompressed {
            var reader = FrameReader()
            reader.append(kept[...])
            #expect(try reader.next()?.payload == message.payload, "\(name)")
        } else {
            #expect(encoded == kept, "\(name)")
        }
    }

    private static let schema = Schema([
        ClassSchema(
            name: "Flight",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "origin", type: .string, isIndexed: true),
                Property(name: "delay", type: .double, isOptional: true),
                Property(name: "plane", type: .object, isOptional: true, target: "Plane"),
                Property(name: "notes", type: .string, collection: .list),
            ]),
        ClassSchema(name: "Plane", properties: [Property(name: "_id", type: .string, isPrimaryKey: true)]),
        ClassSchema(
            name: "Weather", kind: .asymmetric, properties: [Property(name: "_id", type: .uuid, isPrimaryKey: true)]),
    ])
    private static let queries = QuerySet(
        version: 3, queries: [StandingQuery(className: "Flight", predicate: "origin == 'JFK'")])
    static let stamp = Stamp(time: 0x0198_0000_0000_0001, client: ClientID(0xC1))

    @Test("messages of version 1 read as they were meant")
    func messages() throws {
        let checkpoint = Checkpoint(epoch: 0xE0, version: ServerVersion(41), querySet: 2, acknowledged: 7)
        try check(
            "hello",
            Hello(
                client: ClientID(0xC1), protocolVersions: 1...1, schema: Self.schema, checkpoint: checkpoint,
                held: QuerySet(version: 2, queries: []), wanted: Self.queries))
        try check(
            "welcome",
            Welcome(
                session: 0x5E55, protocolVersion: 1, epoch: 0xE0, serverTime: 1_700_000_000_000,
                limits: Self.earlierLimits, committed: 7, ingested: 2))
        try check("upload", UploadRequest(session: 0x5E55, changesets: [Self.changeset]))
        try check("upload-answer", UploadAnswer(committed: 8))
        try check(
            "upload-answer-failure",
            UploadAnswer(committed: 8, failure: SyncFailure(.operationInvalid, "'gate' is no property of Flight.")))
        try check("download", DownloadRequest(session: 0x5E55))
        try check("credit", CreditRequest(session: 0x5E55, bytes: 262_144))
        try check("subscriptions", SubscriptionsRequest(session: 0x5E55, wanted: Self.queries))
        try check("mark", MarkRequest(session: 0x5E55, mark: 12))
        try check(
            "resync",
            ResyncRequest(
                session: 0x5E55, number: 2,
                reports: [
                    .whole(RangeDigest(count: 3, sum: Digest(low: 0x0102, high: 0x0304))), .whole(.empty),
                    .parts([RangeDigest](repeating: .empty, count: 63) + [RangeDigest(count: 1, sum: .zero)]),
                    .objects([ObjectDigest(.int(7), Digest(low: 5, high: 6)), ObjectDigest(.string("N1"), .zero)]),
                ]))
        try check("accepted", Accepted())
        try check(
            "ingest",
            IngestBatch(
                client: ClientID(0xC1), first: 3,
                entries: [[.create(.init("Weather", .uuid(UUID16(high: 1, low: 2))), life: 1, fields: [])], []]))
        try check("ingest-answer", IngestAnswer(acknowledged: 4))
        try check("failure", SyncFailure(.tokenExpired, "The token expired. Get a new one."))
    }

    @Test("messages of the download of version 1 read as they were meant")
    func downloads() throws {
        try check("download-mark", DownloadMessage.mark(12))
        try check("download-heartbeat", DownloadMessage.heartbeat(serverTime: 1_700_000_000_000))
        try check(
            "download-refused",
            DownloadMessage.queriesRefused(querySet: 3, SyncFailure(.queryInvalid, "'gate' is no property of Flight.")))
        try check("download-end", DownloadMessage.end(SyncFailure(.serverEnding, "The server ends. Connect again.")))
        let range = try #require(DigestRange("Plane", bits: 12, prefix: 0xABC))
        try check(
            "download-digests-wanted",
            DownloadMessage.digestsWanted(
                DigestQuestion(
                    number: 2, seed: 0x5EED, acknowledged: 8,
                    asks: [DigestAsk(DigestRange("Flight"), .whole), DigestAsk(range, .parts)])))
        try check("download-changes", DownloadMessage.changes(Self.chunk(objects: 3)))
        try check("download-changes-compressed", DownloadMessage.changes(Self.chunk(objects: 300)))
    }

    private static let changeset = Changeset(
        client: ClientID(0xC1), sequence: 8, stamp: stamp, base: ServerVersion(41),
        operations: [
            .create(
                .init("Flight", .int(1)), life: 1,
                fields: [FieldValue("origin", .string("JFK")), FieldValue("delay", .null, isDefault: true)]),
            .set(.init("Flight", .int(2)), FieldValue("plane", .link(.string("N104UW")))),
            .list(
                .init("Flight", .int(2)), property: "notes",
                .insert(ElementID(client: ClientID(0xC1), counter: 9), left: nil, right: nil, value: .string("late"))),
            .delete(.init("Flight", .int(3)), life: 2),
        ])

    private static func chunk(objects: Int64) -> ViewChunk {
        var notes = ListState()
        let id = ElementID(client: ClientID(0xC1), counter: 9)
        _ = notes.join(.insert(id, left: nil, right: nil, value: .string("late")), stamp: stamp)
        let entered = (0..<objects).map { index in
            let isEven = index % 2 == 0
            let fields: [ObjectState.Field] = [
                .init("delay", isEven ? .double(Double(index) / 4) : .null, stamp: stamp),
                .init("origin", .string(isEven ? "JFK" : "EWR"), stamp: stamp, isDefault: index == 2),
            ]
            let list = ObjectState.Part("notes", .list(index == 1 ? notes : ListState()))
            return ObjectContent(
                .init("Flight", .int(index)), ObjectState(life: 1, fields: fields, parts: [list], born: stamp))
        }
        let later = Stamp(time: stamp.time + 5, client: ClientID(0xC2))
        let updated = ObjectContent(
            .init("Flight", .int(77)),
            ObjectState(life: 1, fields: [.init("plane", .link(.string("N104UW")), stamp: later)], born: stamp))
        return ViewChunk(
            checkpoint: Checkpoint(epoch: 0xE0, version: ServerVersion(42), querySet: 3, acknowledged: 8),
            objectsTotal: UInt64(objects) + 3, entered: entered, updated: [updated],
            left: [
                ObjectLeave(.init("Flight", .int(5)), .query),
                ObjectLeave(.init("Plane", .string("N1")), .unsubscribed),
            ],
            deleted: [ObjectEnd(.init("Flight", .int(6)), life: 2)])
    }

    @Test("broken files are refused for what is broken in them")
    func broken() throws {
        let expected: [(String, SyncFailure.Code, String)] = [
            ("broken-checksum", .frameDamaged, "checksum"),
            ("broken-flags", .frameDamaged, "flags"),
            ("broken-truncated", .frameDamaged, "exactly one message"),
            ("broken-size", .frameTooLarge, "4294967295"),
            // Claims a terabyte behind a few bytes.
            ("broken-bomb", .frameTooLarge, "1099511627776"),
            ("broken-compression", .frameDamaged, "decompressed"),
            ("broken-not-compressed", .frameDamaged, "how large"),
            ("broken-empty-piece", .frameDamaged, "empty piece"),
            ("broken-envelope", .messageMalformed, "envelope"),
            ("broken-no-kind", .messageMalformed, "no kind"),
            // Two hundred bytes that name billions of values.
            ("broken-cells", .messageMalformed, "more than 4194304 values"),
        ]
        for (name, code, words) in expected {
            let bytes = try bytes(name)
            let failure = failure { () throws(SyncFailure) in
                _ = try WireCodec.decode(DownloadMessage.self, body: bytes)
            }
            #expect(failure?.code == code, "\(name): \(String(describing: failure))")
            #expect(failure?.message.contains(words) == true, "\(name): \(String(describing: failure))")
        }
    }
}
