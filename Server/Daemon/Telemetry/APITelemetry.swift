import CausewayDataAPI
import CausewayTelemetry
import Logging

/// Counts, logs and audits what happens at the data API.
struct APITelemetry: APIObserver {
    private let telemetry: Telemetry
    /// By database.
    private let series: DatabaseSeries<Series>

    /// What is counted often, looked up once.
    private struct Series: Sendable {
        var answered: [APICall.Name: CounterSeries] = [:]
        var seconds: [APICall.Name: HistogramSeries] = [:]
        let objectsRead: CounterSeries

        init(_ registry: MetricRegistry, _ database: String) {
            objectsRead = registry.counter(MetricCatalog.apiObjectsRead, database)
            for call in APICall.Name.allCases where call != .openapi {
                answered[call] = registry.counter(MetricCatalog.apiRequests, database, call.rawValue, "ok")
                seconds[call] = registry.histogram(MetricCatalog.apiSeconds, database, call.rawValue)
            }
        }
    }

    init(databases: [String], telemetry: Telemetry) {
        self.telemetry = telemetry
        series = DatabaseSeries(of: databases, in: telemetry.registry, Series.init)
    }

    func watch(_ database: String) { series.watch(database) }

    func forget(_ database: String) { series.forget(database) }

    func observe(_ event: APIEvent) {
        switch event {
        case .refused(let facts): if let failure = facts.failure { note(failure, facts) }
        case .answered(let facts, let nanoseconds):
            let known = series[facts.database]
            if let call = facts.call { known?.seconds[call]?.observe(nanoseconds: nanoseconds) }
            known?.objectsRead.add(facts.objectsRead)
            if let failure = facts.failure {
                note(failure, facts)
            } else if let call = facts.call {
                known?.answered[call]?.add()
            }
        }
    }

    // MARK: - What fails

    private func note(_ failure: APIError, _ facts: APIFacts) {
        let call = facts.call?.rawValue ?? "unknown"
        let database = series.label(facts.database)
        telemetry.registry.counter(MetricCatalog.apiRequests, database, call, failure.code.rawValue).add()
        switch failure.code {
        case .tokenInvalid, .tokenExpired:
            telemetry.tokenRefused(
                failure.code.rawValue, failure.message, of: call, database: facts.database, from: facts.address)
        case .serverOutOfSpace:
            // A user at a limit, which the line "limit reached" says too, or a full disk.
            telemetry.events.note(
                "a back end's write waits for room", from: facts.address, level: .warning, metadata(facts, failure))
        case .serverFault:
            // What the client cannot help is the operator's to know. The message is the store's, and holds no values.
            telemetry.events.note(
                "a request of a back end failed", from: facts.address, level: .error,
                metadata(facts, failure, ["error": .text(failure.message)]))
        default:
            // Messages may hold primary keys.
            telemetry.events.note("request of a back end refused", from: facts.address, metadata(facts, failure))
        }
        for denied in failure.denied { note(denied, facts) }
    }

    private func note(_ denied: DeniedWrites, _ facts: APIFacts) {
        let code = APIError.Code.permissionDenied.rawValue
        telemetry.registry.counter(MetricCatalog.operationsRefused, facts.database, code).add(denied.count)
        telemetry.operationsDenied(
            denied.count, of: denied.className, database: facts.database, user: facts.user, from: facts.address,
            code: code)
    }

    private func metadata(
        _ facts: APIFacts, _ failure: APIError, _ more: Logger.Metadata = [:]
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "database": .text(facts.database), "call": "\(facts.call?.rawValue ?? "unknown")",
            "code": "\(failure.code.rawValue)",
        ]
        if let user = facts.user { metadata["user"] = .text(user) }
        if !failure.denied.isEmpty {
            metadata["classes"] = .text(failure.denied.map(\.className).joined(separator: ","))
        }
        return metadata.merging(more) { $1 }
    }
}
