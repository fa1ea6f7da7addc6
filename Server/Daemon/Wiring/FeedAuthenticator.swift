import CausewayFeed
import CausewayLimits
import CausewayModel
import CausewaySession
import CausewayWire

/// Knows callers of the feed as the endpoint knows devices.
struct FeedAuthenticator: FeedCallers {
    let authenticator: TokenAuthenticator

    func caller(for token: String, database: String) throws(FeedFailure) -> FeedCaller {
        do throws(SyncFailure) {
            let known = try authenticator.caller(for: token, database: database)
            try takeRequest(of: known, database)
            let (user, shutOuts) = (known.user.string, authenticator.tenants[database]?.shutOuts)
            let access = known.access
            return FeedCaller(user: user, expires: known.expires) {
                access?.permissions()
            } refusal: {
                shutOuts?.failure(user: user).map { FeedFailure($0) }
            }
        } catch {
            throw FeedFailure(error)
        }
    }

    /// Charges a request to its user, as the data API does.
    private func takeRequest(of caller: KnownCaller, _ database: String) throws(SyncFailure) {
        do throws(LimitReached) {
            try authenticator.tenants[database]?.conversations.rates.take(
                .init(.requestsPerSecondOfUser, of: caller.user.string))
        } catch {
            throw SyncFailure(error)
        }
    }
}

extension FeedFailure {
    /// Why a caller is refused.
    fileprivate init(_ failure: SyncFailure) {
        let code: Code =
            switch failure.code {
            case .tokenExpired: .tokenExpired
            case .permissionDenied: .permissionDenied
            default: .tokenInvalid
            }
        self.init(code, failure.message)
    }
}
