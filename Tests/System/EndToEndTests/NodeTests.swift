import Causeway
import CausewayPrograms
import Foundation
import FoundationNetworking
import Testing

/// Several daemons that serve one database, with its journal in a real PostgreSQL.
@Suite("Nodes", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct NodeTests {
    private func withNodes(_ body: @MainActor (NodeCluster, [Bench]) async throws -> Void) async throws {
        let cluster = try NodeCluster()
        defer { cluster.end() }
        // Without tables it serves nothing, and waits.
        let first = try cluster.node("a")
        first.server.kill()
        #expect(try first.server.journal("init").contains("were made"))
        #expect(try first.server.journal("init").contains("already"))
        try first.server.start()
        // Different in what may not reach the state.
        let nodes = [
            first,
            try cluster.node("b", "limits: {historyVersions: 1000, clientDays: 30, storageMegabytes: 300}"),
        ]
        defer { for node in nodes { node.end() } }
        try await body(cluster, nodes)
    }

    /// Waits until a device has so many items.
    private func waits(_ realm: Realm, for count: Int) async throws {
        for _ in 0..<1_500 where realm.objects(Item.self).count != count {
            try await Task.sleep(for: .milliseconds(20))
            realm.refresh()
        }
        #expect(realm.objects(Item.self).count == count)
    }

    @Test("what a device of one node writes, devices of the other are shown, while both write")
    func bothWays() async throws {
        try await withNodes { cluster, nodes in
            let b = try await nodes[1].device("B")
            do {
                let a = try await nodes[0].device("A")
                try a.writeItems(1...50)
                try b.writeItems(101...150)
                try await waits(a, for: 100)
                try await waits(b, for: 100)
            }
            // A file goes on at another node, where it finds what it was told at the first.
            var moved = try await nodes[1].configuration("moved")
            moved.fileURL = nodes[0].file("A")
            let c = try Realm(configuration: moved)
            try c.writeItems(201...210)
            try await c.uploaded()
            try await waits(b, for: 110)
            #expect(try nodes[0].server.journal("status").contains("items\t"))
        }
    }

    @Test("a node that is killed and PostgreSQL that is killed lose nothing that was acknowledged")
    func kills() async throws {
        try await withNodes { cluster, nodes in
            let (a, b) = (try await nodes[0].device("A"), try await nodes[1].device("B"))
            try a.writeItems(1...20)
            try await a.uploaded()
            nodes[0].server.kill()
            try b.writeItems(101...120)
            try a.writeItems(21...40)
            try await b.uploaded()
            try nodes[0].server.start()
            try await waits(a, for: 60)
            try await waits(b, for: 60)
            cluster.postgres.kill()
            try a.writeItems(41...60)
            try b.writeItems(121...140)
            try await Task.sleep(for: .seconds(2))
            #expect(b.objects(Item.self).count == 80)
            try cluster.postgres.start()
            try await waits(a, for: 100)
            try await waits(b, for: 100)
        }
    }

    @Test("a node's metrics say where it is in the journal, and that PostgreSQL is away")
    func metrics() async throws {
        let cluster = try NodeCluster()
        defer { cluster.end() }
        try await Bench.withAdmin("node", accounts: cluster.section) { bench, port in
            try bench.server.journal("init")
            func waits(for line: Regex<Substring>) async throws {
                var text = ""
                for _ in 0..<1_000 {
                    let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
                    text = String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
                    if text.contains(line) { return }
                    try await Task.sleep(for: .milliseconds(20))
                }
                Issue.record("\(text)")
            }
            try await waits(for: /causeway_journal_answers\{database="items"\} 1\n/)
            let device = try await bench.device("A")
            try device.writeItems(1...5)
            try await device.uploaded()
            try await waits(for: /causeway_journal_position\{database="items"\} [1-9]/)
            try await waits(for: /causeway_journal_age_seconds\{database="items"\} [01](?:\.|\n)/)
            cluster.postgres.kill()
            try await waits(for: /causeway_journal_answers\{database="items"\} 0\n/)
            try await waits(for: /causeway_journal_age_seconds\{database="items"\} [2-9]/)
            try cluster.postgres.start()
            try await waits(for: /causeway_journal_answers\{database="items"\} 1\n/)
        }
    }

    @Test("a PostgreSQL that lost its newest entries: nodes begin again, and devices fill the gap")
    func lostTail() async throws {
        try await withNodes { cluster, nodes in
            let (a, b) = (try await nodes[0].device("A"), try await nodes[1].device("B"))
            try a.writeItems(1...20)
            try await a.uploaded()
            try await waits(b, for: 20)
            let kept = try cluster.postgres.query(
                "SELECT position || '|' || encode(chain, 'hex') FROM causeway.head")[0].split(separator: "|")
            try a.writeItems(21...40)
            try await a.uploaded()
            try await waits(b, for: 40)
            _ = try cluster.postgres.query("DELETE FROM causeway.journal WHERE position > \(kept[0])")
            _ = try cluster.postgres.query(
                "UPDATE causeway.head SET position = \(kept[0]), chain = decode('\(kept[1])', 'hex')")
            cluster.postgres.kill()
            try cluster.postgres.start()
            try b.writeItems(101...110)
            try await waits(a, for: 50)
            try await waits(b, for: 50)
        }
    }

    @Test(
        "a database moves into the journal with its devices, a new node begins from a snapshot, and a moment is restored"
    )
    func moving() async throws {
        let plain = try Bench("plain")
        defer { plain.end() }
        let cluster = try NodeCluster()
        defer { cluster.end() }
        do {
            let before = try await plain.device("A")
            try before.writeItems(1...30)
            try await before.uploaded()
        }
        #expect(plain.server.stop() == 0)

        let node = try cluster.node("a")
        defer { node.end() }
        node.server.kill()
        try FileManager.default.createDirectory(atPath: node.server.dataFolder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: plain.server.dataFolder + "/database.causeway",
            toPath: node.server.dataFolder + "/database.causeway")
        try node.server.journal("init")
        #expect(try node.server.journal("import", "--database", "items").contains("is in the journal"))
        #expect(throws: SyncServer.Failure.self) { try node.server.journal("import", "--database", "items") }
        try node.server.start()
        let (other, moved) = (try cluster.node("b"), try await node.configuration("moved"))
        defer { other.end() }
        var configuration = moved
        configuration.fileURL = plain.file("A")
        let a = try Realm(configuration: configuration)
        let moment = Date()
        try await Task.sleep(for: .seconds(1.1))
        try a.writeItems(31...40)
        try await a.uploaded()
        let b = try await other.device("B")
        try await waits(b, for: 40)
        try b.writeItems(101...105)
        try await waits(a, for: 45)

        for (time, count) in [(moment, 30), (Date(timeIntervalSinceNow: 2), 45)] {
            let folder = node.folder.appendingPathComponent("restored-\(count)")
            try node.server.journal(
                "restore", "--database", "items", "--at", time.formatted(.iso8601), "--to", folder.path)
            #expect(try node.server.count("Item", inFile: folder.appendingPathComponent("database.causeway")) == count)
        }
        // Where a snapshot is as old as the journal, every time has something; where the snapshot is gone, that is said.
        _ = try cluster.postgres.query("DELETE FROM causeway.snapshot")
        #expect {
            try node.server.journal(
                "restore", "--database", "items", "--at", "2020-01-01T00:00:00Z", "--to", node.file("early").path)
        } throws: {
            "\($0)".contains("Its oldest entry is of \(Date().formatted(.iso8601.year()))-")
        }
    }
}
