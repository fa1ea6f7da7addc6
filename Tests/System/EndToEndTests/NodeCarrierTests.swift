import Causeway
import CausewayPrograms
import CausewaySeeds
import Foundation
import Testing

/// Webhooks and sinks of a database that two nodes serve: one of them has them at work, and the other one goes on.
@Suite("Webhooks and sinks of nodes", .serialized, .timeLimit(.minutes(20)))
@MainActor
struct NodeCarrierTests {
    nonisolated private static let seeds = SeedList.drawn(for: "node-carriers", count: 1)

    /// Writes until the webhook has something: one that is new begins with what comes next.
    private func warmUp(_ realm: Realm, _ place: CarrierPlace) async throws {
        for number in 1...500 {
            if try !place.itemIDs().isEmpty { return }
            try realm.write { _ = realm.create(Item.self, value: ["id": -number, "name": "warm"]) }
            try await realm.uploaded()
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("No webhook is at work.")
    }

    /// The items that the webhook was told of, each where it came first.
    private func told(_ place: CarrierPlace) throws -> [Int] { try place.itemIDs().filter { $0 > 0 }.firsts }

    @Test("whoever is killed, sinks have each object once, and webhooks each at least once, in order", arguments: seeds)
    func killed(seed: UInt64) async throws {
        var random = SeededNumbers(seed: seed)
        let place = try CarrierPlace()
        defer { place.end() }
        try await NodeCluster.withTwo(settings: place.settings) { cluster, nodes, _ in
            let devices = [try await nodes[0].device("A"), try await nodes[1].device("B")]
            try await warmUp(devices[0], place)
            var written = 0
            for _ in 0..<4 {
                for _ in 0..<5 {
                    written += 1
                    // In one order: the next one is written when the server has the last.
                    let device = random.one(of: devices)
                    try device.write {
                        _ = device.create(Item.self, value: ["id": written, "name": "item \(written)"])
                    }
                    try device.write {
                        device.create(Reading.self, value: ["id": written, "celsius": Double(written)])
                    }
                    try await device.uploaded()
                }
                try await Task.sleep(for: .milliseconds(random.below(1_000)))
                switch random.below(4) {
                case 0: try place.restartReceiver()
                case 1:
                    cluster.postgres.kill()
                    try cluster.postgres.start()
                default:
                    let number = random.below(2)
                    nodes[number].server.kill()
                    try nodes[number].server.start()
                    devices[number].syncSession?.reconnect()
                }
            }
            let all = Array(1...written)
            for _ in 0..<600 {
                let isDone =
                    try place.tableRows() == all.count && place.lineIDs().count >= all.count
                    && Set(place.readingIDs()).count >= all.count && told(place).count >= all.count
                if isDone { break }
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try place.tableIDs() == all, "seed \(seed)")
            #expect(try place.lineIDs() == all, "seed \(seed)")
            #expect(try place.readingIDs().firsts == all, "seed \(seed)")
            #expect(try told(place) == all, "seed \(seed)")
        }
    }

    @Test("a node that ends lets the other one go on at once")
    func ended() async throws {
        let place = try CarrierPlace()
        defer { place.end() }
        try await NodeCluster.withTwo(settings: place.settings) { cluster, nodes, _ in
            let b = try await nodes[1].device("B")
            @MainActor func wait(for count: Int) async throws {
                for _ in 0..<1_000 where try told(place).count < count { try await Task.sleep(for: .milliseconds(20)) }
                #expect(try told(place) == Array(1...count))
            }
            try await warmUp(b, place)
            try b.writeItems(1...5)
            try await b.uploaded()
            try await wait(for: 5)
            #expect(try cluster.postgres.query("SELECT count(*) FROM causeway.lease WHERE ends > now()") == ["1"])
            // Whichever it was: the first one ends, and comes again.
            #expect(nodes[0].server.stop() == 0)
            try b.writeItems(6...10)
            try await wait(for: 10)
            try nodes[0].server.start()
            #expect(nodes[1].server.stop() == 0)
            #expect(try cluster.postgres.query("SELECT count(DISTINCT holder) FROM causeway.lease") != ["2"])
            try nodes[1].server.start()
            b.syncSession?.reconnect()
            try b.writeItems(11...15)
            try await wait(for: 15)
        }
    }

    @Test("a backup of a node is a database of one server, with the accounts that nodes have")
    func backup() async throws {
        let cluster = try NodeCluster()
        defer { cluster.end() }
        let section = "accounts: {anonymous: true, emailPassword: true}\n"
        let node = try cluster.node("a", section)
        defer { node.end() }
        node.server.kill()
        try node.server.journal("init")
        try node.server.start()
        try await node.app().emailPasswordAuth.registerUser(email: "ann@example.org", password: "correct horse battery")
        let device = try await node.device("A")
        try device.writeItems(1...20)
        try await device.uploaded()
        let path = try node.server.backUp(to: node.file("backups").path)
        #expect(throws: SyncServer.Failure.self) { try node.server.restore(from: path, "--replace") }
        let alone = try Bench("alone", accounts: section)
        defer { alone.end() }
        #expect(alone.server.stop() == 0)
        try alone.server.restore(from: path, "--replace")
        try alone.server.start()
        #expect(try alone.server.count("Item") == 20)
        let credentials = Credentials.emailPassword(email: "ann@example.org", password: "correct horse battery")
        _ = try await alone.app().login(credentials: credentials)
    }
}
