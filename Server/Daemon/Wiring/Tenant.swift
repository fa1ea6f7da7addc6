import CausewayBrowsing
import CausewayDataAPI
import CausewayEndpoint
import CausewayEnvironment
import CausewayFeed
import CausewayIdentity
import CausewayIngest
import CausewayLimits
import CausewaySession
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
import CausewayWire
import Foundation
import Logging
import Synchronization

/// One database, open and ready for sessions. Tenants share nothing but the process.
final class Tenant: Sendable {
    let name: String
    let folder: String
    /// What has begun with it. It closes when that is over.
    let uses = WorkCount()
    let conversations: Conversations
    /// What it is at, for metrics.
    let gauges: DatabaseGauges
    /// What is read. Where the server is one of several nodes, it is the replica.
    let store: StoreEmbedded
    /// Nil where the database is a file of this server alone.
    let node: ServedNode?
    /// What operators change.
    var record: any OperatorRecord { node?.record ?? store }
    /// Where the replica follows the journal.
    let following = StoreThread(label: "causeway.following")
    let isFollowDue = Atomic(false)
    /// Whether its sessions are being ended for an entry that needs nobody to be there.
    let isApplyingAlone = Atomic(false)
    /// The database, as the change feed and what carries it on read it.
    let feed: FeedSource
    /// The database, as the data API calls it.
    let api: APIDatabase
    /// What administrators have searched for in it.
    let searches = Searches()
    /// Where their searches take turns, so that no device and no back end waits for one.
    let browsing = StoreThread(label: "causeway.browsing")
    let office: PermissionOffice
    /// Nil where the server keeps no accounts.
    let accounts: Accounts?
    let shutOuts: ShutOuts
    /// What carries its changes and its one-way objects on; nil before it is told to.
    private let carriers = CarriersAtWork()
    private let lock: Mutex<FolderLock?>
    private let clock: any WallClock
    private let maintenance = StoreThread(label: "causeway.maintenance")
    private let verified = Mutex<VerifyWork.Outcome?>(nil)

    /// - Parameters:
    ///   - lock: of the database's folder.
    ///   - store: in that folder. It is the caller's to close when this throws.
    init(
        _ database: Configuration.Database, _ lock: consuming FolderLock, _ store: StoreEmbedded,
        _ node: ServedNode? = nil, limits: Configuration.Limits, rates: RateGate, accounts: Accounts?,
        clock: any WallClock,
        logger: Logger,
        observer: any SessionObserver = NoSessionObserver()
    ) throws(CommandFailure) {
        (name, folder) = (database.name, database.folder)
        self.clock = clock
        self.lock = Mutex(lock)
        self.accounts = accounts
        office = PermissionOffice(database.permissions)
        shutOuts = try ShutOuts(folder: database.folder, node)
        self.store = store
        self.node = node
        let record: any StoreBackend = node?.record ?? store
        do throws(StoreFailure) {
            if node == nil, !database.carriers.sinks.isEmpty { try store.keepOneWayOrder() }
        } catch {
            throw CommandFailure("The database '\(database.name)' could not be opened: \(error.message)")
        }
        conversations = Conversations(
            backend: record, intake: Intake(record), limits: limits.session,
            bounds: limits.sessionBounds,
            cores: ProcessInfo.processInfo.activeProcessorCount,
            lookChecks: Self.lookChecks(limits.looksCheckedPercent, database.name, logger),
            rates: rates, observer: observer,
            now: { clock.now() }
        )
        feed = FeedSource(store, opening: conversations.opening)
        api = APIDatabase(conversations)
        gauges = DatabaseGauges(
            name: database.name, folder: database.folder, conversations: conversations, store: store,
            followers: FollowerGauges(
                database: database.name, feed: feed, carriers: { [carriers] in carriers.now?.states ?? [] },
                now: { clock.now() }),
            node: node, now: { clock.now() })
    }

    private static func lookChecks(_ percent: Int, _ name: String, _ logger: Logger) -> LookChecks {
        guard percent > 0 else { return .none }
        return LookChecks {
            Int.random(in: 0..<100) < percent
        } report: { deviation in
            logger.error(
                "a commit concerned a session that was to sleep: \(deviation)", metadata: ["database": "\(name)"])
        }
    }

    /// Removes history that is too old, part by part, so that commits come in between.
    func maintain() async throws(StoreFailure) {
        let (record, clock) = (record, clock)
        while !Task.isCancelled {
            let hasMore = try await maintenance.result { () throws(StoreFailure) in
                try record.maintain(at: clock.now())
            }
            .get()
            if !hasMore { return }
        }
    }

    /// How its last verification ended; nil before the first.
    var lastVerification: VerifyWork.Outcome? {
        get { verified.withLock { $0 } }
        set { verified.withLock { $0 = newValue } }
    }

    /// Long work for an administrator, which nobody else waits for.
    func atLeisure<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        try await maintenance.result(body).get()
    }

    /// Other limits count from the next session, upload and maintenance on.
    func take(_ limits: Configuration.Limits) {
        conversations.take(limits.session, limits.sessionBounds)
        store.take(limits.store)
        conversations.rates.replace(by: limits.rates)
    }

    // MARK: - Carrying

    /// The webhooks and sinks that are at work; nil before there are any, and while another node has them at work.
    var carrying: Carriers? { carriers.now }

    /// What the configuration says of webhooks and sinks.
    var carrierSettings: Configuration.Carriers { carriers.settings }

    /// Has other webhooks and sinks at work from now on; on a node, when it is its turn.
    func carry(
        _ settings: Configuration.Carriers, _ make: @escaping @Sendable () throws(StoreFailure) -> Carriers
    ) async throws(StoreFailure) {
        // Two that write to one place would write the same things twice.
        await carriers.replace(by: settings, make)?.end()
        if node == nil { try carriers.begin() }
    }

    /// Has them at work, unless they are.
    ///
    /// - Returns: whether they were not.
    func beginCarrying() throws(StoreFailure) -> Bool { try carriers.begin() }

    /// - Returns: whether any were at work.
    @discardableResult
    func stopCarrying() async -> Bool { await carriers.end() }

    // MARK: - The end

    /// Closes the database while the server goes on. Call it when it is not in the list any more: nothing new begins. What
    /// has begun is finished, devices and readers of changes are told, and then it closes. Nothing of it is deleted.
    ///
    /// - Parameter failure: what devices are told.
    func drop(_ logger: Logger, telling failure: SyncFailure = .dropped) async {
        uses.close()
        await conversations.end(failure)
        feed.end(FeedFailure(failure))
        await stopCarrying()
        while !(await uses.idle(within: Self.dropPatience)) {
            logger.error("requests still use a database that is dropped", metadata: ["database": "\(name)"])
        }
        // Those that somebody was about to begin.
        await stopCarrying()
        await accounts?.settled()
        accounts?.close()
        close()
    }

    private static let dropPatience = Duration.seconds(30)

    /// Call when no request runs any more.
    func close() {
        store.close()
        // Others may serve it now.
        lock.withLock { $0 = nil }
    }
}

extension Configuration.Limits {
    var store: StoreEmbedded.Options {
        StoreEmbedded.Options(
            historyVersionsMax: UInt64(historyVersions), historyBytesMax: UInt64(historyMegabytes) << 20,
            historyAgeMaxMilliseconds: UInt64(historyDays) * 86_400_000, refusalsMax: refusals,
            schemaBounds: schemaBounds, clientDaysMax: UInt64(clientDays),
            storageBytesMax: UInt64(storageMegabytes) << 20, objectsOfUserMax: objectsOfUser)
    }

    var sessionBounds: SessionBounds {
        SessionBounds(
            sessions: sessions, sessionsOfUser: sessionsOfUser, beginnings: beginnings,
            queryBytesOfUser: queryMegabytesOfUser << 20)
    }

    var session: SessionLimits {
        SessionLimits(
            frameBytes: UInt64(frameMegabytes) << 20, creditBytes: UInt64(creditKilobytes) << 10,
            heartbeatMilliseconds: UInt64(heartbeatSeconds) * 1_000, operations: UInt64(operations),
            refusals: UInt64(refusals), queryTerms: UInt64(queryTerms), schemaClasses: UInt64(schemaClasses),
            schemaProperties: UInt64(schemaProperties), schemaClassesOfUser: UInt64(schemaClassesOfUser),
            schemaPropertiesOfUser: UInt64(schemaPropertiesOfUser)
        )
    }

    fileprivate var schemaBounds: SchemaBounds {
        SchemaBounds(
            classes: schemaClasses, properties: schemaProperties, classesOfUser: schemaClassesOfUser,
            propertiesOfUser: schemaPropertiesOfUser)
    }
}
