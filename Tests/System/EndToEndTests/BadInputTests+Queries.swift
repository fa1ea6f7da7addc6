import Causeway
import CausewayPrograms
import Testing

/// A subscription that nobody can serve.
struct BadQuery: Sendable, CustomTestStringConvertible {
    let text: String
    let cause: String
    let remedy: String
    /// Whether the device sees it before the server is asked.
    let isSeenByDevice: Bool

    var testDescription: String { text }

    static let all = [
        BadQuery(
            text: "quantity ==", cause: "quantity ==", remedy: "expected", isSeenByDevice: true),
        BadQuery(
            text: "colour == 'red'", cause: "colour", remedy: "Item", isSeenByDevice: false),
        BadQuery(
            text: "next.name == 'x'", cause: "looks through a link to another object",
            remedy: "subscribe to a wider set",
            isSeenByDevice: false),
    ]
}

extension BadInputTests {
    @Test(
        "a bad query is an error of the subscriptions; what the device held stays and stays live",
        arguments: BadQuery.all)
    func badQuery(_ query: BadQuery) async throws {
        let bench = try Bench("query")
        defer { bench.end() }
        let app = bench.app()
        let troubles = Troubles(of: app)
        let (a, b) = (try await bench.device("A", app: app), try await bench.device("B", app: app))
        try a.writeItems(1...5)
        try await a.uploaded()
        try await b.downloaded()

        let subscriptions = b.subscriptions
        let error = await #expect(throws: Realm.Error.self) {
            try await subscriptions.update {
                subscriptions.append(QuerySubscription<Item>(name: "bad", where: query.text))
            }
        }
        #expect(error?.code == .subscriptionFailed)
        let message = error?.message ?? ""
        expect(message, names: query.cause, and: query.remedy)
        if query.isSeenByDevice {
            // Nothing was changed by the update that failed.
            #expect(b.subscriptions.state == .complete)
            #expect(b.subscriptions.count == 1)
        } else {
            guard case .error(let told) = b.subscriptions.state else {
                Issue.record("the state of refused subscriptions is an error, not \(b.subscriptions.state)")
                return
            }
            #expect((told as? Realm.Error)?.message == message)
            #expect(try await troubles.next(.invalidFlexibleSyncSubscriptions).message == message)
        }

        try a.writeItems(6...8)
        try await a.uploaded()
        try await b.downloaded()
        #expect(content(b) == content(a))
        let corrected = b.subscriptions
        try await corrected.update {
            corrected.remove(named: "bad")
            corrected.append(QuerySubscription<Item>(name: "few", where: "quantity > 6"))
            corrected.remove(named: "items")
        }
        b.refresh()
        #expect(corrected.state == .complete)
        #expect(b.objects(Item.self).map(\.id).sorted() == [7, 8])
        try await expectServing(bench, 1...8, "after '\(query.text)'")
    }

    @Test("a first subscription the server refuses is told, and writes arrive all the same")
    func badFirstQuery() async throws {
        let bench = try Bench("first")
        defer { bench.end() }
        let app = bench.app()
        let troubles = Troubles(of: app)
        let realm = try Realm(
            configuration: try await bench.configuration("A", app: app, items: "next.name == 'x'"))
        let error = try await troubles.next(.invalidFlexibleSyncSubscriptions)
        expect(error.message, names: "looks through a link to another object", and: "subscribe to a wider set")
        #expect(realm.subscriptions.state == .error(error))
        try realm.writeItems(1...5)
        try await realm.uploaded()
        try await expectServing(bench, 1...5, "after a refused first subscription")
    }
}
