package import CausewaySession
package import CausewayWire

/// Knows callers by their tokens. Called for every request on the thread of its connection: must be quick and must not
/// block.
package protocol Authenticator: Sendable {
    /// - Parameter token: what follows `Bearer`.
    func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller
}
