import AsyncHTTPClient
import CausewayHTTP

// Why the server cannot be asked, and what to do.

extension AdminClient {
    /// The server shows another certificate than the only one that is trusted.
    struct OtherCertificate: Error {}

    func sentence(for error: any Error) -> String {
        "\(address) cannot be asked: \(Self.words(for: error)). \(remedy(for: error))"
    }

    private static func words(for error: any Error) -> String {
        if error is OtherCertificate { return "it shows another certificate than the configuration names" }
        switch error as? HTTPClientError {
        case .invalidURL?, .emptyHost?, .emptyScheme?: return "that is no address"
        default: return trouble(of: error).words
        }
    }

    private static func trouble(of error: any Error) -> TransportTrouble {
        switch error as? HTTPClientError {
        case nil: TransportTrouble(error)
        case .connectTimeout?, .tlsHandshakeTimeout?, .readTimeout?, .deadlineExceeded?: .timedOut
        case .remoteConnectionClosed?, .uncleanShutdown?: .closed
        default: .unknown
        }
    }

    private func remedy(for error: any Error) -> String {
        if error is OtherCertificate {
            return
                "A server takes a renewed certificate within ten seconds; `sync-server check` says whether it can. If "
                + "another server is meant, name its authority with --certificate-authority."
        }
        switch Self.trouble(of: error) {
        case .certificateUntrusted:
            return "Name the file of the authority with --certificate-authority, or the server's configuration with "
                + "--configuration, whose certificate is trusted."
        case .certificateOfOtherHost: return "Name the host in --address as the certificate does."
        case .ownCertificateRefused: return Self.ownCertificateRemedy
        case .noTLS: return "Name the listener with --address http://…"
        case .closed: return closedRemedy
        case .timedOut:
            return "The server may still be working on it: ask what it has, before you try again. \(Self.check)"
        default: return Self.check
        }
    }

    private static let check = "Check that the server runs, and its section admin."

    /// Who wants TLS, or a certificate, may also just close the connection.
    private var closedRemedy: String {
        if !address.hasPrefix("https:") { return "If it speaks TLS, name it with --address https://…" }
        return trust.identity == nil ? Self.ownCertificateRemedy : Self.check
    }

    private static let ownCertificateRemedy =
        "If the server's configuration has admin.clientAuthorities, show a certificate that they have signed with "
        + "--client-certificate and --client-key."
}
