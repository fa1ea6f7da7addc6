import CausewayFeed
import CausewayTelemetry
import Logging

/// Counts, logs and audits what happens to readers of changes.
struct FeedTelemetry: FeedObserver {
    private let telemetry: Telemetry
    /// By database.
    private let series: DatabaseSeries<Series>

    private struct Series: Sendable {
        let opened, events: CounterSeries

        init(_ registry: MetricRegistry, _ database: String) {
            opened = registry.counter(MetricCatalog.feedOpened, database)
            events = registry.counter(MetricCatalog.feedEvents, database)
            // A rate needs a first value.
            for ending in [FeedEnding.complete, .gone] {
                _ = registry.counter(MetricCatalog.feedEnded, database, ending.name)
            }
        }
    }

    init(databases: [String], telemetry: Telemetry) {
        self.telemetry = telemetry
        series = DatabaseSeries(of: databases, in: telemetry.registry, Series.init)
    }

    func watch(_ database: String) { series.watch(database) }

    func forget(_ database: String) { series.forget(database) }

    func observe(_ event: FeedEvent) {
        switch event {
        case .refused(let party, let failure): note(failure, party)
        case .opened(let party):
            series[party.database]?.opened.add()
            telemetry.events.note("reader of changes opened", from: party.address, metadata(party))
        case .told(let party, let events): series[party.database]?.events.add(events)
        case .ended(let party, let ending, let milliseconds):
            count(MetricCatalog.feedEnded, party, ending.name)
            telemetry.events.note(
                "reader of changes ended", from: party.address,
                metadata(party, ["reason": "\(ending.name)", "seconds": .number(milliseconds / 1_000)]))
        }
    }

    private func count(_ definition: MetricDefinition, _ party: FeedParty, _ label: String) {
        let database = series.label(party.database)
        telemetry.registry.counter(definition, database, label).add()
    }

    private func note(_ failure: FeedFailure, _ party: FeedParty) {
        let code = failure.code.name
        count(MetricCatalog.feedRefused, party, code)
        switch failure.code {
        case .tokenInvalid, .tokenExpired:
            telemetry.tokenRefused(
                code, failure.message, of: "changes", database: party.database, from: party.address)
        case .fault:
            telemetry.events.note(
                "a reader of changes failed", from: party.address, level: .error,
                metadata(party, ["code": "\(code)", "error": .text(failure.message)]))
        default:
            telemetry.events.note(
                "reader of changes refused", from: party.address, metadata(party, ["code": "\(code)"]))
        }
    }

    private func metadata(_ party: FeedParty, _ more: Logger.Metadata = [:]) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["database": .text(party.database)]
        if let user = party.user { metadata["user"] = .text(user) }
        return metadata.merging(more) { $1 }
    }
}
