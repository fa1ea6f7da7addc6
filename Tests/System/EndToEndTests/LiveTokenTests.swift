import Causeway
import CausewayPrograms
import Foundation
import Synchronization
import Testing

@Suite("Tokens that end while a session lives", .serialized, .timeLimit(.minutes(20)))
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

    /// The lives of tokens in seconds, one an attempt. Tokens have to end during the test. On a machine that is busy with other
    /// tests a short one ends before the session has begun, or before the next one could be had. Such an attempt says nothing,
    /// and the next one has longer tokens.
    private static let lives = [40, 120, 360]

    @Test("a session outlives its token, whether the library gets a new one or the app logs in again with a JWT")
    func outlived() async throws {
        for seconds in Self.lives {
            if try await outlives(tokensOf: seconds) { return }
        }
        Issue.record("The machine was too busy for tokens of \(Self.lives) seconds.")
    }

    /// - Returns: whether the machine was quick enough for the attempt to say something.
    private func outlives(tokensOf seconds: Int) async throws -> Bool {
        let bench = try Bench(
            "live-token", accounts: "accounts:\n  anonymous: true\n  accessTokenSeconds: \(seconds)\n")
        defer { bench.end() }
        let (app, other) = (bench.app(), bench.app(folder: "other"))
        // Made first: nothing that is slow comes between the beginning of the short one and the next one.
        let longToken = try bench.server.token(user: "jay")
        let shortToken = try bench.server.token(user: "jay", lifetimeSeconds: seconds)
        let start = ContinuousClock.now
        let b = try await bench.open("B", app: other, token: shortToken)
        let user = try await app.login(credentials: .anonymous)
        var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
            $0.append(QuerySubscription<Item>(name: "items"))
        })
        configuration.fileURL = bench.file("A")
        configuration.objectTypes = [Item.self, Reading.self]
        let a = try Realm(configuration: configuration)
        try await b.downloaded()
        try await a.downloaded()
        let (statesOfA, taskOfA) = try watch(a)
        let (statesOfB, taskOfB) = try watch(b)
        defer {
            taskOfA.cancel()
            taskOfB.cancel()
        }
        // The token of now, which a slow start may already have replaced once.
        let token = user.accessToken
        try await other.login(credentials: .jwt(token: longToken))
        guard ContinuousClock.now < start + .seconds(seconds) / 2 else { return false }
        guard try await passed(.seconds(seconds + 5), lateMax: .seconds(seconds) / 20) else { return false }

        #expect(user.accessToken != token)
        try a.writeItems(1...5)
        try await a.uploaded()
        try await b.downloaded()
        #expect(b.objects(Item.self).count == 5)
        #expect(statesOfA.seen == [])
        #expect(statesOfB.seen == [])
        return true
    }

    /// Waits for a time.
    ///
    /// - Returns: whether this process got its turns meanwhile: false when one came later than it may.
    private func passed(_ time: Duration, lateMax: Duration) async throws -> Bool {
        let pause = Duration.milliseconds(200)
        var now = ContinuousClock.now
        let end = now + time
        while now < end {
            try await Task.sleep(for: pause)
            let next = ContinuousClock.now
            if next - now > pause + lateMax { return false }
            now = next
        }
        return true
    }
}
