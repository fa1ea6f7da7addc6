import AsyncHTTPClient
import CausewayJSON
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// Calls the admin API of a server.
struct AdminClient: Sendable {
    let address: String
    let token: String?
    var trust = AdminTrust()

    enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    private static let connectSeconds: Int64 = 10
    /// A database is dropped when the last request to it is answered.
    static let answerSeconds: Int64 = 120
    /// A change of the schema goes over all objects of a class.
    static let schemaSeconds: Int64 = 3_600
    private static let answerBytesMax = 64 << 20

    /// - Parameter path: the parts behind `/admin/v1`.
    /// - Throws: a `CommandFailure` with what the server says, or why it cannot be asked.
    func call(
        _ method: Method, _ path: [String], query: [(name: String, value: String?)] = [], body: [UInt8]? = nil,
        seconds: Int64 = answerSeconds
    ) async throws -> JSON {
        let answer = try await withClient(seconds) { client in
            try await send(method, url(path, query), body, client, seconds)
        }
        return try Self.json(answer.status, answer.body)
    }

    /// Runs `body` with a client of its own, which is shut down when this returns.
    ///
    /// - Parameter seconds: how long the server may be silent.
    /// - Throws: a `CommandFailure`: the one that `body` throws, or for any other error why the server cannot be asked.
    func withClient<Answer>(
        _ seconds: Int64, _ body: (HTTPClient) async throws -> Answer
    ) async throws -> Answer {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: try configuration(seconds))
        do {
            let answer = try await body(client)
            try? await client.shutdown()
            return answer
        } catch {
            try? await client.shutdown()
            throw error as? CommandFailure ?? CommandFailure(sentence(for: error))
        }
    }

    private func send(
        _ method: Method, _ url: String, _ body: [UInt8]?, _ client: HTTPClient, _ seconds: Int64
    ) async throws -> (status: UInt, body: [UInt8]) {
        let answer = try await client.execute(request(method, url, body), timeout: .seconds(seconds))
        let bytes = try await answer.body.collect(upTo: Self.answerBytesMax)
        return (answer.status.code, Array(bytes.readableBytesView))
    }

    func request(_ method: Method, _ url: String, _ body: [UInt8]?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method.rawValue)
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        return request
    }

    /// - Parameter seconds: how long the server may be silent.
    private func configuration(_ seconds: Int64) throws(CommandFailure) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(Self.connectSeconds), read: .seconds(seconds)))
        // Who waits at a terminal is told at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        guard address.hasPrefix("https:") else { return configuration }
        let (tls, expected) = try trust.settings()
        configuration.tlsConfiguration = tls
        // It runs behind the handshake, and before the token is sent.
        if let expected {
            configuration.http1_1ConnectionDebugInitializer = { channel in
                channel.nioSSL_peerCertificate().flatMapThrowing { shown in
                    guard shown != expected else { return }
                    channel.eventLoop.execute { channel.close(promise: nil) }
                    throw OtherCertificate()
                }
            }
        }
        return configuration
    }

    func url(_ path: [String], _ query: [(name: String, value: String?)]) -> String {
        let pairs = query.compactMap { pair in pair.value.map { "\(pair.name)=\(Self.escaped($0))" } }
        let base = address.hasSuffix("/") ? String(address.dropLast()) : address
        return base + "/admin/v1/" + path.map(Self.escaped).joined(separator: "/")
            + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    private static func escaped(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }

    static func json(_ status: UInt, _ body: [UInt8]) throws -> JSON {
        let json = try? JSONReader.read(body)
        guard (200...299).contains(status) else {
            guard let message = json?["message"]?.string else {
                throw CommandFailure(
                    "The answer is none of a sync-server (\(status)). Check that the address is that of its admin listener."
                )
            }
            throw CommandFailure(CommandWords.of(message))
        }
        guard let json else {
            throw CommandFailure(
                "The answer cannot be read. Check that the address is that of the admin listener of a sync-server.")
        }
        return json
    }
}
