import CausewayFeed
import CausewayModel
import CausewaySinks
import CausewayStore
import CausewayTelemetry

/// How far behind those are who follow a database: readers of changes, webhooks and sinks. Read at a scrape.
struct FollowerGauges: Sendable {
    let database: String
    let feed: FeedSource
    /// Its webhooks and sinks at the moment.
    let carriers: @Sendable () -> [CarrierState]
    /// Milliseconds since 1970.
    let now: @Sendable () -> UInt64

    /// Objects that are counted of what a sink lacks.
    static let objectsCountedMax = 10_000

    func read() throws(StoreFailure) -> [MetricSample] {
        let snapshot = try feed.backend.snapshot()
        var samples = try readers(snapshot)
        for carrier in carriers() { samples += try self.samples(of: carrier, carrier.now, snapshot) }
        return samples
    }

    private func readers(_ snapshot: any StoreSnapshot) throws(StoreFailure) -> [MetricSample] {
        // Some may have read what came after the snapshot was taken.
        let slowest = min(feed.slowestPosition ?? snapshot.version, snapshot.version)
        return [
            MetricSample(MetricCatalog.feedReaders, database, is: Double(feed.readerCount)),
            MetricSample(
                MetricCatalog.feedLagVersions, database, is: Double(snapshot.version.rawValue - slowest.rawValue)),
            MetricSample(MetricCatalog.feedLagSeconds, database, is: try seconds(behind: slowest, snapshot)),
        ]
    }

    private func samples(
        of carrier: CarrierState, _ state: CarrierState.Snapshot, _ snapshot: any StoreSnapshot
    ) throws(StoreFailure) -> [MetricSample] {
        func sample(_ definition: MetricDefinition, _ number: Double) -> MetricSample {
            MetricSample(definition, database, carrier.kind.rawValue, carrier.name, is: number)
        }
        var samples = [
            sample(MetricCatalog.carrierFailing, state.failure == nil ? 0 : 1),
            sample(MetricCatalog.carrierFailures, Double(state.failures)),
            sample(MetricCatalog.carrierRetries, Double(state.retries)),
            sample(MetricCatalog.carrierTaken, Double(state.taken)),
        ]
        if let success = state.lastSuccess {
            samples.append(
                sample(MetricCatalog.carrierSuccessAge, (ContinuousClock.now - success) / .seconds(1)))
        }
        // Where the place could not be asked yet, nobody knows what it has.
        guard state.isOpened else { return samples }
        let (count, seconds) = try lag(of: carrier.kind, at: state.position, snapshot)
        return samples + [
            sample(MetricCatalog.carrierBehind, Double(count)), sample(MetricCatalog.carrierLagSeconds, seconds),
        ]
    }

    /// What a carrier lacks, and how long the first of it has been there.
    private func lag(
        of kind: CarrierState.Kind, at position: UInt64, _ snapshot: any StoreSnapshot
    ) throws(StoreFailure) -> (count: UInt64, seconds: Double) {
        switch kind {
        case .webhook:
            let version = min(ServerVersion(position), snapshot.version)
            return (snapshot.version.rawValue - version.rawValue, try seconds(behind: version, snapshot))
        case .sink:
            let waiting = try snapshot.arrivals(after: position, countMax: Self.objectsCountedMax)
            // Those that came before the order was kept have no time.
            let time = waiting.first { $0.time > 0 }?.time
            return (UInt64(waiting.count), time.map(seconds(since:)) ?? 0)
        }
    }

    /// How long ago the first version was received that comes behind one; 0 when there is none.
    private func seconds(behind version: ServerVersion, _ snapshot: any StoreSnapshot) throws(StoreFailure) -> Double {
        guard version < snapshot.version else { return 0 }
        // What the history does not have any more is older than what it has.
        let first = max(version, snapshot.historyStart).rawValue + 1
        guard let record = try snapshot.record(of: ServerVersion(first)), record.time > 0 else { return 0 }
        return seconds(since: record.time)
    }

    private func seconds(since time: UInt64) -> Double {
        let now = now()
        return Double(now - min(time, now)) / 1_000
    }
}
