import Causeway
import CausewayFolders
import CausewayJournalPostgreSQL
import CausewayPostgreSQL
import CausewayPrograms
import CausewayStoreEmbedded
import CausewayStoreReplicated
import Foundation
import FoundationNetworking
import Testing

/// Two generations of the software on one journal: daemons as they are, and a node of the next generation in this process.
@Suite("Upgrading nodes", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct NodeUpgradeTests {
    private func get(_ port: Int, _ path: String, _ method: String = "GET") async throws -> (status: Int, text: String)
    {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        request.setValue("Bearer \(Bench.adminToken)", forHTTPHeaderField: "authorization")
        let (data, answer) = try await URLSession.shared.data(for: request)
        return ((answer as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    private func waits(_ what: String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<1_500 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("It did not happen: \(what)")
    }

    private func count(_ realm: Realm) -> Int {
        realm.refresh()
        return realm.objects(Item.self).count
    }

    @Test(
        "nodes see each other, also those that are gone; a newer one writes as the older ones do until it is switched on"
    )
    func rolling() async throws {
        try await NodeCluster.withTwo { cluster, nodes, ports in
            let (a, b) = (try await nodes[0].device("A"), try await nodes[1].device("B"))
            try a.writeItems(1...20)
            try await waits("B has what A wrote") { count(b) == 20 }
            try await waits("each node sees both") {
                let seen = try await get(ports[0], "/admin/v1/nodes").text
                return nodes.allSatisfy { seen.contains(":\($0.server.port)\"") } && seen.contains("\"position\"")
            }

            // A node of the next generation comes, and what it writes the others apply.
            let settings: PostgreSQLSettings = {
                [connection = cluster.postgres.connection] () throws(PostgreSQLFailure) in
                connection
            }
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: folder.file("newer"), withIntermediateDirectories: true)
            let journal = try PostgreSQLJournal.open("items", settings) { .random(in: 1...UInt64.max) }
            let replica = try StoreEmbedded.openReplica(folder: folder.file("newer"), of: journal.database)
            let newer = try StoreReplicated(replica, following: journal, options: .init(generation: 2))
            try newer.begin(with: StoreEmbedded.Options().settings)
            try newer.take(StoreEmbedded.Options(historyVersionsMax: 4_321).settings)
            try await waits("the daemons have the limits that it put") {
                try await get(ports[1], "/admin/v1/databases/items/journal").text.contains("4321")
            }
            try b.writeItems(101...110)
            try await waits("A has what B wrote") { count(a) == 30 }

            // Nothing is to be switched on that the daemons know.
            let register = NodeRegister(settings)
            try register.say(
                .init(node: "newer", place: "elsewhere:1", program: "9.9", generation: 2, databases: ["items": .at(1)]))
            let kept = try await get(ports[0], "/admin/v1/databases/items/journal/generation", "PUT")
            #expect(kept.status == 200 && kept.text.contains("\"generation\":1"), "\(kept)")
            let listed = try await get(ports[1], "/admin/v1/nodes").text
            #expect(listed.contains("elsewhere:1") && listed.contains("\"generation\":2"), "\(listed)")

            // Switched on too early: the older nodes stop, say why, and lose nothing.
            try newer.switchOn(generation: 2)
            for port in ports {
                try await waits("the node says what it needs") {
                    try await get(port, "/readyz").text.contains("It needs software of generation 2")
                }
            }
            try a.writeItems(31...40)
            #expect(newer.end == nil && count(a) == 40)
            try await waits("the others hear that it is not open") {
                try await get(ports[0], "/admin/v1/nodes").text.contains("\"isOpen\":false")
            }
        }
    }
}
