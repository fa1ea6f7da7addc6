import Causeway
import CausewayPrograms
import Foundation
import Testing

/// An operator with `sync-server admin`, a daemon, and devices.
@Suite("Administering a daemon that devices use", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AdministrationTests {
    private func withServer(_ body: @MainActor (Bench) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "causeway-admin-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "an-administrators-token-of-a-test-0123456789".write(
            to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
        let bench = try Bench(
            "administration",
            accounts: """
                admin: {port: \(try SyncServer.freePort()), tokenFile: \(folder.path)/token}
                databasesFolder: databases.d
                log: {audit: audit.log}
                """)
        defer { bench.end() }
        try await body(bench)
    }

    @Test("a user who is shut out is told so and keeps their writes, and goes on when they are let in again")
    func shutOut() async throws {
        try await withServer { bench in
            let app = bench.app()
            let troubles = Troubles(of: app)
            let realm = try await bench.device("A", app: app)
            let other = try await bench.device(
                "B", app: bench.app(folder: "other"), token: try bench.server.token(user: "other"))
            try realm.writeItems(1...3)
            try await realm.uploaded()
            let sessions = try bench.server.admin("sessions", "list", "--database", "items", "--user", "tester")
            #expect(sessions.split(separator: "\n").count == 2 && sessions.contains("127.0.0.1"), "\(sessions)")

            try bench.server.admin("users", "shut-out", "--database", "items", "--user", "tester")
            _ = try await troubles.next(.permissionDenied, saying: "shut this user out")
            try realm.writeItems(4...5)
            try other.writeItems(11...12)
            try await other.uploaded()
            #expect(try bench.server.count("Item") == 5)
            #expect(try bench.server.admin("users", "shut-out-list", "--database", "items").contains("tester"))

            try bench.server.admin("users", "let-in", "--database", "items", "--user", "tester")
            realm.syncSession?.reconnect()
            try await realm.uploaded()
            #expect(try bench.server.count("Item") == 7)
            let audit = try String(
                contentsOf: bench.folder.appendingPathComponent("server/audit.log"), encoding: .utf8)
            #expect(audit.contains(#""event":"shutOut""#) && audit.contains(#""subject":"user tester""#))
            #expect(audit.contains(#""event":"letIn""#))
        }
    }

    @Test("a device whose session is ended comes again by itself")
    func endedSession() async throws {
        try await withServer { bench in
            let realm = try await bench.device("A")
            try realm.writeItems(1...3)
            try await realm.uploaded()
            let lines = try bench.server.admin("sessions", "list", "--database", "items").split(separator: "\n")
            let client = try #require(lines.last?.split(separator: " ").first)
            try bench.server.admin("sessions", "end", "--database", "items", "--client", String(client))
            try realm.writeItems(4...6)
            try await realm.uploaded()
            #expect(try bench.server.count("Item") == 6)
        }
    }

    @Test("a database that is added at the command line serves devices, and is told to them when it is dropped")
    func addedDatabase() async throws {
        try await withServer { bench in
            try bench.server.admin("databases", "add", "--name", "spares")
            let app = bench.app(database: "spares", folder: "spares")
            let troubles = Troubles(of: app)
            let realm = try await bench.device("A", app: app)
            try realm.writeItems(1...3)
            try await realm.uploaded()
            #expect(try bench.server.count("Item", in: "spares") == 3)
            #expect(try bench.server.admin("databases", "list").contains("spares"))
            let reload = try bench.server.admin("reload")
            #expect(reload.contains("databases.spares") && reload.contains("unchanged"))

            try bench.server.admin("databases", "drop", "--database", "spares")
            _ = try await troubles.next(.clientSession, saying: "taken this database off the server")
            try realm.writeItems(4...4)
            let folder = bench.folder.appendingPathComponent("server/databases.d/spares").path
            try bench.server.admin("databases", "add", "--name", "spares", "--folder", folder)
            realm.syncSession?.reconnect()
            try await realm.uploaded()
            #expect(try bench.server.count("Item", in: "spares") == 4)
        }
    }
}
