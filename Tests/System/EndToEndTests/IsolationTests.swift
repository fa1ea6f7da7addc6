import Causeway
import CausewayPrograms
import Testing

@Suite("Databases and users apart", .serialized)
@MainActor
struct IsolationTests {
    @Test("two databases of one server share nothing, though users and primary keys are the same")
    func databases() async throws {
        let bench = try Bench("tenants", others: ["spares"])
        defer { bench.end() }
        let (items, spares) = (bench.app(), bench.app(database: "spares"))
        let (a, b) = (try await bench.device("A", app: items), try await bench.device("B", app: spares))
        try a.writeItems(1...10)
        try b.write { b.create(Item.self, value: ["id": 1, "name": "a spare", "quantity": 77]) }
        try a.write { a.create(Reading.self, value: ["id": 1, "celsius": 20.0]) }
        try await a.uploaded()
        try await b.uploaded()

        let (c, d) = (try await bench.device("C", app: items), try await bench.device("D", app: spares))
        #expect(content(c) == content(a))
        #expect(c.objects(Item.self).count == 10)
        #expect(content(d) == content(b))
        #expect(content(d) == "1 a spare 77 next=-1 parts=[]")
        try d.write { d.delete(d.objects(Item.self)) }
        try await d.uploaded()
        try await a.downloaded()
        #expect(a.objects(Item.self).count == 10)
        #expect(try bench.server.count("Item") == 10)
        #expect(try bench.server.count("Item", in: "spares") == 0)
        #expect(try bench.server.count("Reading") == 1)
        #expect(try bench.server.count("Reading", in: "spares") == 0)
    }

    @Test("a file belongs to one user of one database; another is told to take a file of its own")
    func files() async throws {
        let bench = try Bench("owners", others: ["spares"])
        defer { bench.end() }
        let app = bench.app()
        let realm = try await bench.device("A", app: app, token: try bench.server.token(user: "ann"))
        try realm.writeItems(1...5)
        let others = [
            try await bench.configuration("A", app: app, token: try bench.server.token(user: "ben")),
            try await bench.configuration(
                "A", app: bench.app(database: "spares"), token: try bench.server.token(user: "ann")),
        ]
        for other in others {
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: other) }
            #expect(error?.code == .incompatibleSession)
            expect(error?.message ?? "", names: "synchronises as user 'ann' of app 'items'", and: "a file of its own")
        }
        try await realm.uploaded()
        #expect(try bench.server.count("Item") == 5)
    }

    @Test("the end of one user's login does not touch another's session")
    func logins() async throws {
        let bench = try Bench("logins")
        defer { bench.end() }
        let app = bench.app()
        let a = try await bench.device("A", app: app, token: try bench.server.token(user: "ann"))
        let b = try await bench.device("B", app: app, token: try bench.server.token(user: "ben"))
        try await app.allUsers["ann"]?.logOut()
        try a.writeItems(1...5)
        let error = try await refusal(of: a)
        #expect(error.code == .clientUser)
        expect(error.message, names: "not logged in", and: "Log in to sync")
        try b.writeItems(6...9)
        try await b.uploaded()
        #expect(try bench.server.count("Item") == 4)
        try await app.login(credentials: .jwt(token: try bench.server.token(user: "ann")))
        try await a.uploaded()
        try await b.downloaded()
        #expect(b.objects(Item.self).map(\.id).sorted() == Array(1...9))
    }
}
