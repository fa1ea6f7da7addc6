import CausewayAdmin
import CausewayHTTP
import CausewaySession
import CausewayTelemetry

extension AdminRoutes {
    /// What programs that watch the server ask for.
    static func monitoring(
        _ scrape: Scrape, isListening: @escaping @Sendable () -> Bool,
        databases: @escaping @Sendable () -> [DatabaseGauges]
    ) -> AdminRoutes {
        AdminRoutes([
            AdminRoute("GET", "/metrics", access: .monitoring) { _ in
                .text(await scrape.text(), type: MetricRegistry.contentType)
            },
            AdminRoute("GET", "/healthz", access: .monitoring) { _ in .text("the server lives\n") },
            AdminRoute("GET", "/readyz", access: .monitoring) { _ in
                let reasons = readinessProblems(isListening: isListening(), databases())
                guard !reasons.isEmpty else { return .text("ready\n") }
                return .text("not ready\n" + reasons.map { $0 + "\n" }.joined(), status: 503)
            },
        ])
    }

    private static func readinessProblems(isListening: Bool, _ databases: [DatabaseGauges]) -> [String] {
        let listening = isListening ? [] : ["the server does not take connections: it starts, or is being stopped"]
        return listening
            + databases.flatMap { database in database.problems.map { "\(database.name): \($0)" } }
    }
}
