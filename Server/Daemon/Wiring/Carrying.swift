import CausewayEnvironment
import CausewayFeed
import CausewayModel
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Logging
import ServiceLifecycle

/// Runs the webhooks and the sinks of every database, and removes one-way objects that all sinks have.
struct Carrying: Service {
    private let carriers: [any Carrier]
    private let retentions: [(database: String, retention: Retention)]
    private let clock: any WallClock
    private let logger: Logger

    private static let sweepSeconds = 60
    /// How long those that are at work when the server ends are waited for. What is broken off comes again.
    private static let endSeconds = 5

    init(_ databases: [Configuration.Database], _ tenants: [Tenant], clock: any WallClock, logger: Logger) {
        self.clock = clock
        self.logger = logger
        var carriers: [any Carrier] = []
        var retentions: [(String, Retention)] = []
        for (database, tenant) in zip(databases, tenants) {
            let hooks = database.carriers.webhooks.map { tenant.hook($0, clock, logger) }
            let sinks = database.carriers.sinks.map { tenant.sink($0, clock, logger) }
            carriers += hooks as [any Carrier] + sinks
            if let days = database.carriers.oneWayDays, !sinks.isEmpty {
                let retention = Retention(
                    tenant.store, sinks: sinks.map(\.state), milliseconds: UInt64(days) * 86_400_000)
                retentions.append((tenant.name, retention))
            }
        }
        self.carriers = carriers
        self.retentions = retentions
    }

    func run() async throws {
        let tasks = carriers.map { carrier in Task { await carrier.run() } }
        let sweeping = Task { await sweep() }
        // Throws when the task is cancelled instead of ended gracefully: the end is the same.
        try? await gracefulShutdown()
        for task in tasks + [sweeping] { task.cancel() }
        await wait(for: tasks + [sweeping])
    }

    private func sweep() async {
        while !Task.isCancelled {
            for (database, retention) in retentions {
                do throws(StoreFailure) {
                    try await retention.sweep(at: clock.now())
                } catch {
                    logger.error(
                        "one-way objects that all sinks have could not be removed: \(error.message)",
                        metadata: ["database": "\(database)"])
                }
            }
            try? await Task.sleep(for: .seconds(Self.sweepSeconds))
        }
    }

    private func wait(for tasks: [Task<Void, Never>]) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        Task {
            for task in tasks { await task.value }
            end.finish()
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in ends {} }
            group.addTask { try? await Task.sleep(for: .seconds(Self.endSeconds)) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Configuration.Receiver {
    fileprivate var rules: WebhookSender.Rules {
        WebhookSender.Rules(url: url, secretFile: secretFile, trustRootsFile: trustRootsFile)
    }
}

extension Tenant {
    fileprivate func hook(_ webhook: Configuration.Webhook, _ clock: any WallClock, _ logger: Logger) -> FeedHook {
        let selection = FeedSelection(
            classes: webhook.classes, tellsBefore: webhook.tellsBefore, tellsAfter: webhook.tellsAfter)
        return FeedHook(
            FeedHook.Rules(
                name: webhook.name, selection: selection, eventsMax: webhook.batchEvents,
                bytesMax: webhook.batchKilobytes << 10),
            to: WebhookSender(webhook.receiver.rules, now: { clock.now() }), source: FeedSource(store), keeping: store,
            state: state(.webhook, webhook.name), random: SystemRandom(), logger: logger)
    }

    fileprivate func sink(_ settings: Configuration.OneWaySink, _ clock: any WallClock, _ logger: Logger) -> SinkCarrier
    {
        let sink: any Sink =
            switch settings.place {
            case .files(let folder, let megabytes, let minutes):
                LineSink(
                    LineSink.Rules(
                        folder: folder, rollBytes: megabytes << 20, rollMilliseconds: UInt64(minutes) * 60_000),
                    now: { clock.now() })
            case .postgresql(let file, let area):
                PostgreSQLSink(
                    PostgreSQLSink.Rules(name: "\(name)/\(settings.name)", area: area, connectionFile: file))
            case .webhook(let receiver):
                HookSink(
                    receiver.rules, database: name, name: settings.name, keeping: store, now: { clock.now() })
            }
        return SinkCarrier(
            sink, state: state(.sink, settings.name),
            reader: ArrivalReader(FeedSource(store), classes: settings.classes), keeping: store,
            bell: NewsBell { [store] in store.newestArrival }, random: SystemRandom(), logger: logger)
    }

    private func state(_ kind: CarrierState.Kind, _ name: String) -> CarrierState {
        guard let state = carriers.first(where: { $0.kind == kind && $0.name == name }) else {
            preconditionFailure("The database was opened without its \(kind.rawValue) “\(name)”.")
        }
        return state
    }
}
