import CausewayIdentity
import CausewaySession
import Logging
import ServiceLifecycle
import UnixSignals

/// On SIGHUP reads the permissions of the configuration anew. Live sessions go on under them, as a change of their views.
///
/// A file with problems changes nothing, and what else is in it waits for the next start.
struct RulesReloading: Service {
    let option: ConfigurationOption
    let tenants: [Tenant]
    let offices: [String: PermissionOffice]
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown()
        for await _ in signals { reload() }
    }

    private func reload() {
        let configuration: Configuration
        do {
            configuration = try option.read()
        } catch {
            logger.error("the permissions stay as they were, for the configuration has problems:\n\(error)")
            return
        }
        for tenant in tenants {
            guard let database = configuration.databases.first(where: { $0.name == tenant.name }) else {
                logger.error(
                    "the permissions of this database stay as they were, for the configuration does not name it any more",
                    metadata: ["database": "\(tenant.name)"])
                continue
            }
            offices[tenant.name]?.replace(by: database.permissions)
            tenant.conversations.reconsider()
        }
        logger.notice("the permissions were read anew")
    }
}
