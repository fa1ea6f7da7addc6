import CausewayFeed
import CausewayHTTP
import CausewayModel
import CausewaySession
import CausewayWire
import Logging
import ServiceLifecycle

/// Serves the change feed on the address of the section `api`.
struct ChangesListening: Service {
    private let listener: HTTPListener?
    private let changes: ChangesService

    /// - Parameter listen: nil serves nobody.
    init(
        _ listen: Configuration.Listen?, _ inspection: Inspection, _ changes: ChangesService, logger: Logger
    ) throws {
        self.changes = changes
        listener = try listen.map { listen in
            HTTPListener(
                host: listen.host, port: listen.port,
                tls: try ServerTLS.context(
                    chain: inspection.certificateChain, key: inspection.certificateKey, protocols: ["http/1.1"]),
                service: changes, logger: logger)
        }
    }

    func run() async throws {
        _ = try await listener?.start()
        // Throws when the task is cancelled instead of ended gracefully: the end is the same.
        try? await gracefulShutdown()
        changes.end()
        await listener?.shutdown()
    }
}

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
