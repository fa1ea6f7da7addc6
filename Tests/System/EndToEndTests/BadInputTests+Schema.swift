import Causeway
import CausewayPrograms
import Testing

/// The classes of an app that has changed its mind about a property.
enum Contradicting {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var quantity: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

extension BadInputTests {
    @Test("a class whose property has another type on the server is refused; neither side loses anything")
    func contradictingSchema() async throws {
        let bench = try Bench("schema")
        defer { bench.end() }
        let app = bench.app()
        let troubles = Troubles(of: app)
        let a = try await bench.device("A", app: app)
        try a.writeItems(1...5)
        try await a.uploaded()

        let b = try Realm(
            configuration: try await bench.configuration("B", app: app, types: [Contradicting.Item.self]))
        try b.write { b.create(Contradicting.Item.self, value: ["id": 100, "name": "many", "quantity": "a dozen"]) }
        let error = try await refusal(of: b)
        #expect(error.code == .clientSession)
        expect(error.message, names: "contradicts the server's", and: "use a new name for what changed")
        #expect(error.message.contains("quantity"))
        #expect(try await troubles.next(.clientSession) == error)
        #expect(b.objects(Contradicting.Item.self).map(\.quantity) == ["a dozen"])

        try a.writeItems(6...8)
        try await a.uploaded()
        try await expectServing(bench, 1...8, "beside a schema that contradicts")
    }
}
