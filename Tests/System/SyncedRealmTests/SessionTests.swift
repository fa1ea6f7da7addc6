import Causeway
import CausewayStoreEmbedded
import Foundation
import Testing

@Suite("Sessions and users, with a server's core in one process", .serialized)
@MainActor
struct SessionTests {
    @Test("a suspended session is inactive and disconnected; a resumed one uploads what was written meanwhile")
    func suspend() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let session = try #require(realm.syncSession)
        try await session.wait(for: .download)
        #expect(session.state == .active)
        #expect(session.connectionState == .connected)
        session.suspend()
        #expect(session.state == .inactive)
        try realm.write { _ = realm.create(Chore.self, value: ["id": 7]) }
        session.resume()
        try await session.wait(for: .upload)
        #expect(try bench.store.count(of: "Chore") == 1)
        await bench.end()
    }

    @Test("progress is reported to the end, and never falls")
    func progress() async throws {
        let bench = try Bench()
        let realm = try Realm(configuration: try await bench.configuration("a"))
        let session = try #require(realm.syncSession)
        bench.network("a").isCut = true
        for id in 0..<20 { try realm.write { _ = realm.create(Chore.self, value: ["id": id]) } }
        let (steps, step) = AsyncStream.makeStream(of: Double.self)
        let token = session.addProgressNotification(for: .upload, mode: .forCurrentlyOutstandingWork) {
            step.yield($0.progressEstimate)
            if $0.isTransferComplete { step.finish() }
        }
        bench.network("a").isCut = false
        session.reconnect()
        var seen: [Double] = []
        for await estimate in steps { seen.append(estimate) }
        #expect(seen.last == 1)
        #expect(seen == seen.sorted())
        token?.invalidate()
        await bench.end()
    }

    @Test("a user's token must name the user, and a user that logs out ends the session")
    func login() async throws {
        let bench = try Bench()
        let app = bench.app("a")
        for token in ["", "x", "a.b.c", "e30.e30.e30", "e30.bm90IGpzb24.e30"] {
            await #expect(throws: AppError.self) { try await app.login(credentials: .jwt(token)) }
        }
        let user = try await app.login(credentials: .jwt(token: Bench.token(user: "ann")))
        #expect(user.id == "ann")
        #expect(user.isLoggedIn)
        #expect(app.currentUser == user)
        let realm = try Realm(configuration: try await bench.configuration("a"))
        try await realm.syncSession?.wait(for: .download)
        #expect(user.allSessions.count == 1)
        try await user.logOut()
        #expect(user.state == .loggedOut)
        #expect(realm.syncSession?.state == .invalid)
        await #expect(throws: SyncError.self) { try await realm.syncSession?.wait(for: .download) }
        _ = try await app.login(credentials: .jwt(Bench.token(user: "ann")))
        #expect(realm.syncSession?.state == .active)
        try await realm.syncSession?.wait(for: .download)
        await bench.end()
    }
}
