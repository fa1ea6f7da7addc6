import CausewayEndpoint
import CausewayEnvironment
import CausewayIdentity
import CausewayWire

/// Knows callers by their tokens. Whoever holds a good token may use every database; what they may see in it is a
/// matter of permissions.
struct TokenAuthenticator: Authenticator {
    let verifier: TokenVerifier
    let clock: any WallClock

    func caller(for token: String, database: String) throws(SyncFailure) -> KnownCaller {
        do throws(IdentityError) {
            let caller = try verifier.caller(for: token, at: clock.now())
            return KnownCaller(user: caller.user, expires: caller.expires)
        } catch {
            throw SyncFailure(error.code == .tokenExpired ? .tokenExpired : .tokenInvalid, error.message)
        }
    }
}
