import Causeway
import CausewayPrograms
import Foundation
import FoundationNetworking
import Testing

/// A database that cannot be opened costs the others nothing.
@Suite("A daemon with a database that cannot be opened", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct OutageTests {
    private func withServer(
        _ body: @MainActor (Bench, _ get: @MainActor (String) async throws -> (Int, String)) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "causeway-outage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "an-administrators-token-of-a-test-0123456789".write(
            to: folder.appending(path: "token"), atomically: true, encoding: .utf8)
        let port = try SyncServer.freePort()
        let bench = try Bench(
            "outage", others: ["notes"],
            accounts: """
                admin: {port: \(port), tokenFile: \(folder.path)/token}
                log: {audit: audit.log}
                """)
        defer { bench.end() }
        try await body(bench) { path in
            let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
            let (data, answer) = try await URLSession.shared.data(for: URLRequest(url: url))
            return ((answer as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
        }
    }

    @Test("serves the others, says what is wrong, and opens it when it is mended, without a restart")
    func mended() async throws {
        try await withServer { bench, get in
            let items = try await bench.device("items")
            let app = bench.app(database: "notes", folder: "notes")
            let notes = try await bench.device("notes", app: app)
            try notes.writeItems(1...3)
            try await notes.uploaded()
            #expect(bench.server.stop() == 0)
            let file = bench.folder.appending(path: "server/data-notes/database.causeway")
            let sound = try Data(contentsOf: file)
            try Data(repeating: 7, count: sound.count).write(to: file)
            try bench.server.start()

            try items.writeItems(1...2)
            items.syncSession?.reconnect()
            try await items.uploaded()
            #expect(try bench.server.count("Item") == 2)
            // Nothing of the device is lost, and it is not told that its database is gone.
            try notes.writeItems(4...4)
            notes.syncSession?.reconnect()
            #expect(notes.syncSession?.state == .active)
            #expect(notes.objects(Item.self).count == 4)

            let (status, ready) = try await get("/readyz")
            #expect(status == 200 && ready.contains("ready\nnot open: notes: "), "\(ready)")
            let metrics = try await get("/metrics").1
            #expect(metrics.contains("causeway_database_up{database=\"notes\"} 0\n"))
            #expect(metrics.contains("causeway_database_up{database=\"items\"} 1\n"))
            let list = try bench.server.admin("databases", "list")
            #expect(list.contains("items") && list.contains("Not open, and not served: notes"), "\(list)")
            #expect(throws: (any Error).self) { try bench.server.admin("databases", "show", "--database", "notes") }

            // Not mended yet.
            #expect(throws: (any Error).self) { try bench.server.admin("reload") }
            try sound.write(to: file)
            let reload = try bench.server.admin("reload")
            #expect(reload.contains("databases.notes") && reload.contains("added"), "\(reload)")
            notes.syncSession?.reconnect()
            try await notes.uploaded()
            #expect(try bench.server.count("Item", in: "notes") == 4)
            #expect(try await get("/readyz").1 == "ready\n")
            #expect(try !bench.server.admin("databases", "list").contains("Not open"))
        }
    }

    @Test("does not start when none can be opened")
    func none() async throws {
        try await withServer { bench, _ in
            #expect(bench.server.stop() == 0)
            for folder in ["data", "data-notes"] {
                let file = bench.folder.appending(path: "server/\(folder)/database.causeway")
                try Data(repeating: 7, count: 100_000).write(to: file)
            }
            #expect(throws: (any Error).self) { try bench.server.start() }
        }
    }
}
