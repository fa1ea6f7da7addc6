import CausewayAdmin
import CausewayHTTP
import Logging
import ServiceLifecycle

/// The admin listener's life. It ends last, so that one can watch the server end.
struct AdminServing: Service {
    let listener: HTTPListener
    let live: LiveEvents
    let logger: Logger

    func run() async throws {
        let port: Int
        do {
            port = try await listener.start()
        } catch {
            throw CommandFailure(
                "The admin listener cannot listen on \(listener.address): \(TransportTrouble(error).words). Choose another "
                    + "address in the section admin of the configuration, or stop what else uses this one.")
        }
        logger.info("the admin listener is open", metadata: ["host": "\(listener.host)", "port": .number(port)])
        try? await gracefulShutdown()
        // They would follow for as long as the listener lets them.
        live.close()
        await listener.shutdown()
    }
}
