import CausewayLimits
import CausewayTelemetry
import Logging
import Testing

@testable import CausewayDaemon

@Suite("Limits that are met, for whoever watches the server")
struct LimitTelemetryTests {
    @Test("each limit is counted under its name and its database", arguments: Limit.allCases)
    func counted(limit: Limit) {
        let telemetry = Telemetry(Configuration.Log(), logger: Logger(label: "test"))
        let database = limit.isOfServer ? "" : "flights"
        telemetry.reached(in: database)(
            LimitReached(limit, value: 5, subject: "ann", address: "10.0.0.1", waitMilliseconds: 1_000))
        #expect(telemetry.registry.counter(MetricCatalog.limitReached, database, limit.rawValue).value == 1)
    }
}
