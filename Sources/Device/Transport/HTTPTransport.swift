import AsyncHTTPClient
package import CausewaySync
import CausewayWire
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// Calls a server over HTTP/2 and TLS.
///
/// All calls of a session share one connection: HTTP/2 carries them side by side, and the socket sends small frames
/// at once (NIO sets TCP_NODELAY on every client socket). `disconnect` throws the connection away, because one that
/// the network swallowed looks alive to a pool until the kernel gives up on it, many minutes later.
package final class HTTPTransport: Transport {
    package let address: ServerAddress
    /// What goes along with every request, asked for each.
    let headers: @Sendable () -> Headers
    private let configuration: HTTPClient.Configuration
    /// The client of the present connection; nil until the next call needs one.
    private let client = Mutex<HTTPClient?>(nil)
    private let carried = Mutex(Traffic())

    package struct Headers: Sendable {
        /// The header that carries `Bearer` and the token.
        package var authorization: String
        /// For proxies that want them.
        package var extra: [(name: String, value: String)]

        package init(authorization: String = "authorization", extra: [(name: String, value: String)] = []) {
            self.authorization = authorization
            self.extra = extra
        }
    }

    /// Throws when the trusted authorities cannot be read.
    package init(
        _ address: ServerAddress, headers: @escaping @Sendable () -> Headers = { Headers() }
    ) throws(TransportFailure) {
        self.address = address
        self.headers = headers
        var configuration = HTTPClient.Configuration(certificateVerification: .fullVerification)
        configuration.tlsConfiguration = try Self.tls(trusting: address.trust)
        configuration.timeout.connect = .milliseconds(address.connectMilliseconds)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .automatic
        // The conversation decides when to try again, and wants to hear of the first failure.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = .seconds(300)
        self.configuration = configuration
    }

    deinit {
        client.withLock { Self.retire($0) }
    }

    private static func tls(trusting trust: ServerAddress.Trust) throws(TransportFailure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if case .authorities(let path) = trust {
            let authorities: [NIOSSLCertificate]
            do {
                authorities = try NIOSSLCertificate.fromPEMFile(path)
            } catch {
                throw .unusable(
                    "The file of trusted authorities at \(path) cannot be read (\(error)). It must hold one or more "
                        + "certificates in PEM form; `sync-server keys` writes one.")
            }
            guard !authorities.isEmpty else {
                throw .unusable(
                    "The file of trusted authorities at \(path) holds no certificate. It must hold one or more in PEM "
                        + "form; `sync-server keys` writes one.")
            }
            tls.trustRoots = .certificates(authorities)
        }
        return tls
    }

    /// The client of the present connection, made when there is none.
    func connected() -> HTTPClient {
        client.withLock { client in
            if let client { return client }
            let made = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
            client = made
            return made
        }
    }

    package var traffic: Traffic { carried.withLock { $0 } }

    func count(sent: Int = 0, received: Int = 0) {
        carried.withLock { carried in
            carried.bytesSent += UInt64(sent)
            carried.bytesReceived += UInt64(received)
        }
    }

    package func disconnect() {
        client.withLock { client in
            Self.retire(client)
            client = nil
        }
    }

    private static func retire(_ client: HTTPClient?) {
        guard let client else { return }
        // A client must be shut down before it goes away. What can fail here are calls that were cancelled anyway.
        Task { try? await client.shutdown() }
    }
}
