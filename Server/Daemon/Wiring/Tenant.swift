import CausewayEndpoint
import CausewayEnvironment
import CausewayFeed
import CausewayIngest
import CausewaySession
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import CausewayWire
import Foundation
import Logging

/// One database, open and ready for sessions. Tenants share nothing but the process.
final class Tenant: Sendable {
    let name: String
    let folder: String
    /// What has begun with it. It closes when that is over.
    let uses = WorkCount()
    let conversations: Conversations
    /// What it is at, for metrics.
    let gauges: DatabaseGauges
    let store: StoreEmbedded
    /// The database, as the change feed and what carries it on read it.
    let feed: FeedSource
    /// How its webhooks and sinks are doing.
    let carriers: [CarrierState]
    private let lock: FolderLock
    private let clock: any WallClock
    private let maintenance = StoreThread(label: "causeway.maintenance")

    init(
        _ database: Configuration.Database, limits: Configuration.Limits, clock: any WallClock,
        random: any RandomSource,
        logger: Logger, observer: any SessionObserver = NoSessionObserver()
    ) throws(CommandFailure) {
        (name, folder) = (database.name, database.folder)
        self.clock = clock
        lock = try FolderLock(database.folder)
        do throws(StoreFailure) {
            store = try StoreEmbedded.open(
                folder: database.folder,
                options: StoreEmbedded.Options(
                    historyVersionsMax: UInt64(limits.historyVersions),
                    historyBytesMax: UInt64(limits.historyMegabytes) << 20,
                    historyAgeMaxMilliseconds: UInt64(limits.historyDays) * 86_400_000,
                    refusalsMax: limits.refusals, schemaBounds: limits.schemaBounds,
                    clientDaysMax: UInt64(limits.clientDays)
                ),
                epochSeed: random.nextNonZero()
            )
            if !database.carriers.sinks.isEmpty { try store.keepOneWayOrder() }
        } catch {
            throw CommandFailure("The database '\(database.name)' could not be opened: \(error.message)")
        }
        feed = FeedSource(store)
        conversations = Conversations(
            backend: store, intake: Intake(store), limits: limits.session,
            bounds: SessionBounds(
                sessions: limits.sessions, sessionsOfUser: limits.sessionsOfUser, beginnings: limits.beginnings,
                queryBytesOfUser: limits.queryMegabytesOfUser << 20),
            cores: ProcessInfo.processInfo.activeProcessorCount,
            lookChecks: Self.lookChecks(limits.looksCheckedPercent, database.name, logger), observer: observer,
            now: { clock.now() }
        )
        carriers =
            database.carriers.webhooks.map { CarrierState(database: database.name, .webhook, name: $0.name) }
            + database.carriers.sinks.map { CarrierState(database: database.name, .sink, name: $0.name) }
        gauges = DatabaseGauges(
            name: database.name, conversations: conversations, store: store,
            followers: FollowerGauges(
                database: database.name, feed: feed, carriers: carriers, now: { clock.now() }),
            now: { clock.now() })
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
        let (store, clock) = (store, clock)
        while !Task.isCancelled {
            let hasMore = try await maintenance.result { () throws(StoreFailure) in try store.maintain(at: clock.now())
            }
            .get()
            if !hasMore { return }
        }
    }

    /// Call when no request runs any more.
    func close() {
        store.close()
    }
}

extension Configuration.Limits {
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
