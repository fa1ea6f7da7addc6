package import CausewaySession
package import CausewayWire

/// Knows callers by their tokens. Asked for every request, on the thread of its connection: to be quick and not to block.
package protocol Authenticator: Sendable {
    /// - Parameter token: what stands behind `Bearer`.
    func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller
}
