import Causeway
import Foundation
import Testing

@Suite("What subscriptions bring and refuse, with a server's core in one process", .serialized)
@MainActor
struct SubscribedResultsTests {
    @Test("subscribe and unsubscribe on results")
    func results() async throws {
        let bench = try Bench()
        let a = try Realm(configuration: try await bench.configuration("a"))
        let b = try Realm(configuration: try await bench.configuration("b"))
        try a.write {
            for age in 0..<10 { a.create(Person.self, value: ["name": "person \(age)", "age": age]) }
        }
        try await a.syncSession?.wait(for: .upload)
        // `age` has another stored name, which is what the server knows.
        let adults = try await b.objects(Person.self).where { $0.age >= 5 }.subscribe(name: "adults")
        b.refresh()
        #expect(adults.count == 5)
        #expect(b.subscriptions.first(named: "adults") != nil)
        adults.unsubscribe()
        #expect(b.subscriptions.count == 0)
        await bench.end()
    }

    @Test("a subscription by words brings what has them, as it changes")
    func words() async throws {
        let bench = try Bench()
        let all: @Sendable (SyncSubscriptionSet) -> Void = { $0.append(QuerySubscription<Chore>()) }
        let a = try Realm(configuration: try await bench.configuration("a", initial: all))
        let b = try Realm(configuration: try await bench.configuration("b"))
        try a.write {
            for id in 0..<20 {
                a.create(
                    Chore.self, value: ["id": id, "title": id % 2 == 0 ? "Größe \(id)" : "size \(id)"] as [String: Any])
            }
        }
        try await a.syncSession?.wait(for: .upload)
        let found = try await b.objects(Chore.self).where { $0.title.fullText("GRÖßE* -4") }
            .subscribe(name: "words")
        b.refresh()
        #expect(found.map(\.id).sorted() == [0, 2, 6, 8, 10, 12, 14, 16, 18])
        try a.write {
            a.object(ofType: Chore.self, forPrimaryKey: 1)?.title = "a GRÖßE"
            a.object(ofType: Chore.self, forPrimaryKey: 0)?.title = "none"
        }
        try await a.syncSession?.wait(for: .upload)
        try await b.syncSession?.wait(for: .download)
        b.refresh()
        #expect(found.map(\.id).sorted() == [1, 2, 6, 8, 10, 12, 14, 16, 18])
        await bench.end()
    }

    @Test("a query the server cannot serve is an error of the subscriptions; what was held stays")
    func refusedQuery() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let subscriptions = realm.subscriptions
        await #expect(throws: Realm.Error.self) {
            try await subscriptions.update {
                subscriptions.append(QuerySubscription<Chore>(name: "bad", where: "nosuchproperty == 1"))
            }
        }
        guard case .error = subscriptions.state else {
            Issue.record("the state of refused subscriptions is an error")
            return
        }
        await #expect(throws: Realm.Error.self) {
            try await subscriptions.update {
                subscriptions.append(QuerySubscription<Chore>(name: "worse", where: "this is (no query"))
            }
        }
        try await subscriptions.update {
            subscriptions.removeAll()
            subscriptions.append(QuerySubscription<Chore>())
        }
        #expect(subscriptions.state == .complete)
        await bench.end()
    }
}
