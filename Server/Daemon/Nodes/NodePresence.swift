import CausewayEndpoint
import CausewayEnvironment
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import CausewaySession
import CausewayStoreReplicated
import Foundation
import Logging
import ServiceLifecycle

/// Says in PostgreSQL that this node is here and where it is, so that operators see all nodes from each of them.
final class NodePresence: Service, Sendable {
    /// Names this process among all nodes.
    static let id = UUID().uuidString

    private let register: NodeRegister
    private let place: String
    private let tenants: Tenants
    private let logger: Logger
    private let thread = StoreThread(label: "causeway.presence")

    private static let saySeconds = 5

    init(_ configuration: Configuration, _ journal: Configuration.Journal, _ tenants: Tenants, _ logger: Logger) {
        register = NodeRegister(journal.settings)
        place = "\(Self.hostName):\(configuration.listen.port)"
        (self.tenants, self.logger) = (tenants, logger)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var isTroubled = false
            while !Task.isCancelled {
                let trouble = await thread.runFreely { [self] in say() }
                if let trouble, !isTroubled {
                    logger.warning("other nodes cannot be told that this one is here: \(trouble)")
                }
                isTroubled = trouble != nil
                try? await Task.sleep(for: .seconds(Self.saySeconds))
            }
        }
        await thread.runFreely { [register] in try? register.leave(Self.id) }
    }

    /// - Returns: why nobody could be told.
    private func say() -> String? {
        var databases: [String: NodeRegister.Standing] = [:]
        for outage in tenants.outages { databases[outage.name] = .notOpen }
        for tenant in tenants.all {
            guard let node = tenant.node else { continue }
            databases[tenant.name] = node.record.end == nil ? .at(node.record.position) : .notOpen
        }
        do throws(JournalFailure) {
            try register.say(
                NodeRegister.Saying(
                    node: Self.id, place: place, program: Release.version, generation: JournalGeneration.newest,
                    databases: databases))
            return nil
        } catch {
            return error.message
        }
    }

    /// All nodes, as they spoke last.
    func nodes() async -> Result<[NodeRegister.Known], JournalFailure> {
        await thread.runFreely { [register] in
            Result { () throws(JournalFailure) in try register.nodes() }
        }
    }

    /// Of this machine, as it calls itself: nobody is asked.
    private static var hostName: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 257) { name in
            name.initialize(repeating: 0)
            guard let start = name.baseAddress, gethostname(start, name.count - 1) == 0 else { return "localhost" }
            return String(cString: start)
        }
    }
}
