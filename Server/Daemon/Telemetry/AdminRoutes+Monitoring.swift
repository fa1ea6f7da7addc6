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
            + databases.compactMap { database in
                let late = database.conversations.lateThreads
                guard !late.isEmpty else { return nil }
                return "\(database.name): no answer for ten seconds from \(late.joined(separator: ", "))"
            }
    }
}
