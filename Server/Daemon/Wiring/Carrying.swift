import CausewayEndpoint
import CausewayEnvironment
import CausewayFeed
import CausewayModel
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import Logging
import ServiceLifecycle
import Synchronization

/// Runs the webhooks and the sinks of every database, and removes one-way objects that all sinks have.
struct Carrying: Service {
    let tenants: Tenants
    let clock: any WallClock
    let logger: Logger

    private static let sweepSeconds = 60

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for tenant in tenants.all where !Task.isCancelled { await sweep(tenant) }
                try? await Task.sleep(for: .seconds(Self.sweepSeconds))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for tenant in tenants.all { group.addTask { await tenant.carrying?.end() } }
        }
    }

    private func sweep(_ tenant: Tenant) async {
        guard let carriers = tenant.carrying, tenant.uses.begin() else { return }
        defer { tenant.uses.end() }
        do throws(StoreFailure) {
            try await carriers.sweep(at: clock.now())
        } catch {
            logger.error(
                "one-way objects that all sinks have could not be removed: \(error.message)",
                metadata: ["database": "\(tenant.name)"])
        }
    }
}

/// The webhooks and the sinks of one database.
final class Carriers: Sendable {
    /// What the configuration says of them.
    let settings: Configuration.Carriers
    private let carriers: [any Carrier]
    private let retention: Retention?
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// How long those that are at work at the end are waited for. What is broken off comes again.
    private static let endSeconds = 5

    init(_ settings: Configuration.Carriers, of tenant: Tenant, clock: any WallClock, logger: Logger)
        throws(StoreFailure)
    {
        if !settings.sinks.isEmpty { try tenant.store.keepOneWayOrder() }
        self.settings = settings
        let hooks = settings.webhooks.map { tenant.hook($0, clock, logger) }
        let sinks = settings.sinks.map { tenant.sink($0, clock, logger) }
        carriers = hooks as [any Carrier] + sinks
        retention =
            if let days = settings.oneWayDays, !sinks.isEmpty {
                Retention(tenant.store, sinks: sinks.map(\.state), milliseconds: UInt64(days) * 86_400_000)
            } else { nil }
    }

    /// For whoever watches the server.
    var states: [CarrierState] { carriers.map(\.state) }

    func start() {
        tasks.withLock { $0 = carriers.map { carrier in Task { await carrier.run() } } }
    }

    func sweep(at time: UInt64) async throws(StoreFailure) {
        try await retention?.sweep(at: time)
    }

    func end() async {
        let tasks = tasks.withLock { $0 }
        for task in tasks { task.cancel() }
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

/// The webhooks and sinks that a database has at the moment.
final class CarriersAtWork: Sendable {
    private let carriers = Mutex<Carriers?>(nil)

    /// Nil before there are any.
    var now: Carriers? { carriers.withLock { $0 } }

    /// - Returns: those before.
    func replace(by new: Carriers) -> Carriers? {
        carriers.withLock { carriers in
            defer { carriers = new }
            return carriers
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
        CarrierState(database: self.name, kind, name: name)
    }
}
