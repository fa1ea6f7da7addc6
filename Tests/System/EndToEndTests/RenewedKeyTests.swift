import Causeway
import CausewayPrograms
import Testing

/// Keys are replaced under a server that runs: devices with new tokens get in, and those with old ones do not.
@Suite("Renewed keys", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct RenewedKeyTests {
    @Test("a server that runs takes a new token key when it is asked to, and by itself when the file changes")
    func renewed() async throws {
        let bench = try Bench("renewed-keys")
        defer { bench.end() }
        let server = bench.server
        let first = try await bench.device("first", app: bench.app(folder: "first"))
        for keys in ["second", "third"] { try server.makeKeys(keys) }

        // By SIGHUP: sooner than the server looks at its files by itself.
        try server.adoptTokenKey(of: "second")
        server.reload()
        try await expectServed(bench, "second")
        try await expectRefused(bench, "keys")

        try server.adoptTokenKey(of: "third")
        try await expectServed(bench, "third")
        try await expectRefused(bench, "second")

        // Nor is anything taken by a session that is open: whoever has taken a key away means its tokens.
        try first.writeItems(1...5)
        #expect(try await refusal(of: first).code == .underlyingAuth)
        #expect(try server.count("Item") == 0)
    }

    /// Expects that a device with a token of these keys is let in, at once or soon.
    private func expectServed(_ bench: Bench, _ keys: String) async throws {
        for attempt in 0..<120 {
            let name = "\(keys)-\(attempt)"
            let token = try bench.server.token(user: "tester", keys: keys)
            let realm = try await bench.open(name, app: bench.app(folder: name), token: token)
            do {
                try await realm.downloaded()
                return
            } catch let error as SyncError where error.code == .underlyingAuth {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        Issue.record("a minute after the key was replaced its tokens are refused")
    }

    private func expectRefused(_ bench: Bench, _ keys: String) async throws {
        let name = "\(keys)-refused"
        let token = try bench.server.token(user: "tester", keys: keys)
        let realm = try await bench.open(name, app: bench.app(folder: name), token: token)
        #expect(try await refusal(of: realm, waitingFor: .download).code == .underlyingAuth)
    }
}
