package import CausewayWire

/// Why a call to the server brought no answer, as the conversation needs to know it: what to do follows from the kind.
package enum TransportFailure: Error, Hashable, Sendable {
    /// The server answered, and the answer is no.
    case refused(SyncFailure)
    /// No connection: refused, reset, unknown host, no network.
    case unreachable(String)
    /// No answer in time.
    case timeout(String)
    /// The other side's certificate is not one this device trusts.
    case untrusted(String)
    /// An answer that is not of this protocol: a wrong address, a proxy's page, a damaged frame.
    case unintelligible(String)
    /// The address or the trusted authorities cannot be used at all: no attempt can succeed.
    case unusable(String)
    /// The caller gave up.
    case cancelled

    /// A sentence that names cause and remedy.
    package var message: String {
        switch self {
        case .refused(let failure): failure.message
        case .unreachable(let message), .timeout(let message), .untrusted(let message),
            .unintelligible(let message), .unusable(let message):
            message
        case .cancelled: "The call was cancelled."
        }
    }
}

extension TransportFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let failure): "refused (\(failure.code.rawValue)): \(failure.message)"
        case .unreachable(let message): "unreachable: \(message)"
        case .timeout(let message): "timeout: \(message)"
        case .untrusted(let message): "not trusted: \(message)"
        case .unintelligible(let message): "not this protocol: \(message)"
        case .unusable(let message): "unusable: \(message)"
        case .cancelled: "cancelled"
        }
    }
}
