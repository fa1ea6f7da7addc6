import AsyncHTTPClient
import CausewaySync
import NIOCore
import NIOSSL

/// What two callers must agree on to use one connection.
struct ConnectionTerms: Hashable, Sendable {
    /// Scheme, host and port.
    let base: String
    /// The trusted authorities; nil for the operating system's list. Their certificates, not their file, since the file
    /// may hold others by now.
    private let authorities: [NIOSSLCertificate]?
    private let connectMilliseconds: Int64
    /// How long a connection that nobody uses stays open.
    let lingerMilliseconds: Int64
    /// A random number for a connection with one owner; nil if it is shared.
    private let owner: UInt64?

    /// Throws when the trusted authorities cannot be read.
    init(_ address: ServerAddress) throws(TransportFailure) {
        base = address.base
        authorities =
            switch address.trust {
            case .system: nil
            case .authorities(let path): try Self.certificates(path)
            }
        connectMilliseconds = address.connectMilliseconds
        lingerMilliseconds = min(address.lingerMilliseconds, 86_400_000)
        owner = address.sharesConnection ? nil : UInt64.random(in: 0 ... .max)
    }

    private static func certificates(_ path: String) throws(TransportFailure) -> [NIOSSLCertificate] {
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
        return authorities
    }

    /// A client that makes one connection at a time.
    var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(certificateVerification: .fullVerification)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorities { tls.trustRoots = .certificates(authorities) }
        configuration.tlsConfiguration = tls
        configuration.timeout.connect = .milliseconds(connectMilliseconds)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .automatic
        // The conversation decides when to try again, and wants to hear of the first failure.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Until the first handshake the client does not know that one connection carries all calls.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        // Longer than we keep one ourselves.
        configuration.connectionPool.idleTimeout = .milliseconds(lingerMilliseconds) + .minutes(5)
        configuration.http1_1ConnectionDebugInitializer = { [base] channel in
            channel.eventLoop.makeFailedFuture(
                TransportFailure.unintelligible(
                    "\(base) does not speak HTTP/2. Check that the base URL is the server's, and that proxies on the "
                        + "way pass HTTP/2 on."))
        }
        return configuration
    }
}
