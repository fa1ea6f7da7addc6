import AsyncHTTPClient
import CausewaySync
import NIOCore
import NIOPosix
import NIOSSL

// What went wrong below the protocol, in words that say what to do.

extension HTTPTransport {
    func failure(_ error: any Error) -> TransportFailure {
        switch error {
        case let failure as TransportFailure:
            failure
        case is CancellationError:
            .cancelled
        case let error as HTTPClientError:
            failure(error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            .untrusted(
                "The certificate of \(address.base) is for another host name. Call the server by a name in its "
                    + "certificate, or give it a certificate for this one.")
        case let error as NIOSSLError:
            failure(error)
        case let error as NIOConnectionError:
            .unreachable(
                "\(address.base) cannot be reached (\(reason(of: error))). Check the address and that the server "
                    + "runs; the device tries again by itself.")
        case let error as ChannelError where isConnectTimeout(error):
            .timeout(unanswered)
        case let error as IOError:
            .unreachable(lost("\(error)"))
        default:
            .unreachable(lost("\(error)"))
        }
    }

    private func failure(_ error: HTTPClientError) -> TransportFailure {
        switch error {
        case .cancelled, .requestStreamCancelled, .alreadyShutdown:
            // The client also says so of calls that nobody cancelled, when their connection ends.
            Task.isCancelled ? .cancelled : .unreachable(lost(error.shortDescription))
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .deadlineExceeded, .readTimeout,
            .writeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            .timeout(unanswered)
        case .remoteConnectionClosed, .uncleanShutdown:
            .unreachable(lost(error.shortDescription))
        case .invalidURL, .emptyHost, .emptyScheme, .invalidProxyResponse, .proxyAuthenticationRequired:
            .unintelligible(
                "\(address.base) cannot be called (\(error.shortDescription)). Check the base URL and the proxy.")
        default:
            .unreachable(lost(error.shortDescription))
        }
    }

    private func failure(_ error: NIOSSLError) -> TransportFailure {
        let text = "\(error)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") || error == .unableToValidateCertificate {
            return .untrusted(
                "The certificate of \(address.base) is not signed by an authority this device trusts, has expired, or is not "
                    + "valid yet by this device's clock. For a server with a certificate of its own making, give the "
                    + "authority's file as "
                    + "`AppConfiguration(trustRootsPath:)`.")
        }
        if case .handshakeFailed = error {
            return .unreachable(
                "\(address.base) did not complete the TLS handshake (\(text)). Check that the port is the server's "
                    + "and that it offers TLS 1.2 or later.")
        }
        return .unreachable(lost(text))
    }

    private var unanswered: String {
        "\(address.base) did not answer in time. Check the network and that the server runs; "
            + "the device tries again by itself."
    }

    private func lost(_ reason: String) -> String {
        "The connection to \(address.base) was lost (\(reason)). The device connects again by itself."
    }

    private func isConnectTimeout(_ error: ChannelError) -> Bool {
        if case .connectTimeout = error { true } else { false }
    }

    private func reason(of error: NIOConnectionError) -> String {
        if let dns = error.dnsAError ?? error.dnsAAAAError, error.connectionErrors.isEmpty {
            return "the host name has no address: \(dns)"
        }
        return error.connectionErrors.first.map { "\($0.error)" } ?? "no address answered"
    }
}
