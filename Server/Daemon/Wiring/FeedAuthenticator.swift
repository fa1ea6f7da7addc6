import CausewayFeed
import CausewayModel
import CausewaySession
import CausewayWire

/// Knows callers of the feed as the endpoint knows devices.
struct FeedAuthenticator: FeedCallers {
    let authenticator: TokenAuthenticator

    func caller(for token: String, database: String) throws(FeedFailure) -> FeedCaller {
        do throws(SyncFailure) {
            let known = try authenticator.caller(for: token, database: database)
            guard let access = known.access else { return FeedCaller(user: known.user.string, expires: known.expires) }
            return FeedCaller(user: known.user.string, expires: known.expires, permissions: access.permissions)
        } catch {
            throw FeedFailure(error.code == .tokenExpired ? .tokenExpired : .tokenInvalid, error.message)
        }
    }
}
