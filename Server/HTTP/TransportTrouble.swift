import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why a connection or a listener failed, in words of ours. The texts of the libraries below name places in their
/// source, and no remedy.
package enum TransportTrouble: Hashable, Sendable {
    // MARK: Sockets

    case addressTaken
    case addressForbidden
    case addressElsewhere
    case hostUnknown
    case refused
    case unreachable
    case timedOut
    case closed

    // MARK: TLS

    /// The other side speaks no TLS.
    case noTLS
    case certificateUntrusted
    case certificateOfOtherHost
    /// The other side wants a certificate, or another one.
    case ownCertificateRefused
    case handshake

    /// Another error of the system, in its words.
    case system(CInt)
    case unknown

    package init(_ error: any Error) {
        switch error {
        case let error as IOError: self.init(number: error.errnoCode)
        case let error as NIOConnectionError: self.init(connecting: error)
        case let error as ChannelError:
            if case .connectTimeout = error { self = .timedOut } else { self = .closed }
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: self = .certificateOfOtherHost
        case NIOSSLError.uncleanShutdown: self = .closed
        case is NIOSSLError, is BoringSSLError: self.init(reasons: String(describing: error))
        default: self = .unknown
        }
    }

    private init(number: CInt) {
        switch number {
        case EADDRINUSE: self = .addressTaken
        case EACCES, EPERM: self = .addressForbidden
        case EADDRNOTAVAIL: self = .addressElsewhere
        case ECONNREFUSED: self = .refused
        case EHOSTUNREACH, ENETUNREACH: self = .unreachable
        case ETIMEDOUT: self = .timedOut
        case ECONNRESET, EPIPE: self = .closed
        default: self = .system(number)
        }
    }

    private init(connecting error: NIOConnectionError) {
        guard let attempt = error.connectionErrors.first else {
            self = .hostUnknown
            return
        }
        self.init(attempt.error)
    }

    /// The library says its reasons only in texts.
    private init(reasons text: String) {
        func has(_ reasons: String...) -> Bool { reasons.contains { text.contains($0) } }
        if has("CERTIFICATE_VERIFY_FAILED") {
            self = .certificateUntrusted
        } else if has("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST") {
            self = .noTLS
        } else if has("ALERT") && has("CERTIFICATE", "UNKNOWN_CA", "HANDSHAKE_FAILURE", "ACCESS_DENIED") {
            self = .ownCertificateRefused
        } else if has("EOF during handshake", "eofDuringHandshake") {
            self = .closed
        } else {
            self = .handshake
        }
    }

    /// What is wrong, as the end of a sentence behind a colon.
    package var words: String {
        switch self {
        case .addressTaken: "another program listens there already"
        case .addressForbidden: "this user may not use this address or port; ports below 1024 need a permission"
        case .addressElsewhere: "this machine does not have that address"
        case .hostUnknown: "no machine of this name is known"
        case .refused: "nothing listens there"
        case .unreachable: "there is no way to that machine"
        case .timedOut: "it does not answer in time"
        case .closed: "it closed the connection without an answer"
        case .noTLS: "what listens there speaks no TLS"
        case .certificateUntrusted: "its certificate is not signed by an authority that is trusted, or is not valid now"
        case .certificateOfOtherHost: "its certificate is for another name"
        case .ownCertificateRefused: "it wants a client's certificate that its authorities have signed"
        case .handshake: "TLS could not be agreed upon"
        case .system(let number): String(cString: strerror(number))
        case .unknown: "the connection failed"
        }
    }
}
