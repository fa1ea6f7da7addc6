import AsyncHTTPClient
import Causeway
import CausewayPrograms
import CausewaySeeds
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Testing

/// The server, PostgreSQL and the receiver of webhooks are killed at random moments, while a device writes and a reader follows
/// the feed over HTTP.
@Suite("Feed, webhooks and sinks under kills", .serialized)
@MainActor
struct CarrierKillTests {
    nonisolated private static let seeds = SeedList.drawn(for: "killed-carriers", count: 1)

    @Test(
        "files and PostgreSQL have each object once; webhooks and the feed have each at least once, in order",
        arguments: seeds)
    func killed(seed: UInt64) async throws {
        let kills = ProcessInfo.processInfo.environment["CAUSEWAY_KILLS"].flatMap(Int.init) ?? 10
        var random = SeededNumbers(seed: seed)
        let place = try CarrierPlace()
        defer { place.end() }
        let bench = try Bench(
            "carriers", accounts: "api: {host: 127.0.0.1, port: \(place.apiPort)}", settings: place.settings)
        defer { bench.end() }
        let a = try await bench.device("A")
        // The feed knows a class once a device has declared it.
        let follower = try FeedFollower(
            url: "https://localhost:\(place.apiPort)/api/v1/items/changes?since=0&class=Item",
            token: try bench.server.token(user: "reader"), authority: bench.server.authority)
        var written = 0
        for _ in 0..<kills {
            for _ in 0..<5 {
                written += 1
                try a.write { _ = a.create(Item.self, value: ["id": written, "name": "item \(written)"]) }
                try a.write { a.create(Reading.self, value: ["id": written, "celsius": Double(written)]) }
            }
            try await Task.sleep(for: .microseconds(Int(random.next() % 150_000)))
            switch random.next() % 5 {
            case 0: try place.restartPostgreSQL()
            case 1: try place.restartReceiver()
            default:
                bench.server.kill()
                try bench.server.start()
                a.syncSession?.reconnect()
            }
        }
        try await a.uploaded()
        let all = Array(1...written)
        try await within {
            while true {
                let isDone =
                    try place.tableRows() == all.count && place.lineIDs().count >= all.count
                    && Set(place.readingIDs()).count >= all.count && Set(place.itemIDs()).count >= all.count
                    && follower.ids.count >= all.count
                if isDone { return }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        #expect(try place.tableIDs() == all, "seed \(seed)")
        #expect(try place.lineIDs() == all, "seed \(seed)")
        #expect(try place.readingIDs().firsts == all, "seed \(seed)")
        #expect(try place.itemIDs().firsts == all, "seed \(seed)")
        // It goes on behind the last position that it saw, so that nothing comes twice.
        #expect(follower.ids == all, "seed \(seed)")
        follower.end()
    }
}

extension [Int] {
    /// Without repetitions: an element counts where it comes first.
    fileprivate var firsts: [Int] {
        var seen: Set<Int> = []
        return filter { seen.insert($0).inserted }
    }
}

/// Where the server carries data on to.
@MainActor
private final class CarrierPlace {
    let apiPort: Int
    private let receiverPort: Int
    private let folder: URL
    private let postgreSQL: PostgreSQLServer
    private var receiver: ChildProcess?

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("causeway-place-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (apiPort, receiverPort) = (try SyncServer.freePort(), try SyncServer.freePort())
        postgreSQL = try PostgreSQLServer()
        try postgreSQL.connection.write(
            to: folder.appendingPathComponent("connection"), atomically: true, encoding: .utf8)
        try "0123456789abcdef0123".write(to: folder.appendingPathComponent("secret"), atomically: true, encoding: .utf8)
        try startReceiver()
    }

    var settings: String {
        let target = "url: \"http://127.0.0.1:\(receiverPort)/\", secretFile: \(folder.path)/secret"
        return """
            sinks:
              - {name: files, type: files, folder: \(folder.path)/lines}
              - {name: table, type: postgresql, connectionFile: \(folder.path)/connection}
              - {name: push, type: webhook, \(target)}
            webhooks:
              - {name: items, \(target), classes: [Item], batchEvents: 7}
            """
    }

    func end() {
        receiver?.kill()
        postgreSQL.end()
        try? FileManager.default.removeItem(at: folder)
    }

    func restartPostgreSQL() throws {
        postgreSQL.kill()
        try postgreSQL.start()
    }

    func restartReceiver() throws {
        receiver?.kill()
        try startReceiver()
    }

    private func startReceiver() throws {
        receiver = try ChildProcess(
            name: "receiver", program: try Bench.program("CausewayHookReceiver"),
            arguments: ["--port", "\(receiverPort)", "--file", folder.path + "/received"],
            log: folder.appendingPathComponent("receiver.log"))
        guard try receiver?.nextLine() == "ready" else {
            throw SyncServer.Failure(description: "the receiver did not start")
        }
    }

    // MARK: - What has arrived

    func tableRows() throws -> Int {
        let exists = try postgreSQL.query("SELECT to_regclass('public.\"Reading\"') IS NOT NULL") == ["t"]
        return exists ? try tableIDs().count : 0
    }

    func tableIDs() throws -> [Int] {
        try postgreSQL.query("SELECT id FROM \"Reading\" ORDER BY causeway_sequence").compactMap { Int($0) }
    }

    func lineIDs() throws -> [Int] {
        let lines = folder.appendingPathComponent("lines")
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: lines.path)) ?? []).sorted()
        return try names.filter { $0.hasSuffix(".ndjson") }.flatMap { name in
            try objects(lines.appendingPathComponent(name)).compactMap {
                ($0["object"] as? [String: Any])?["id"] as? Int
            }
        }
    }

    func readingIDs() throws -> [Int] {
        try received("rows").compactMap { ($0["object"] as? [String: Any])?["id"] as? Int }
    }

    func itemIDs() throws -> [Int] { try received("events").compactMap { $0["key"] as? Int } }

    private func received(_ list: String) throws -> [[String: Any]] {
        try objects(folder.appendingPathComponent("received")).flatMap { $0[list] as? [[String: Any]] ?? [] }
    }

    /// The last line may be cut off.
    private func objects(_ file: URL) throws -> [[String: Any]] {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
    }
}

/// Follows the feed over HTTP, and connects again behind the last position that it has seen.
private final class FeedFollower: Sendable {
    private struct State {
        var ids: [Int] = []
        var position = "0"
        var rest = ""
    }

    private let state: Mutex<State>
    private let task: Mutex<Task<Void, Never>?>

    init(url: String, token: String, authority: String) throws {
        state = Mutex(State())
        task = Mutex(nil)
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(authority)
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let following = Task { [self] in
            while !Task.isCancelled {
                try? await follow(client, url, token)
                try? await Task.sleep(for: .milliseconds(20))
            }
            try? await client.shutdown()
        }
        task.withLock { $0 = following }
    }

    var ids: [Int] { state.withLock { $0.ids } }

    func end() { task.withLock { $0 }?.cancel() }

    private func follow(_ client: HTTPClient, _ url: String, _ token: String) async throws {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "authorization", value: "Bearer \(token)")
        request.headers.add(name: "last-event-id", value: state.withLock { $0.position })
        let answer = try await client.execute(request, deadline: .distantFuture)
        guard answer.status == .ok else { return }
        state.withLock { $0.rest = "" }
        for try await part in answer.body { take(String(buffer: part)) }
    }

    private func take(_ text: String) {
        state.withLock { state in
            state.rest += text
            while let end = state.rest.firstIndex(of: "\n") {
                let line = state.rest[..<end]
                state.rest = String(state.rest[state.rest.index(after: end)...])
                guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let position = object["position"] as? String
                else { continue }
                if let id = object["key"] as? Int { state.ids.append(id) }
                state.position = position
            }
        }
    }
}
