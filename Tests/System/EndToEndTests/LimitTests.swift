import Causeway
import CausewayPrograms
import Synchronization
import Testing

@Suite("A daemon's limits, as devices meet them", .serialized)
@MainActor
struct LimitTests {
    @Test(
        "a user over the rate of operations is told so, held back and loses nothing; another user's writes go through")
    func operations() async throws {
        let bench = try Bench(
            "limits",
            accounts: """
                limits: {operationsPerSecondOfUser: 50, operationsPerSecondOfClient: 50, burstSeconds: 1}
                """)
        defer { bench.end() }
        let app = bench.app(folder: "abuser")
        let troubles = Troubles(of: app)
        let abuser = try await bench.device("abuser", app: app, token: try bench.server.token(user: "abuser"))
        let honest = try await bench.device(
            "honest", app: bench.app(folder: "honest"), token: try bench.server.token(user: "honest"))
        let isTold = Mutex(false)
        let told = Task {
            let warning = try await troubles.next(.serverWarning, saying: "limits.operationsPerSecondOf")
            isTold.withLock { $0 = true }
            return warning
        }
        // Passes, and leaves a debt of nine seconds.
        try abuser.writeItems(1...500)
        try await abuser.uploaded()
        try abuser.writeItems(1_001...1_500)
        for id in 10_001...10_010 {
            try honest.writeItems(id...id)
            try await honest.uploaded()
        }
        try await abuser.uploaded()
        // On a busy machine the debt may have been paid before the second batch was sent.
        var written = 1_000
        while !isTold.withLock({ $0 }), written < 10_000 {
            try abuser.writeItems(20_000 + written...20_499 + written)
            written += 500
            try await abuser.uploaded()
        }
        #expect(try await told.value.message.contains("50 operations a second"))
        #expect(try bench.server.count("Item") == written + 10)
    }
}
