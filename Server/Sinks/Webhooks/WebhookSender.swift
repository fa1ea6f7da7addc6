import AsyncHTTPClient
import CausewayHTTP
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// Posts signed bodies to one address.
package final class WebhookSender: Sendable {
    package struct Rules: Hashable, Sendable {
        package var url: String
        /// Read for each body, so that a secret can be changed.
        package var secretFile: String
        /// Authorities in PEM form; nil trusts those of the system.
        package var trustRootsFile: String?

        package init(url: String, secretFile: String, trustRootsFile: String? = nil) {
            self.url = url
            self.secretFile = secretFile
            self.trustRootsFile = trustRootsFile
        }
    }

    private let rules: Rules
    /// Made for the first post, and again for the first one behind `close`.
    private let client = Mutex<HTTPClient?>(nil)
    private let now: @Sendable () -> UInt64

    private static let connectSeconds: Int64 = 10
    /// From the request to the end of the answer's head.
    private static let answerSeconds: Int64 = 30
    /// What is read of an answer's body, so that the connection can be used again. More closes it.
    private static let answerBytesMax = 16 << 10

    /// - Parameter now: milliseconds since 1970.
    package init(_ rules: Rules, now: @escaping @Sendable () -> UInt64) {
        self.rules = rules
        self.now = now
    }

    private func openClient() -> HTTPClient {
        client.withLock { client in
            if let client { return client }
            let made = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            client = made
            return made
        }
    }

    private var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(Self.connectSeconds), read: .seconds(Self.answerSeconds)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        if let file = rules.trustRootsFile {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(file)
            configuration.tlsConfiguration = tls
        }
        return configuration
    }

    /// Posts a body of JSON; returns once the receiver has answered that it has it, with a status of 200 to 299.
    ///
    /// - Parameter delivery: the same for every attempt with this body.
    func post(_ body: [UInt8], delivery: String) async throws(SinkFailure) {
        let secret = try SecretFile.text(of: rules.secretFile)
        var request = HTTPClientRequest(url: rules.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "user-agent", value: "causeway")
        request.headers.add(name: "causeway-delivery", value: delivery)
        request.headers.add(
            name: WebhookSignature.header,
            value: WebhookSignature.text(of: body, seconds: now() / 1_000, secret: secret))
        request.body = .bytes(ByteBuffer(bytes: body))
        let status: UInt
        do {
            let answer = try await openClient().execute(request, timeout: .seconds(Self.answerSeconds))
            status = answer.status.code
            _ = try? await answer.body.collect(upTo: Self.answerBytesMax)
        } catch {
            // The errors of the client hold no body and no header.
            throw SinkFailure(
                "The receiver cannot be reached: \(Self.words(for: error)). Check that it runs, and the url.")
        }
        guard (200...299).contains(status) else {
            throw SinkFailure(
                "The receiver answers with status \(status), and 200 to 299 says that it has the batch. Check its log. The "
                    + "batch is sent again.")
        }
    }

    private static func words(for error: any Error) -> String {
        switch error as? HTTPClientError {
        case nil: TransportTrouble(error).words
        case .connectTimeout?, .tlsHandshakeTimeout?, .readTimeout?, .deadlineExceeded?: TransportTrouble.timedOut.words
        case .remoteConnectionClosed?, .uncleanShutdown?: TransportTrouble.closed.words
        case let error?: error.shortDescription
        }
    }

    /// Closes the connections.
    func close() async {
        let open = client.withLock { client in
            defer { client = nil }
            return client
        }
        try? await open?.shutdown()
    }
}
