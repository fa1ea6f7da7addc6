import CausewayEndpoint
import CausewayFeed
import CausewayHTTP
import CausewayIdentity
import Logging
import ServiceLifecycle

/// The server's life: listen until told to end, then end in the order that loses nothing.
///
/// 1. New connections are not accepted.
/// 2. Each download stream is told that the server ends, with the hint to connect again, and finishes. Commits that
///    have begun are finished.
/// 3. Requests that run are answered, within the configured time.
/// 4. The databases are closed.
/// 5. Messages that answers have promised are sent, and the accounts are closed.
struct Serving: Service {
    let endpoint: Endpoint
    let tenants: Tenants
    /// For back ends.
    var api: HTTPListener?
    let logger: Logger

    func run() async throws {
        do {
            _ = try await endpoint.start()
            if let api { try await start(api) }
        } catch {
            await end()
            throw error
        }
        // Throws when the task is cancelled instead of ended gracefully: the end is the same.
        try? await gracefulShutdown()
        logger.info("ending: the databases close when requests and downloads have ended")
        await end()
    }

    private func start(_ api: HTTPListener) async throws {
        do {
            let port = try await api.start()
            logger.info("back ends are served", metadata: ["host": "\(api.host)", "port": "\(port)"])
        } catch {
            throw CommandFailure(
                "Back ends cannot be served on \(api.address): \(TransportTrouble(error).words). Choose another address in "
                    + "the section api of the configuration, or stop what else uses this one.")
        }
    }

    func end() async {
        // Steps 1 to 3 are those of the endpoint and of the listener for back ends, at the same time.
        for tenant in tenants.all { tenant.feed.end() }
        async let apiHasEnded: Void? = api?.shutdown()
        await endpoint.shutdown()
        _ = await apiHasEnded
        for tenant in tenants.all { tenant.close() }
        for tenant in tenants.all { await tenant.accounts?.end() }
        logger.info("ended", metadata: ["databases": "\(tenants.all.map(\.name).joined(separator: ","))"])
    }
}
