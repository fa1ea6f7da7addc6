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
            let (known, tenant) = try authenticator.find(token, database)
            try takeRequest(of: known, tenant)
            let (user, access, shutOuts) = (known.user.string, known.access, tenant.shutOuts)
            return FeedCaller(user: user, expires: known.expires, opening: known.opening) {
                access?.permissions()
            } refusal: {
                shutOuts.failure(user: user).map { FeedFailure($0) }
            }
        } catch {
            throw FeedFailure(error)
        }
    }

    /// Charges a request to its user, as the data API does.
    private func takeRequest(of caller: KnownCaller, _ tenant: Tenant) throws(SyncFailure) {
        do throws(LimitReached) {
            try tenant.conversations.rates.take(.init(.requestsPerSecondOfUser, of: caller.user.string))
        } catch {
            throw SyncFailure(error)
        }
    }
}

extension FeedFailure {
    /// Why a caller is refused.
    init(_ failure: SyncFailure) {
        let code: Code =
            switch failure.code {
            case .tokenExpired: .tokenExpired
            case .permissionDenied: .permissionDenied
            case .databaseUnknown: .databaseUnknown
            case .serverBusy: .busy
            default: .tokenInvalid
            }
        self.init(code, failure.message, retryAfterMilliseconds: failure.retryAfterMilliseconds)
    }
}
