import CausewayHTTP
import Crypto

/// Who may ask the admin listener for what.
package struct AdminAccess: Hashable, Sendable {
    /// The token of administrators. Only its digest stays in memory.
    private var tokenDigest: SHA256.Digest?
    /// Whether every connection has shown a certificate that is trusted.
    private var isPeerVerified: Bool
    /// Whether programs that watch the server need no token.
    private var isMonitoringOpen: Bool
    /// Whether only names of this machine are accepted as a request's host. A page of another site that makes a browser
    /// on this machine call the listener by a name of its own is refused.
    private var isLocal: Bool

    /// Shorter tokens could be guessed.
    package static let tokenBytesMin = 32
    package static let tokenBytesMax = 1_024

    /// - Parameters:
    ///   - token: nil when there is none. Then only who has shown a certificate is an administrator.
    ///   - isPeerVerified: whether every connection has shown a certificate that is trusted.
    package init(token: String?, isPeerVerified: Bool, isMonitoringOpen: Bool, isLocal: Bool) {
        tokenDigest = token.map(Self.digest)
        self.isPeerVerified = isPeerVerified
        self.isMonitoringOpen = isMonitoringOpen
        self.isLocal = isLocal
    }

    package enum Refusal: String, Hashable, Sendable {
        case host
        case token
    }

    /// Nil for a request that is permitted.
    func refusal(of head: HTTPHead, to access: AdminRoute.Access) -> Refusal? {
        if isLocal, !Self.isNameOfThisMachine(head.header("host")) { return .host }
        if access == .everybody || access == .monitoring && isMonitoringOpen { return nil }
        guard let tokenDigest else { return isPeerVerified ? nil : .token }
        guard let token = head.bearerToken, token.utf8.count <= Self.tokenBytesMax else { return .token }
        // Digests are compared in constant time. Their difference tells nothing of the token.
        return Self.digest(token) == tokenDigest ? nil : .token
    }

    private static func digest(_ token: String) -> SHA256.Digest { SHA256.hash(data: Array(token.utf8)) }

    static func isNameOfThisMachine(_ host: String?) -> Bool {
        guard let host else { return false }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }
}
