import CausewayEndpoint
import CausewayStore
import Logging
import ServiceLifecycle

/// Keeps the history of each database within its age while nobody commits, and looks whether its file is still there: at the
/// start, and every minute after.
struct HistoryKeeping: Service {
    let tenants: Tenants
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for tenant in tenants.all { await keep(tenant) }
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    private func keep(_ tenant: Tenant) async {
        guard tenant.uses.begin() else { return }
        defer { tenant.uses.end() }
        if !tenant.gauges.file.isThere {
            logger.critical("\(tenant.gauges.file.whenGone)", metadata: ["database": "\(tenant.name)"])
        }
        do throws(StoreFailure) {
            try await tenant.maintain()
        } catch {
            // Commits meet the same failure, and report it to whoever sent them.
            logger.log(
                level: tenant.node?.answers == false ? .debug : .error,
                "the history could not be shortened: \(error.message)", metadata: ["database": "\(tenant.name)"])
        }
    }
}
