import CausewayAdmin
import CausewayHTTP
import CausewaySession
import CausewayTelemetry

extension AdminRoutes {
    /// What programs that watch the server ask for.
    static func monitoring(
        _ scrape: Scrape, isListening: @escaping @Sendable () -> Bool,
        databases: @escaping @Sendable () -> [DatabaseGauges],
        outages: @escaping @Sendable () -> [Outage] = { [] }
    ) -> AdminRoutes {
        AdminRoutes([
            AdminRoute("GET", "/metrics", access: .monitoring) { _ in
                .text(await scrape.text(), type: MetricRegistry.contentType)
            },
            AdminRoute("GET", "/healthz", access: .monitoring) { _ in .text("the server lives\n") },
            AdminRoute("GET", "/readyz", access: .monitoring) { _ in
                let reasons = readinessProblems(isListening: isListening(), databases())
                // Whoever sends traffic by this answer must go on sending it: the other databases are served.
                let outages = outages().map { "not open: \($0.name): \($0.reason)\n" }.joined()
                guard !reasons.isEmpty else { return .text("ready\n" + outages) }
                return .text("not ready\n" + reasons.map { $0 + "\n" }.joined() + outages, status: 503)
            },
        ])
    }

    private static func readinessProblems(isListening: Bool, _ databases: [DatabaseGauges]) -> [String] {
        let listening = isListening ? [] : ["the server does not take connections: it starts, or is being stopped"]
        return listening
            + databases.flatMap { database in database.problems.map { "\(database.name): \($0)" } }
    }
}
