import AsyncHTTPClient
import CausewayEndpoint
import CausewayEnvironment
import CausewayIdentity
import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayWire
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@Suite("Connections")
struct ConnectionTests {
    @Test("a client that does not trust the certificate gets no connection, and the server lives on")
    func untrusted() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            let stranger = Bench.client(trusting: .default)
            await #expect(throws: (any Error).self) {
                _ = try await stranger.execute(bench.request("/healthz", method: "GET"), timeout: .seconds(10))
            }
            try await stranger.shutdown()
            #expect(try await bench.send(bench.request("/healthz", method: "GET")).status == 200)
        }
    }

    @Test("a client that speaks only HTTP/1.1 is hung up on")
    func http1() async throws {
        try await Bench.run([:]) { bench in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates([try Bench.authority])
            tls.applicationProtocols = ["http/1.1"]
            let context = try NIOSSLContext(configuration: tls)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    }
                }
                .connect(host: "127.0.0.1", port: bench.port).get()
            try await channel.closeFuture.get()
        }
    }

    /// A connection without TLS, without a word.
    private func connect(to bench: Bench) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: bench.port).get()
    }

    @Test("a connection that says nothing is closed")
    func silent() async throws {
        var limits = EndpointLimits()
        limits.handshakeMilliseconds = 200
        try await Bench.run([:], limits: limits) { bench in
            try await connect(to: bench).closeFuture.get()
            #expect(await eventually { bench.endpoint.connectionCount == 0 })
        }
    }

    @Test("a connection more than allowed is closed, and those that are open go on")
    func superfluous() async throws {
        var limits = EndpointLimits()
        limits.connections = 1
        limits.handshakeMilliseconds = 3_600_000
        // The first must stay however long this takes: the second would be let in otherwise, and nothing closed.
        limits.idleMilliseconds = 3_600_000
        limits.strangerIdleMilliseconds = 3_600_000
        try await Bench.run([:], limits: limits) { bench in
            // No library's, which might close it and open another.
            let first = try await RawConnection.open(to: bench)
            #expect(await eventually { bench.endpoint.connectionCount == 1 })
            let second = try await connect(to: bench)
            #expect(await eventually { !second.isActive })
            #expect(bench.endpoint.connectionCount == 1)
            try await first.send(RawConnection.head(RawConnection.stream(0), "/healthz", ends: true))
            #expect(await eventually { first.count(.headers) == 1 })
            try await first.close()
        }
    }

    @Test("a connection without requests is closed after a while, one with a download is not")
    func idle() async throws {
        var limits = EndpointLimits()
        limits.idleMilliseconds = 1_500
        limits.strangerIdleMilliseconds = 1_500
        limits.graceMilliseconds = 500
        let service = FakeService(script: [.mark(1)])
        try await Bench.run(["flights": service], limits: limits) { bench in
            #expect(try await bench.send(bench.request("/healthz", method: "GET")).status == 200)
            #expect(await eventually { bench.endpoint.connectionCount == 0 })
            try await bench.download { message in
                guard message == .mark(1) else { return }
                try await Task.sleep(for: .milliseconds(2_500))
                #expect(bench.endpoint.connectionCount == 1)
                await service.end(.serverEnding)
            }
        }
    }

    @Test("a body that does not go on is given up")
    func slowBody() async throws {
        var limits = EndpointLimits()
        limits.bodyIdleMilliseconds = 200
        try await Bench.run(["flights": FakeService()], limits: limits) { bench in
            var request = bench.request("/v1/flights/upload")
            let (body, pieces) = AsyncStream<ByteBuffer>.makeStream()
            pieces.yield(ByteBuffer(bytes: [1, 2, 3]))
            request.body = .stream(body, length: .unknown)
            let response = try await bench.client.execute(request, timeout: .seconds(10))
            #expect(response.status.code == 503)
            pieces.finish()
        }
    }

    @Test("a download ends when its token does, and says so")
    func expiry() async throws {
        try await Bench.run(["flights": FakeService(script: [.mark(1)])]) { bench in
            var messages: [DownloadMessage] = []
            try await bench.download(token: "short") { messages.append($0) }
            #expect(messages == [.mark(1), .end(.tokenExpired)])
        }
    }

    @Test("a download of an unknown session says so in its stream")
    func unknownSession() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            var messages: [DownloadMessage] = []
            try await bench.download(session: 1) { messages.append($0) }
            #expect(messages == [.end(FakeService.unknown)])
        }
    }

    @Test(
        "a device that does not read is not sent ever more, and is given up, sooner when its session ends",
        arguments: [false, true])
    func slowReader(ends: Bool) async throws {
        var limits = EndpointLimits()
        limits.stalledMilliseconds = ends ? 600_000 : 1_000
        var noise: UInt64 = 1
        let bytes = (0..<1 << 20).map { _ in
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: noise >> 56)
        }
        let photo = ObjectContent(
            .init("Photo", .int(1)), ObjectState(life: 1, fields: [.init("data", .bytes(bytes), stamp: .zero)]))
        let script = [DownloadMessage](repeating: .changes(ViewChunk(entered: [photo])), count: 64)
        let service = FakeService(script: script)
        try await Bench.run(["flights": service], limits: limits) { bench in
            var request = bench.request("/v1/flights/download")
            request.body = .bytes(WireCodec.encode(DownloadRequest(session: FakeService.session)))
            let response = try await bench.client.execute(request, timeout: .seconds(30))
            var pieces = response.body.makeAsyncIterator()
            _ = try await pieces.next()
            if ends { await service.end(.serverEnding) }
            #expect(await eventually { service.state.withLock { $0.told } == ["download lost"] })
            // The client's window of eight megabytes and what the sockets take, but not all there is.
            #expect(service.state.withLock { $0.sentBytes } < 40 << 20)
            #expect(try await bench.send(bench.request("/healthz", method: "GET")).status == 200)
        }
    }

    @Test("a device that goes away ends its download on the server")
    func deviceGone() async throws {
        let service = FakeService(script: [.mark(1)])
        try await Bench.run(["flights": service]) { bench in
            struct Enough: Error {}
            await #expect(throws: Enough.self) {
                try await bench.download { _ in
                    #expect(service.state.withLock { $0.downloadsRunning } == 1)
                    throw Enough()
                }
            }
            #expect(await eventually { service.state.withLock { $0.downloadsRunning } == 0 })
        }
    }

    @Test("a graceful end lets uploads finish, tells downloads to come back, and leaves no connection")
    func gracefulEnd() async throws {
        let service = FakeService(script: [.mark(1)], uploadPause: .milliseconds(300))
        // Longer than a busy machine needs: only a connection that does not end by itself lasts until the grace is over.
        var limits = EndpointLimits()
        limits.graceMilliseconds = 120_000
        try await Bench.run(["flights": service], limits: limits) { bench in
            let messages = Mutex<[DownloadMessage]>([])
            let download = Task { try await bench.download { message in messages.withLock { $0.append(message) } } }
            #expect(await eventually { messages.withLock { $0 } == [.mark(1)] })
            let upload = Task {
                try await bench.post(
                    "upload", UploadRequest(session: 77, changesets: []), expecting: UploadAnswer.self)
            }
            #expect(await eventually { service.state.withLock { $0.uploadsNow } == 1 })
            let start = ContinuousClock.now
            await bench.endpoint.shutdown()
            #expect(ContinuousClock.now - start < .seconds(100), "nobody had to be thrown out")
            #expect(try await upload.value.committed == 0)
            try await download.value
            #expect(messages.withLock { $0 } == [.mark(1), .end(.serverEnding)])
            #expect(bench.endpoint.connectionCount == 0)
            await #expect(throws: (any Error).self) {
                _ = try await bench.send(bench.request("/healthz", method: "GET"))
            }
        }
    }

    @Test("an upload that a graceful end overtakes is told of the end, not that its session is unknown")
    func overtaken() async throws {
        let service = FakeService(holdsUploads: true)
        var limits = EndpointLimits()
        limits.graceMilliseconds = 120_000
        try await Bench.run(["flights": service], limits: limits) { bench in
            let upload = Task {
                try await bench.failure(
                    "/v1/flights/upload", bytes: WireCodec.encode(UploadRequest(session: 77, changesets: [])))
            }
            #expect(await eventually { service.state.withLock { $0.uploadsNow } == 1 })
            async let end: Void = bench.endpoint.shutdown()
            #expect(await eventually { service.state.withLock { $0.ending } != nil })
            service.releaseUpload()
            let answer = try await upload.value
            #expect(answer.status == 503 && answer.failure.code == .serverEnding, "\(answer)")
            await end
        }
    }

    @Test("an end waits for what is still being worked on, though its client is gone and the grace over")
    func workGoesOn() async throws {
        let service = FakeService(holdsUploads: true)
        var limits = EndpointLimits()
        limits.graceMilliseconds = 200
        try await Bench.run(["flights": service], limits: limits) { bench in
            let upload = Task {
                try await bench.post(
                    "upload", UploadRequest(session: 77, changesets: []), expecting: UploadAnswer.self)
            }
            #expect(await eventually { service.state.withLock { $0.uploadsNow } == 1 })
            let end = Task {
                await bench.endpoint.shutdown()
                service.state.withLock { $0.told.append("the end") }
            }
            #expect(await eventually { bench.endpoint.connectionCount == 0 })
            #expect(service.state.withLock { $0.told } == [], "what the upload uses is closed next")
            service.releaseUpload()
            await end.value
            #expect(service.state.withLock { $0.uploadsNow } == 0)
            _ = await upload.result
        }
    }

    @Test("credit for a session that is not there is refused as everything else is")
    func creditOfUnknown() async throws {
        try await Bench.run(["flights": FakeService()]) { bench in
            let credit = WireCodec.encode(CreditRequest(session: 1, bytes: 10))
            let answer = try await bench.failure("/v1/flights/credit", bytes: credit)
            #expect(answer.status == 410 && answer.failure.code == .sessionUnknown)
        }
    }

    @Test("a new certificate is shown on new connections, a bad one is not taken, and downloads go on")
    func newCertificate() async throws {
        let other = try DevelopmentKeys.make(hosts: ["localhost"], days: 1, tokens: .es256, now: Date()).files
        func text(_ name: String) -> String { other.first { $0.name == name }?.text ?? "" }
        let service = FakeService(script: [.mark(1)])
        try await Bench.run(["flights": service]) { bench in
            let authority = try NIOSSLCertificate(bytes: Array(text(DevelopmentKeys.Name.authority).utf8), format: .pem)
            func status(trusting roots: NIOSSLTrustRoots) async -> Int? {
                let client = Bench.client(trusting: roots)
                let response = try? await client.execute(
                    bench.request("/healthz", method: "GET"), timeout: .seconds(20))
                try? await client.shutdown()
                return response.map { Int($0.status.code) }
            }
            try await bench.download { message in
                guard message == .mark(1) else { return }
                #expect(throws: EndpointError.self) {
                    try bench.endpoint.replaceCertificate(chain: "none", key: "none")
                }
                #expect(await status(trusting: .certificates([try Bench.authority])) == 200)
                try bench.endpoint.replaceCertificate(
                    chain: text(DevelopmentKeys.Name.server), key: text(DevelopmentKeys.Name.serverKey))
                #expect(await status(trusting: .certificates([authority])) == 200)
                #expect(await status(trusting: .certificates([try Bench.authority])) == nil)
                #expect(service.state.withLock { $0.downloadsRunning } == 1)
                await service.end(.serverEnding)
            }
        }
    }

    @Test("a certificate that is none and a port that is taken are said with their remedy")
    func cannotStart() async throws {
        func endpoint(_ configuration: Endpoint.Configuration) throws -> Endpoint {
            try Endpoint(
                configuration, services: [:], authenticator: FakeAuthenticator(), clock: SystemClock(),
                logger: Logger(label: "endpoint-tests") { _ in SwiftLogNoOpLogHandler() })
        }
        let error = #expect(throws: EndpointError.self) {
            _ = try endpoint(.init(host: "127.0.0.1", port: 0, certificateChain: "none", privateKey: "none"))
        }
        #expect(error?.code == .certificateUnusable)
        try await Bench.run([:]) { bench in
            let second = try endpoint(Bench.configuration(port: bench.port))
            let error = await #expect(throws: EndpointError.self) { _ = try await second.start() }
            #expect(error?.code == .addressUnusable)
            await second.shutdown()
        }
    }
}
