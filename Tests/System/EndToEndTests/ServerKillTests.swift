import Causeway
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

@Suite("A server killed at random", .serialized)
@MainActor
struct ServerKillTests {
    nonisolated private static let seeds = SeedList.drawn(for: "kill", count: 1)

    @Test("uploads are applied exactly once however often the server is killed [I2]", arguments: seeds)
    func killedWhileItMerges(seed: UInt64) async throws {
        let kills = ProcessInfo.processInfo.environment["CAUSEWAY_KILLS"].flatMap(Int.init) ?? 20
        var random = SeededNumbers(seed: seed)
        let bench = try Bench("kill")
        defer { bench.end() }
        let a = try await bench.device("A")
        try a.write { _ = a.create(Item.self, value: ["id": 0, "name": "ledger"]) }
        var written = 0
        for _ in 0..<kills {
            // Each transaction makes an item, appends it to the ledger's list and counts it there: a lost upload
            // would show in all three, a doubled one in the list.
            for _ in 0..<20 {
                written += 1
                try a.write {
                    let item = a.create(Item.self, value: ["id": written, "name": "item \(written)", "quantity": 1])
                    let ledger = try #require(a.object(ofType: Item.self, forPrimaryKey: 0))
                    ledger.parts.append(item)
                    ledger.quantity += 1
                }
            }
            try await Task.sleep(for: .microseconds(Int(random.next() % 60_000)))
            bench.server.kill()
            try bench.server.start()
            a.syncSession?.reconnect()
        }
        try await a.uploaded()
        #expect(try bench.server.count("Item") == written + 1, "seed \(seed)")
        let b = try await bench.device("B")
        #expect(content(b) == content(a), "seed \(seed)")
        let ledger = try #require(b.object(ofType: Item.self, forPrimaryKey: 0))
        #expect(ledger.quantity == written, "seed \(seed)")
        #expect(ledger.parts.map(\.id) == Array(1...written), "seed \(seed)")
    }

    @Test("one-way readings are accepted exactly once however often the server is killed")
    func killedWhileItIngests() async throws {
        let bench = try Bench("ingest")
        defer { bench.end() }
        let a = try await bench.device("A")
        var written = 0
        for _ in 0..<5 {
            for _ in 0..<20 {
                try a.write {
                    for _ in 0..<10 {
                        written += 1
                        a.create(Reading.self, value: ["id": written, "celsius": Double(written) / 10])
                    }
                }
            }
            bench.server.kill()
            try bench.server.start()
            a.syncSession?.reconnect()
        }
        try await a.uploaded()
        #expect(try bench.server.count("Reading") == written)
    }
}
