package import CausewayModel
package import CausewaySession
package import CausewayWire

/// Who calls, for as long as their token is good.
package struct KnownCaller: Sendable {
    /// What a client belongs to and permissions are about.
    package var user: ExactString
    /// Milliseconds since 1970.
    package var expires: UInt64
    /// What they may do; nil is everything.
    package var access: Access?

    package init(user: String, expires: UInt64, access: Access? = nil) {
        self.user = ExactString(user)
        self.expires = expires
        self.access = access
    }
}

/// Knows callers by their tokens. Asked for every request, on the thread of its connection: to be quick and not to block.
package protocol Authenticator: Sendable {
    /// - Parameter token: what stands behind `Bearer`.
    func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller
}
