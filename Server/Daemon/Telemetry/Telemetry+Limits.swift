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
            events.note(
                "limit reached", from: reached.address,
                [
                    "limit": "\(reached.limit.rawValue)", "value": .number(reached.value),
                    "\(reached.limit.scope.rawValue)": .text(
                        reached.limit.scope == .database ? database : reached.subject),
                    "database": .text(database), "waitMilliseconds": .number(reached.waitMilliseconds),
                ])
        }
    }
}
