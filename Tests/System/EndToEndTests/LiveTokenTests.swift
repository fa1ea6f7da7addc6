import Causeway
import CausewayPrograms
import Foundation
import Synchronization
import Testing

@Suite("Tokens that end while a session lives", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct LiveTokenTests {
    /// What becomes of a session's connection.
    private func watch(_ realm: Realm) throws -> (states: States, task: Task<Void, Never>) {
        let session = try #require(realm.syncSession)
        let states = States()
        let task = Task {
            for await state in session.connectionStates where state != .connected { states.add(state) }
        }
        return (states, task)
    }

    final class States: Sendable {
        private let all = Mutex<[SyncSession.ConnectionState]>([])
        func add(_ state: SyncSession.ConnectionState) { all.withLock { $0.append(state) } }
        var seen: [SyncSession.ConnectionState] { all.withLock { $0 } }
    }

    @Test("a session outlives its token, whether the library gets a new one or the app logs in again with a JWT")
    func outlived() async throws {
        let seconds = 40
        let bench = try Bench(
            "live-token", accounts: "accounts:\n  anonymous: true\n  accessTokenSeconds: \(seconds)\n")
        defer { bench.end() }
        let (app, other) = (bench.app(), bench.app(folder: "other"))
        let user = try await app.login(credentials: .anonymous)
        var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
            $0.append(QuerySubscription<Item>(name: "items"))
        })
        configuration.fileURL = bench.file("A")
        configuration.objectTypes = [Item.self, Reading.self]
        let a = try Realm(configuration: configuration)
        let b = try await bench.open(
            "B", app: other, token: try bench.server.token(user: "jay", lifetimeSeconds: seconds))
        try await a.downloaded()
        try await b.downloaded()
        let (statesOfA, taskOfA) = try watch(a)
        let (statesOfB, taskOfB) = try watch(b)
        defer {
            taskOfA.cancel()
            taskOfB.cancel()
        }
        // The token of now, which a slow start may already have replaced once.
        let (token, start) = (user.accessToken, ContinuousClock.now)

        try await other.login(credentials: .jwt(token: try bench.server.token(user: "jay")))
        while ContinuousClock.now < start + .seconds(seconds + 5) { try await Task.sleep(for: .milliseconds(500)) }

        #expect(user.accessToken != token)
        try a.writeItems(1...5)
        try await a.uploaded()
        try await b.downloaded()
        #expect(b.objects(Item.self).count == 5)
        #expect(statesOfA.seen == [])
        #expect(statesOfB.seen == [])
    }
}
