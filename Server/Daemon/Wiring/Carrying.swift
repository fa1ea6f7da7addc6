import CausewayEndpoint
import CausewayEnvironment
import CausewayFeed
import CausewayModel
import CausewaySinks
import CausewayStore
import CausewayStoreEmbedded
import CausewayStoreReplicated
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
            for tenant in tenants.all { group.addTask { await tenant.stopCarrying() } }
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
    private let carriers: [any Carrier]
    private let retention: Retention?
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// How long those that are at work at the end are waited for. What is broken off comes again.
    private static let endSeconds = 5

    init(_ settings: Configuration.Carriers, of tenant: Tenant, clock: any WallClock, logger: Logger)
        throws(StoreFailure)
    {
        if !settings.sinks.isEmpty { try tenant.keeping.keepOneWayOrder() }
        let hooks = settings.webhooks.map { tenant.hook($0, clock, logger) }
        let sinks = settings.sinks.map { tenant.sink($0, clock, logger) }
        carriers = hooks as [any Carrier] + sinks
        retention =
            if let days = settings.oneWayDays, !sinks.isEmpty {
                Retention(tenant.keeping, sinks: sinks.map(\.state), milliseconds: UInt64(days) * 86_400_000)
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

/// The webhooks and sinks that a database has by its configuration, and those that are at work.
final class CarriersAtWork: Sendable {
    private struct State {
        var settings = Configuration.Carriers()
        var make: (@Sendable () throws(StoreFailure) -> Carriers)?
        var now: Carriers?
        /// How often others were taken.
        var number = 0
    }

    private let state = Mutex(State())

    /// Nil before there are any, and while another node has them at work.
    var now: Carriers? { state.withLock { $0.now } }

    var settings: Configuration.Carriers { state.withLock { $0.settings } }

    /// Takes others. They are at work after `begin`.
    ///
    /// - Returns: those that were at work before.
    func replace(
        by settings: Configuration.Carriers, _ make: @escaping @Sendable () throws(StoreFailure) -> Carriers
    ) -> Carriers? {
        state.withLock { state in
            defer { state = State(settings: settings, make: make, number: state.number + 1) }
            return state.now
        }
    }

    /// Has them at work, unless they are.
    ///
    /// - Returns: whether they were not.
    @discardableResult
    func begin() throws(StoreFailure) -> Bool {
        let (wanted, number) = state.withLock { ($0.now == nil ? $0.make : nil, $0.number) }
        guard let wanted else { return false }
        let carriers = try wanted()
        // Others may have been taken meanwhile.
        let isCurrent = state.withLock { state in
            guard state.number == number, state.now == nil else { return false }
            state.now = carriers
            return true
        }
        if isCurrent { carriers.start() }
        return isCurrent
    }

    /// Ends those that are at work. They can begin again.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    func end() async -> Bool {
        let carriers = state.withLock { state in
            defer { state.now = nil }
            return state.now
        }
        await carriers?.end()
        return carriers != nil
    }
}

extension Configuration.Receiver {
    fileprivate var rules: WebhookSender.Rules {
        WebhookSender.Rules(url: url, secretFile: secretFile, trustRootsFile: trustRootsFile)
    }
}

extension Tenant {
    /// Where carriers keep how far they are: of a node, in the journal.
    fileprivate var keeping: any OneWayKeeping {
        if let node { CarrierKeeping(record: node.record, turn: node.turn) } else { store }
    }

    fileprivate func hook(_ webhook: Configuration.Webhook, _ clock: any WallClock, _ logger: Logger) -> FeedHook {
        let selection = FeedSelection(
            classes: webhook.classes, tellsBefore: webhook.tellsBefore, tellsAfter: webhook.tellsAfter)
        return FeedHook(
            FeedHook.Rules(
                name: webhook.name, selection: selection, eventsMax: webhook.batchEvents,
                bytesMax: webhook.batchKilobytes << 10),
            to: WebhookSender(webhook.receiver.rules, now: { clock.now() }), source: FeedSource(store),
            keeping: keeping,
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
                    receiver.rules, database: name, name: settings.name, keeping: keeping, now: { clock.now() })
            }
        return SinkCarrier(
            sink, state: state(.sink, settings.name),
            reader: ArrivalReader(FeedSource(store), classes: settings.classes), keeping: keeping,
            bell: NewsBell { [store] in store.newestArrival }, random: SystemRandom(), logger: logger)
    }

    private func state(_ kind: CarrierState.Kind, _ name: String) -> CarrierState {
        CarrierState(database: self.name, kind, name: name)
    }
}
