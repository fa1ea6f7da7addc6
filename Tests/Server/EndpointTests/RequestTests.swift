import CausewayEndpoint
import CausewayModel
import CausewayOperations
import CausewayWire
import Synchronization
import Testing

@Suite("Requests")
struct RequestTests {
    @Test("every request reaches its database under the caller's name and is answered")
    func everyRequest() async throws {
        let service = FakeService(script: [.heartbeat(serverTime: 1), .mark(9)])
        try await Bench.run(["flights": service]) { bench in
            let hello = Hello(
                client: ClientID(12), protocolVersions: 1...1, schema: Schema(), checkpoint: .nothing, held: .empty,
                wanted: .empty)
            let welcome = try await bench.post("session", hello, expecting: Welcome.self)
            #expect(welcome.session == FakeService.session && welcome.committed == 3)
            let changesets = (1...3).map {
                Changeset(
                    client: ClientID(12), sequence: $0, stamp: .zero, base: .zero,
                    operations: [.delete(.init("Flight", .int(1)), life: 2)])
            }
            let upload = UploadRequest(session: 77, changesets: changesets)
            #expect(try await bench.post("upload", upload, expecting: UploadAnswer.self).committed == 3)
            _ = try await bench.post("credit", CreditRequest(session: 77, bytes: 5), expecting: Accepted.self)
            let wanted = QuerySet(version: 2, queries: [StandingQuery(className: "Flight", predicate: "TRUEPREDICATE")])
            _ = try await bench.post(
                "subscriptions", SubscriptionsRequest(session: 77, wanted: wanted), expecting: Accepted.self)
            _ = try await bench.post("mark", MarkRequest(session: 77, mark: 6), expecting: Accepted.self)
            let digests = ResyncRequest(session: 77, number: 4, reports: [])
            _ = try await bench.post("resync", digests, expecting: Accepted.self)
            let batch = IngestBatch(client: ClientID(12), first: 5, entries: [[], []])
            #expect(try await bench.post("ingest", batch, expecting: IngestAnswer.self).acknowledged == 6)
            #expect(
                service.state.withLock { $0.told } == [
                    "open 12 ada", "upload 3 ada", "credit 5 ada", "want 2 ada", "mark 6 ada", "digests 4 ada",
                    "ingest 2 ada",
                ])
            var messages: [DownloadMessage] = []
            try await bench.download { message in
                messages.append(message)
                if messages.count == 2 { await service.end(.serverEnding) }
            }
            #expect(messages == [.heartbeat(serverTime: 1), .mark(9), .end(.serverEnding)])
        }
    }

    @Test("what is small and stays so is read on its connection's thread, a few bytes that stand for many are not")
    func readAtOnce() async throws {
        let service = FakeService()
        try await Bench.run(["flights": service]) { bench in
            for (sequence, count) in [(1, 3), (2, 16_000)] {
                let deletes = Array(
                    repeating: CausewayOperations.Operation.delete(.init("Flight", .int(1)), life: 2), count: count)
                let changeset = Changeset(
                    client: ClientID(12), sequence: UInt64(sequence), stamp: .zero, base: .zero, operations: deletes)
                let upload = UploadRequest(session: FakeService.session, changesets: [changeset])
                #expect(WireCodec.encode(upload).count < EndpointLimits.standard.bytesReadAtOnce)
                _ = try await bench.post("upload", upload, expecting: UploadAnswer.self)
            }
            #expect(service.state.withLock { $0.uploadsOnLoop } == [1: true, 2: false])
        }
    }

    @Test("health needs no token; readiness ends with the server")
    func health() async throws {
        try await Bench.run([:]) { bench in
            for path in ["/healthz", "/readyz"] {
                let (status, _) = try await bench.send(bench.request(path, token: nil, method: "GET"))
                #expect(status == 200, "\(path)")
            }
        }
    }

    @Test("while a database does not answer, the server lives and is not ready")
    func unready() async throws {
        let service = FakeService()
        try await Bench.run(["flights": FakeService(), "trains": service]) { bench in
            for isAnswering in [true, false, true] {
                service.state.withLock { $0.isAnswering = isAnswering }
                for (path, expected) in [("/healthz", 200), ("/readyz", isAnswering ? 200 : 503)] {
                    let (status, _) = try await bench.send(bench.request(path, token: nil, method: "GET"))
                    #expect(status == expected, "\(path) \(isAnswering)")
                }
            }
        }
    }

    @Test("no token, a wrong one and an expired one are refused before anything else is looked at")
    func tokens() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            let mark = WireCodec.encode(MarkRequest(session: 77, mark: 1))
            for (token, code) in [
                (nil, SyncFailure.Code.tokenInvalid), ("forged", .tokenInvalid), ("expired", .tokenExpired),
            ] {
                for database in ["flights", "secret"] {
                    let (status, failure) = try await bench.failure("/v1/\(database)/mark", token: token, bytes: mark)
                    #expect(status == 401 && failure.code == code, "\(String(describing: token)) \(database)")
                    #expect(!failure.message.isEmpty)
                }
            }
        }
    }

    @Test("an unknown database, path, method or session is said to be unknown")
    func unknown() async throws {
        try await Bench.run(["flights": FakeService(), "größe": FakeService()]) { bench in
            let mark = WireCodec.encode(MarkRequest(session: 77, mark: 1))
            let cases: [(String, Int, SyncFailure.Code)] = [
                ("/v1/trains/mark", 404, .databaseUnknown), ("/v1/flights/marc", 404, .requestUnknown),
                ("/v2/flights/mark", 404, .requestUnknown), ("/v1/flights/mark/x", 404, .requestUnknown),
                ("/v1//mark", 404, .requestUnknown), ("/v1/%FF/mark", 404, .requestUnknown),
                ("/v1/gr%C3%B6/mark", 404, .databaseUnknown),
            ]
            for (path, status, code) in cases {
                let result = try await bench.failure(path, bytes: mark)
                #expect(result.status == status && result.failure.code == code, "\(path): \(result)")
            }
            #expect(try await bench.post("/v1/gr%C3%B6%C3%9Fe/mark?x=1", bytes: mark).status == 200)
            let get = try await bench.send(bench.request("/v1/flights/mark", method: "GET"))
            #expect(get.status == 404)
            let other = WireCodec.encode(MarkRequest(session: 78, mark: 1))
            let session = try await bench.failure("/v1/flights/mark", bytes: other)
            #expect(session.status == 410 && session.failure == FakeService.unknown)
        }
    }

    @Test("a body that is damaged, too large, or no message is refused with its cause")
    func badBodies() async throws {
        let service = FakeService()
        try await Bench.run(["flights": service]) { bench in
            let mark = WireCodec.encode(MarkRequest(session: 77, mark: 1))
            var damaged = mark
            damaged[damaged.count - 1] ^= 1
            let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 2, 3, 4, 5]
            let cases: [(String, [UInt8], Int, SyncFailure.Code)] = [
                ("mark", damaged, 400, .frameDamaged), ("mark", [], 400, .frameDamaged),
                ("mark", Array(mark.dropLast()), 400, .frameDamaged), ("mark", mark + mark, 400, .frameDamaged),
                ("mark", huge, 413, .frameTooLarge), ("upload", huge, 413, .frameTooLarge),
                ("mark", [UInt8](repeating: 0, count: 300_000), 413, .frameTooLarge),
                ("download", damaged, 400, .frameDamaged),
                ("upload", WireCodec.encode(Accepted()), 400, .messageMalformed),
                ("session", WireCodec.encode(UploadRequest(session: 77, changesets: [])), 400, .messageMalformed),
            ]
            for (call, body, status, code) in cases {
                let result = try await bench.failure("/v1/flights/\(call)", bytes: body)
                #expect(result.status == status && result.failure.code == code, "\(call) \(body.count): \(result)")
            }
            #expect(service.state.withLock { $0.told } == [])
            // The connection and the server are as before.
            #expect(try await bench.post("/v1/flights/mark", bytes: mark).status == 200)
        }
    }

    @Test("a large upload arrives whole, and only so many are read at once")
    func uploads() async throws {
        var limits = EndpointLimits()
        limits.uploadsAtOnce = 2
        // One user has half of them.
        limits.smallUploadsAtOnce = 4
        // Other tests may keep the machine from making all these bytes in time.
        limits.bodyIdleMilliseconds = 300_000
        let service = FakeService(uploadPause: .milliseconds(20))
        try await Bench.run(["flights": service], limits: limits) { bench in
            var noise: UInt64 = 1
            let bytes = (0..<6_000_000).map { _ in
                noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: noise >> 56)
            }
            let changeset = Changeset(
                client: ClientID(1), sequence: 8, stamp: .zero, base: .zero,
                operations: [.set(.init("Photo", .int(1)), FieldValue("data", .bytes(bytes)))])
            let large = UploadRequest(session: 77, changesets: [changeset])
            #expect(try await bench.post("upload", large, expecting: UploadAnswer.self).committed == 8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let small = UploadRequest(session: 77, changesets: [])
                        _ = try await bench.post("upload", small, expecting: UploadAnswer.self)
                    }
                }
                try await group.waitForAll()
            }
            #expect(service.state.withLock { $0.told.count } == 13)
            #expect(service.state.withLock { $0.uploadsMost } == 2)
        }
    }

    @Test("more bodies than there is memory for are refused, and the next one is taken again")
    func memory() async throws {
        var limits = EndpointLimits()
        limits.heldBodyBytes = 100_000
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            let body = [UInt8](repeating: 1, count: 200_000)
            let refused = try await bench.failure("/v1/flights/upload", bytes: body)
            #expect(refused.status == 503 && refused.failure.code == .serverBusy)
            let small = UploadRequest(session: 77, changesets: [])
            for _ in 0..<3 { _ = try await bench.post("upload", small, expecting: UploadAnswer.self) }
        }
    }
}
