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
