import CausewayEndpoint
import CausewayJournal
import CausewayJournalPostgreSQL
import CausewaySession
import CausewayModel
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Has the databases of a node follow their journals while nobody writes here: when PostgreSQL says that something was appended,
/// and each second in any case. Databases whose replica has ended, or that could not be opened, are opened anew.
struct NodeFollowing: Service {
    let journal: Configuration.Journal
    let tenants: Tenants
    let reloads: ReloadDesk
    let logger: Logger

    /// The longest time in which something that was appended is not seen, also where no notification comes.
    private static let pollSeconds = 1.0
    /// How often databases that are not served are tried again.
    private static let openingSeconds = 5.0

    func run() async throws {
        let (state, ended) = (State(), AsyncStream.makeStream(of: Void.self))
        Thread.detachNewThread {
            follow(until: state)
            ended.continuation.finish()
        }
        try? await gracefulShutdown()
        state.isEnding.store(true, ordering: .relaxed)
        for await _ in ended.stream {}
        for tenant in tenants.all { await tenant.following.runFreely {} }
    }

    private final class State: Sendable {
        let isEnding = Atomic(false)
        /// Databases that are about to be opened anew: each is asked for once at a time.
        let renewed = Mutex<Set<String>>([])
    }

    private func renew(_ name: String, _ state: State) {
        guard state.renewed.withLock({ $0.insert(name).inserted }) else { return }
        reloads.tell(.changed(.renew(name: name), { _ in _ = state.renewed.withLock { $0.remove(name) } }))
    }

    private func follow(until state: State) {
        let listener = JournalListener(journal.settings)
        var (polled, opened) = (Date.distantPast, Date.now)
        while !state.isEnding.load(ordering: .relaxed) {
            var news: [JournalListener.News]?
            do throws(JournalFailure) {
                news = try listener.next(within: 200)
            } catch {
                // Where nobody listens, it answers at once.
                usleep(200_000)
            }
            let now = Date.now
            let isPollDue = now.timeIntervalSince(polled) >= Self.pollSeconds
            for tenant in tenants.all where isPollDue || tenant.isBehind(news ?? []) { tenant.follow(logger) }
            if isPollDue { polled = now }
            // One that somebody has to look at cannot be opened, and is an outage from then on.
            for tenant in tenants.all where tenant.node?.record.end != nil { renew(tenant.name, state) }
            // Reloads wait for those that are being opened, so nothing is tried while PostgreSQL is away.
            guard news != nil, now.timeIntervalSince(opened) >= Self.openingSeconds else { continue }
            opened = now
            for outage in tenants.outages { renew(outage.name, state) }
        }
    }
}

extension Tenant {
    /// Whether journals have something that its replica has not.
    func isBehind(_ news: [JournalListener.News]) -> Bool {
        guard let node else { return false }
        return news.contains { $0.database == node.record.epoch && $0.position > node.record.position }
    }

    /// Brings the replica up to the journal's head, and has somebody look whom that concerns. Does not wait for it.
    func follow(_ logger: Logger) {
        guard let node, !isFollowDue.exchange(true, ordering: .acquiringAndReleasing) else { return }
        following.start { [self] in
            isFollowDue.store(false, ordering: .sequentiallyConsistent)
            guard uses.begin() else { return }
            defer { uses.end() }
            var logger = logger
            logger[metadataKey: "database"] = "\(name)"
            if node.follow(logger) { conversations.recordMoved() }
            take(node.record.takeActs(), logger)
            if node.record.isWaitingToBeAlone { applyAlone(node, logger) }
        }
    }

    /// Has this node do what operators did on any.
    private func take(_ acts: [OperatorAct], _ logger: Logger) {
        var isListChanged = false
        for act in acts {
            switch act {
            // Its devices were told before.
            case .drop, .convert: break
            case .forget(let client):
                conversations.forget(client)
                _ = conversations.end(.endedByOperator) { $0.client == client }
            case .shutOut, .letIn: isListChanged = true
            }
        }
        guard isListChanged else { return }
        do {
            try shutOuts.refresh()
        } catch {
            logger.error("those who are shut out cannot be read: \(error)")
        }
        endSessionsShutOut()
    }

    /// Applies what needs that no session is open. One that cannot be ended in time puts it off until the journal is followed
    /// again.
    private func applyAlone(_ node: ServedNode, _ logger: Logger) {
        guard !isApplyingAlone.exchange(true, ordering: .acquiringAndReleasing) else { return }
        guard uses.begin() else { return isApplyingAlone.store(false, ordering: .releasing) }
        Task { [self] in
            defer {
                uses.end()
                isApplyingAlone.store(false, ordering: .releasing)
            }
            do throws(StoreFailure) {
                try await conversations.alone(because: SchemaSubject.reason) { () throws(StoreFailure) in
                    try node.record.catchUpAlone()
                }
                logger.notice("the schema is what an operator made of it on another node")
            } catch {
                logger.error("an operator's change of the schema is not applied yet: \(error.message)")
            }
        }
    }
}
