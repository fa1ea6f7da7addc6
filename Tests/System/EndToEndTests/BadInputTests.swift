import Causeway
import CausewayPrograms
import Testing

/// Each mistake is told with cause and remedy, the server lives on, and nothing that was written is lost.
@Suite("Bad input", .serialized)
@MainActor
struct BadInputTests {
    /// Expects that the server serves devices still, and holds exactly the items of these ids.
    func expectServing(_ bench: Bench, _ ids: ClosedRange<Int>, _ note: Comment) async throws {
        #expect(bench.server.isRunning, note)
        let other = try await bench.device("other", app: bench.app())
        #expect(other.objects(Item.self).map(\.id).sorted() == Array(ids), note)
        #expect(try bench.server.count("Item") == ids.count, note)
    }
}

// MARK: - Who calls, and what they call

extension BadInputTests {
    @Test("a token signed by another key is refused; after a login with a good one everything arrives")
    func wrongToken() async throws {
        let bench = try Bench("token")
        defer { bench.end() }
        try bench.server.makeKeys("foreign")
        let (app, token) = (bench.app(), try bench.server.token(user: "tester", keys: "foreign"))
        let troubles = Troubles(of: app)
        let realm = try await bench.open("A", app: app, token: token)
        try realm.writeItems(1...10)

        let error = try await refusal(of: realm)
        #expect(error.code == .underlyingAuth)
        expect(error.message, names: "not signed by a key this server trusts", and: "Sign in again")
        #expect(try await troubles.next(.underlyingAuth) == error)
        #expect(realm.objects(Item.self).count == 10)

        try await app.login(credentials: .jwt(token: try bench.server.token(user: "tester")))
        try await realm.uploaded()
        try await expectServing(bench, 1...10, "after a wrong token")
    }

    @Test("text that is no token is refused by the login itself")
    func noToken() async throws {
        let bench = try Bench("text")
        defer { bench.end() }
        let app = bench.app()
        let error = await #expect(throws: AppError.self) {
            try await app.login(credentials: .jwt(token: "not a token"))
        }
        expect(error?.message ?? "", names: "not a JSON Web Token", and: "`sync-server token` signs one")
        #expect(app.currentUser == nil)
    }

    @Test("a token that expires ends the session; the next login goes on with what was written meanwhile")
    func expiredToken() async throws {
        let bench = try Bench("expiry")
        defer { bench.end() }
        let (app, token) = (bench.app(), try bench.server.token(user: "tester", lifetimeSeconds: 8))
        let troubles = Troubles(of: app)
        let realm = try await bench.device("A", app: app, token: token)
        try realm.writeItems(1...5)
        try await realm.uploaded()

        // The download stream was open all the time: it ends with its token, not with the next request.
        let ended = try await troubles.next(.underlyingAuth)
        expect(ended.message, names: "expired", and: "Get a new one")
        try realm.writeItems(6...10)
        let error = try await refusal(of: realm)
        #expect(error.code == .underlyingAuth)
        expect(error.message, names: "expired", and: "Get a new one")
        #expect(realm.objects(Item.self).count == 10)

        // A device that begins with an expired token hears the same.
        let late = try await bench.open("B", app: app, token: token)
        expect(try await refusal(of: late, waitingFor: .download).message, names: "expired", and: "Get a new one")

        try await app.login(credentials: .jwt(token: try bench.server.token(user: "tester")))
        try await realm.uploaded()
        try await late.downloaded()
        #expect(content(late) == content(realm))
        try await expectServing(bench, 1...10, "after an expired token")
    }

    @Test("an unknown database is refused; the file keeps what was written")
    func unknownDatabase() async throws {
        let bench = try Bench("unknown")
        defer { bench.end() }
        let app = bench.app(database: "itmes")
        let troubles = Troubles(of: app)
        let realm = try await bench.open("A", app: app)
        try realm.writeItems(1...10)

        let error = try await refusal(of: realm)
        #expect(error.code == .clientSession)
        expect(error.message, names: "no database 'itmes'", and: "Check the app id")
        #expect(try await troubles.next(.clientSession) == error)
        #expect(realm.objects(Item.self).count == 10)
        try realm.writeItems(11...12)
        #expect(realm.objects(Item.self).count == 12)

        let right = try await bench.device("B")
        try right.writeItems(1...3)
        try await right.uploaded()
        try await expectServing(bench, 1...3, "beside an unknown database")
    }

    @Test("a server whose authority is not trusted gets no token and no data; with the right authority all arrives")
    func untrustedAuthority() async throws {
        let bench = try Bench("trust")
        defer { bench.end() }
        try bench.server.makeKeys("foreign")
        let app = bench.app(authority: bench.server.authority(of: "foreign"))
        let troubles = Troubles(of: app)
        try await refusedForTrust(bench, app, troubles)

        let realm = try await bench.open("A", app: bench.app())
        #expect(realm.objects(Item.self).count == 10)
        try await realm.uploaded()
        try await expectServing(bench, 1...10, "after a wrong authority")
    }

    /// A function of its own, so that the file is closed when it returns.
    private func refusedForTrust(_ bench: Bench, _ app: App, _ troubles: Troubles) async throws {
        let realm = try await bench.open("A", app: app)
        try realm.writeItems(1...10)
        let error = try await refusal(of: realm)
        #expect(error.code == .tlsHandshakeFailed)
        expect(error.message, names: "not signed by an authority this device trusts", and: "trustRootsPath")
        #expect(try await troubles.next(.tlsHandshakeFailed) == error)
        #expect(realm.syncSession?.connectionState == .disconnected)
    }
}
