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
import Synchronization

/// Says in PostgreSQL that this node is here and where it is, so that operators see all nodes from each of them.
final class NodePresence: Service, Sendable {
    /// Names this process among all nodes.
    static let id = UUID().uuidString

    /// What is known of all nodes.
    struct Sight: Sendable {
        var nodes: [NodeRegister.Known]
        var taken: ContinuousClock.Instant
    }

    private let register: NodeRegister
    /// For what callers ask: what a node says of itself does not wait for them.
    private let inquiries: NodeRegister
    private let place: String
    private let tenants: Tenants
    private let logger: Logger
    private let began = ContinuousClock.now
    private let (speaking, asking) = (StoreThread(label: "causeway.presence"), StoreThread(label: "causeway.nodes"))
    private let sight = Mutex<Result<Sight, JournalFailure>?>(nil)

    private static let saySeconds = 5

    init(_ configuration: Configuration, _ journal: Configuration.Journal, _ tenants: Tenants, _ logger: Logger) {
        register = NodeRegister(journal.settings)
        inquiries = NodeRegister(journal.settings)
        place = "\(Self.hostName):\(configuration.listen.port)"
        (self.tenants, self.logger) = (tenants, logger)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                let before = trouble
                await speaking.runFreely { [self] in say() }
                if let trouble, trouble != before {
                    logger.warning("other nodes cannot be told that this one is here: \(trouble)")
                }
                try? await Task.sleep(for: .seconds(Self.saySeconds))
            }
        }
        // Devices are told of the end after this: PostgreSQL is not waited for where it did not answer.
        guard trouble == nil else { return }
        await speaking.runFreely { [register] in try? register.leave(Self.id) }
    }

    /// Why PostgreSQL was not told that this node is here when it was tried last.
    private var trouble: String? {
        if case .failure(let failure)? = lastSight { failure.message } else { nil }
    }

    /// Says where this node is, and looks who else is here.
    private func say() {
        var databases: [String: NodeRegister.Standing] = [:]
        for outage in tenants.outages { databases[outage.name] = .notOpen }
        for tenant in tenants.all {
            guard let node = tenant.node else { continue }
            databases[tenant.name] = node.record.end == nil ? .at(node.record.position) : .notOpen
        }
        let seen = Result { () throws(JournalFailure) in
            try register.say(
                NodeRegister.Saying(
                    node: Self.id, place: place, program: Release.version, generation: JournalGeneration.newest,
                    upSeconds: (ContinuousClock.now - began).components.seconds, databases: databases))
            return Sight(nodes: try register.nodes(), taken: .now)
        }
        sight.withLock { $0 = seen }
    }

    /// All nodes, as they were seen a few seconds ago; nil before that. Asks nobody, so any number of callers may ask.
    var lastSight: Result<Sight, JournalFailure>? { sight.withLock { $0 } }

    /// The nodes of a database that are here now and do not know a generation.
    func nodes(of database: String, before generation: UInt64) async -> Result<[NodeRegister.Known], JournalFailure> {
        await asking.runFreely { [inquiries] in
            Result { () throws(JournalFailure) in try inquiries.nodes(of: database, before: generation) }
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
