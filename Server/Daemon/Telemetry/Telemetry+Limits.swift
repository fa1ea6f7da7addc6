import CausewayLimits
import CausewayTelemetry
import Logging

extension Telemetry {
    /// Counts and logs whoever meets a limit.
    ///
    /// - Parameter database: empty for limits of the whole server.
    func reached(in database: String = "") -> @Sendable (LimitReached) -> Void {
        // Each is there from the start: a rate needs a first value.
        for limit in Limit.allCases where limit.isOfServer == database.isEmpty {
            _ = registry.counter(MetricCatalog.limitReached, database, limit.rawValue)
        }
        return { [self] reached in
            registry.counter(MetricCatalog.limitReached, database, reached.limit.rawValue).add()
            var metadata: Logger.Metadata = [
                "limit": "\(reached.limit.rawValue)", "value": .number(reached.value), "database": .text(database),
                "waitMilliseconds": .number(reached.waitMilliseconds),
            ]
            if !reached.subject.isEmpty { metadata[reached.limit.scope.rawValue] = .text(reached.subject) }
            events.note("limit reached", from: reached.address, metadata)
        }
    }
}
