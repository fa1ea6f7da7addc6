import CausewayJSON
import CausewayWire
import Testing

@testable import CausewayDaemon

@Suite("One session, as administrators see it")
struct SessionDetailTests {
    @Test("a session is shown with what its device subscribes to, as long as it is open")
    func subscriptions() async throws {
        try await AdminBench.run { bench in
            let queries = [
                StandingQuery(className: "Flight", predicate: "row > 5"),
                StandingQuery(className: "Flight", predicate: "row == 1"),
            ]
            try await bench.devices.open(
                "flights", client: 9, user: "ben", wanting: QuerySet(version: 1, queries: queries))
            let session = try await bench.get("GET", "databases/flights/sessions/9")
            #expect(session["client"]?.string == "9" && session["user"]?.string == "ben")
            #expect(session["state"]?.string == "opened" && session["queries"]?.int == 2)
            let subscriptions = try #require(session["subscriptions"]?.elements)
            #expect(subscriptions.map { $0["class"]?.string } == ["Flight", "Flight"])
            #expect(subscriptions.map { $0["query"]?.string } == ["row > 5", "row == 1"])
            try await bench.expect(404, "sessionUnknown", "GET", "databases/flights/sessions/8")
            try await bench.expect(400, "requestInvalid", "GET", "databases/flights/sessions/x")
            try await bench.expect(404, "databaseUnknown", "GET", "databases/nothing/sessions/9")
            try await bench.get("DELETE", "databases/flights/sessions/9")
            try await bench.expect(404, "sessionUnknown", "GET", "databases/flights/sessions/9")
        }
    }

    @Test("the texts of an answer have a bound together")
    func bound() {
        let long = String(repeating: "x", count: SessionDetail.queryBytesMax / 4)
        let queries = (0..<10).map { StandingQuery(className: "C\($0)", predicate: long) }
        #expect(SessionDetail.bounded(queries).map(\.className) == ["C0", "C1", "C2"])
        #expect(SessionDetail.bounded([]).isEmpty)
    }
}
