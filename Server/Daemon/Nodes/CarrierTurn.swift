import CausewayEndpoint
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import CausewaySession
import CausewayStore
import CausewayStoreReplicated
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Which node has the webhooks and sinks of a database at work: the one that holds the lease for it.
final class CarrierTurn: Sendable {
    private let lease: NodeLease
    private let thread = StoreThread(label: "causeway.lease")
    private let isAsking = Atomic(false)
    private let isLooking = Atomic(false)
    private let trouble = Mutex<String?>(nil)

    init(of database: String, _ settings: @escaping PostgreSQLSettings) {
        lease = NodeLease(of: database, for: "carry", holder: NodePresence.id, settings)
    }

    /// Whether it is this node's, as far as is known without asking.
    var isHere: Bool { lease.isHeld }

    /// Asks for it, and does not wait for the answer.
    func ask(_ logger: Logger) {
        guard !isAsking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        thread.start { [self] in
            // While the journal is away, the turn ends with the time of its lease.
            do throws(JournalFailure) {
                _ = try lease.renew()
                trouble.withLock { $0 = nil }
            } catch {
                if trouble.withLock({ trouble in
                    defer { trouble = error.message }; return trouble != error.message
                }) {
                    logger.error("whose turn it is to carry on cannot be asked: \(error.message)")
                }
            }
            isAsking.store(false, ordering: .releasing)
        }
    }

    /// Runs `body` unless it runs already.
    func look(_ body: @escaping @Sendable () async -> Void) {
        guard !isLooking.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task {
            await body()
            isLooking.store(false, ordering: .releasing)
        }
    }

    /// Waits until nobody looks any more.
    func settle() async {
        while isLooking.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(20)) }
    }

    /// Lets another node have it.
    func release() async {
        await thread.runFreely { [lease] in try? lease.release() }
    }
}

/// Has the webhooks and sinks of databases at work on one node at a time. Another one goes on after the lease of a node that is gone:
/// the positions are in the journal.
struct NodeCarrying: Service {
    let tenants: Tenants
    let logger: Logger

    private static let lookMilliseconds = 1_000

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // Nobody's turn ends late because another database is slow.
                for tenant in tenants.all { tenant.node?.turn.look { await look(after: tenant) } }
                try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
            }
        }
        for tenant in tenants.all {
            guard let turn = tenant.node?.turn else { continue }
            // One that began before the end may still put them to work.
            await turn.settle()
            guard turn.isHere else { continue }
            await tenant.stopCarrying()
            await turn.release()
        }
    }

    private func look(after tenant: Tenant) async {
        guard let node = tenant.node, tenant.uses.begin() else { return }
        defer { tenant.uses.end() }
        let isWanted = tenant.carrierSettings != Configuration.Carriers()
        if isWanted, node.record.end == nil { node.turn.ask(logger) }
        guard isWanted, node.turn.isHere else {
            if await tenant.stopCarrying() { note("another node has the webhooks and sinks at work", tenant) }
            return
        }
        guard tenant.carrying == nil else { return }
        do throws(StoreFailure) {
            let hasBegun = try await tenant.following.result { () throws(StoreFailure) in
                // Where the last one stood is in the journal.
                try node.record.catchUp()
                return try tenant.beginCarrying()
            }.get()
            if hasBegun { note("this node has the webhooks and sinks at work", tenant) }
        } catch {
            logger.error(
                "webhooks and sinks cannot begin: \(error.message)", metadata: ["database": "\(tenant.name)"])
        }
    }

    private func note(_ words: String, _ tenant: Tenant) {
        logger.notice("\(words)", metadata: ["database": "\(tenant.name)"])
    }
}
