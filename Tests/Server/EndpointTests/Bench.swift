import AsyncHTTPClient
import CausewayEndpoint
import CausewayEnvironment
import CausewayIdentity
import CausewayLimits
import CausewayWire
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A real endpoint on a loopback port with a certificate of its own, and a client that trusts it.
struct Bench {
    let endpoint: Endpoint
    let port: Int
    let client: HTTPClient

    /// Made once: keys cost time.
    private static let keys = Result {
        try DevelopmentKeys.make(hosts: ["localhost"], days: 1, tokens: .es256, now: Date())
    }

    static func text(_ name: String) throws -> String {
        try keys.get().files.first { $0.name == name }?.text ?? ""
    }

    static var authority: NIOSSLCertificate {
        get throws { try NIOSSLCertificate(bytes: Array(text(DevelopmentKeys.Name.authority).utf8), format: .pem) }
    }

    static func configuration(
        port: Int, limits: EndpointLimits = .standard
    ) throws -> Endpoint.Configuration {
        try Endpoint.Configuration(
            host: "127.0.0.1", port: port, certificateChain: text(DevelopmentKeys.Name.server),
            privateKey: text(DevelopmentKeys.Name.serverKey), limits: limits, threads: 1)
    }

    init(
        _ services: [String: any SyncService], accounts: [String: any AccountService] = [:],
        limits: EndpointLimits = .standard, authenticator: any Authenticator = FakeAuthenticator(),
        rates: RateGate = .unlimited
    ) async throws {
        endpoint = try Endpoint(
            Self.configuration(port: 0, limits: limits),
            services: services, accounts: accounts, authenticator: authenticator, rates: rates,
            clock: SystemClock(),
            logger: Logger(label: "endpoint-tests") { _ in SwiftLogNoOpLogHandler() })
        port = try await endpoint.start()
        client = try Self.client(trusting: .certificates([Self.authority]))
    }

    static func client(trusting roots: NIOSSLTrustRoots) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = roots
        configuration.tlsConfiguration = tls
        configuration.connectionPool.retryConnectionEstablishment = false
        // Requests wait that long for a stream, too: a busy machine is slow to make three hundred free.
        configuration.timeout.connect = .seconds(120)
        return HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }

    /// Starts, runs and stops, whatever happens between.
    static func run<Result>(
        _ services: [String: any SyncService], accounts: [String: any AccountService] = [:],
        limits: EndpointLimits = .standard, authenticator: any Authenticator = FakeAuthenticator(),
        rates: RateGate = .unlimited, _ body: (Bench) async throws -> Result
    ) async throws -> Result {
        let bench = try await Bench(
            services, accounts: accounts, limits: limits, authenticator: authenticator, rates: rates)
        do {
            let result = try await body(bench)
            try await bench.stop()
            return result
        } catch {
            try? await bench.stop()
            throw error
        }
    }

    func stop() async throws {
        try await client.shutdown()
        await endpoint.shutdown()
    }

    // MARK: - Requests

    func request(_ path: String, token: String? = "good", method: String = "POST") -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "https://localhost:\(port)\(path)")
        request.method = .init(rawValue: method)
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        return request
    }

    func send(_ request: HTTPClientRequest) async throws -> (status: Int, body: [UInt8]) {
        let response = try await client.execute(request, timeout: .seconds(120))
        let body = try await response.body.collect(upTo: 64 << 20)
        return (Int(response.status.code), Array(body.readableBytesView))
    }

    func post(_ path: String, token: String? = "good", bytes: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        var request = request(path, token: token)
        request.body = .bytes(bytes)
        return try await send(request)
    }

    func post<Answer: WireMessage>(
        _ call: String, _ message: some WireMessage, expecting answer: Answer.Type
    ) async throws -> Answer {
        let (status, body) = try await post("/v1/flights/\(call)", bytes: WireCodec.encode(message))
        if status != 200 { throw try WireCodec.decode(SyncFailure.self, body: body) }
        return try WireCodec.decode(Answer.self, body: body)
    }

    /// The status and the error of a request that fails.
    func failure(
        _ path: String, token: String? = "good", bytes: [UInt8]
    ) async throws -> (status: Int, failure: SyncFailure) {
        let (status, body) = try await post(path, token: token, bytes: bytes)
        return (status, try WireCodec.decode(SyncFailure.self, body: body))
    }

    /// Every message of a download, up to its end.
    func download(
        token: String = "good", session: UInt64 = FakeService.session,
        each: (DownloadMessage) async throws -> Void
    ) async throws {
        var request = request("/v1/flights/download", token: token)
        request.body = .bytes(WireCodec.encode(DownloadRequest(session: session)))
        let response = try await client.execute(request, timeout: .seconds(120))
        var reader = FrameReader()
        for try await piece in response.body {
            reader.append(piece.readableBytesView)
            while let message = try reader.next() {
                try await each(WireCodec.decode(DownloadMessage.self, from: message.payload))
            }
        }
        try reader.finish()
    }
}

/// Waits for what other threads bring about; gives up after a minute.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<6_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return condition()
}

extension EndpointLimits {
    /// For tests of something else than how long a stranger may take: beside fifteen others that takes a while.
    static var unhurried: EndpointLimits {
        var limits = EndpointLimits()
        limits.idleMilliseconds = 3_600_000
        limits.strangerIdleMilliseconds = 3_600_000
        limits.strangerMilliseconds = 3_600_000
        limits.handshakeMilliseconds = 3_600_000
        return limits
    }
}
