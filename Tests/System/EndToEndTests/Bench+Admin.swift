import CausewayPrograms
import Foundation
import FoundationNetworking
import Testing

extension Bench {
    /// What an administrator shows to the daemon of `withAdmin`.
    static let adminToken = "an-administrators-token-of-a-test-0123456789"

    /// Runs `body` with a daemon whose admin listener is open, and with its port; then the daemon ends.
    ///
    /// - Parameters:
    ///   - accounts: further sections of the configuration, as `accounts`.
    ///   - settings: further lines of its first database.
    static func withAdmin(
        _ name: String, accounts: String = "", settings: String = "",
        _ body: @MainActor (_ bench: Bench, _ port: Int) async throws -> Void
    ) async throws {
        let port = try SyncServer.freePort()
        let folder = FileManager.default.temporaryDirectory.appending(path: "causeway-token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try adminToken.write(to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
        let bench = try Bench(
            name, accounts: "admin: {port: \(port), tokenFile: \(folder.path)/token}\n" + accounts, settings: settings)
        defer { bench.end() }
        try await waitForAdmin(port)
        try await body(bench, port)
    }

    /// A call of an administrator.
    static func call(
        _ port: Int, _ method: String, _ path: String, _ json: String? = nil
    ) async throws -> (status: Int, data: Data) {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        request.httpBody = json.map { Data($0.utf8) }
        request.setValue("Bearer \(adminToken)", forHTTPHeaderField: "authorization")
        let (data, answer) = try await URLSession.shared.data(for: request)
        return ((answer as? HTTPURLResponse)?.statusCode ?? 0, data)
    }

    static func waits(
        _ what: String, seconds: Int = 30, _ condition: @MainActor () async throws -> Bool
    ) async throws {
        for _ in 0..<(seconds * 50) {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("It did not happen: \(what)")
    }

    /// The admin listener opens beside the one for devices, which was waited for.
    private static func waitForAdmin(_ port: Int) async throws {
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/healthz")))
        for _ in 0..<500 {
            if let (_, answer) = try? await URLSession.shared.data(for: request),
                (answer as? HTTPURLResponse)?.statusCode == 200
            {
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("The admin listener did not open.")
    }
}
