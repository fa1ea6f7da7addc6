import CausewayEndpoint
import CausewayModel
import CausewayOperations
import CausewayWire
import Testing

/// Bytes that no device of ours sends, over real TLS. Each gets an answer that says what is wrong, and an honest device
/// is served before, between and after.
@Suite("A client that lies to the endpoint", .serialized)
struct LyingClientTests {
    private static func size(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// Nine bytes that announce what does not come.
    private static func head(_ bytes: UInt32, flags: UInt8 = 0) -> [UInt8] { size(bytes) + [flags, 1, 2, 3, 4] }

    private static let lies: [(what: String, call: String, body: [UInt8], status: Int, code: SyncFailure.Code)] = [
        ("a frame of 4 GiB", "upload", head(.max), 413, .frameTooLarge),
        ("a compressed frame of 4 GiB", "upload", head(.max, flags: 1), 413, .frameTooLarge),
        ("a small request of 4 GiB", "credit", head(.max), 413, .frameTooLarge),
        ("a frame that never ends", "upload", head(1_000), 400, .frameDamaged),
        ("flags of the future", "upload", head(0, flags: 0xF0), 400, .frameDamaged),
        ("a checksum that does not match", "mark", head(0), 400, .frameDamaged),
        ("nothing", "session", [], 400, .frameDamaged),
        ("two messages", "mark", WireCodec.encode(Accepted()) + WireCodec.encode(Accepted()), 400, .frameDamaged),
        ("noise", "subscriptions", Array(repeating: 0x5A, count: 4_000), 400, .frameDamaged),
        ("a message of another kind", "upload", WireCodec.encode(Accepted()), 400, .messageMalformed),
    ]

    @Test("is told what is wrong with its bytes, and others go on")
    func bytes() async throws {
        let service = FakeService()
        try await Bench.run(["flights": service]) { bench in
            for lie in Self.lies {
                let answer = try await bench.failure("/v1/flights/\(lie.call)", bytes: lie.body)
                #expect(answer.status == lie.status, "\(lie.what): \(answer)")
                #expect(answer.failure.code == lie.code, "\(lie.what): \(answer.failure)")
                let mark = MarkRequest(session: FakeService.session, mark: 1)
                _ = try await bench.post("mark", mark, expecting: Accepted.self)
            }
        }
    }

    @Test("a decompression bomb takes no more memory than the limit of its request allows")
    func bombs() async throws {
        // A body of zeros that compresses to a thousandth: a message for an upload, far too much for a credit.
        let bomb = UploadRequest(
            session: FakeService.session,
            changesets: [
                Changeset(
                    client: ClientID(1), sequence: 1, stamp: .zero, base: .zero,
                    operations: [
                        .set(
                            ObjectReference("Note", .int(1)),
                            FieldValue("body", .string(String(repeating: "0", count: 3 << 20))))
                    ])
            ])
        let bytes = WireCodec.encode(bomb)
        #expect(bytes.count < 64 << 10)
        try await Bench.run(["flights": FakeService()]) { bench in
            for call in ["credit", "mark", "session", "subscriptions"] {
                let answer = try await bench.failure("/v1/flights/\(call)", bytes: bytes)
                #expect(answer.failure.code == .frameTooLarge, "\(call): \(answer)")
            }
            _ = try await bench.post("upload", bomb, expecting: UploadAnswer.self)
        }
    }

    @Test("one user's bodies take a share of the memory for bodies, and no more")
    func share() async throws {
        var limits = EndpointLimits()
        limits.heldBodyBytesOfUser = 100_000
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let large = try await bench.failure("/v1/flights/upload", bytes: Array(repeating: 0, count: 200_000))
            #expect(large.status == 503 && large.failure.code == .serverBusy, "\(large)")
            let mark = MarkRequest(session: FakeService.session, mark: 1)
            for _ in 0..<3 { _ = try await bench.post("mark", mark, expecting: Accepted.self) }
        }
    }

    @Test("many streams at once are served in turn, and an honest one among them")
    func manyStreams() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        number.isMultiple(of: 10)
                            ? try await bench.post(
                                "/v1/flights/mark",
                                bytes: WireCodec.encode(MarkRequest(session: FakeService.session, mark: 1))
                            ).status
                            : try await bench.failure("/v1/flights/upload", bytes: Self.head(.max)).status
                    }
                }
                var honest = 0
                for try await status in group where status == 200 { honest += 1 }
                #expect(honest == 30)
            }
        }
    }
}
