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
        let (status, data) = try await Bench.call(port, method, path)
        return (status, String(decoding: data, as: UTF8.self))
    }

    /// A device that met a database that is not open comes again after half a minute.
    private func waits(_ what: String, _ condition: @MainActor () async throws -> Bool) async throws {
        try await Bench.waits(what, seconds: 90, condition)
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
            for port in ports {
                try await waits("each node sees both") {
                    let seen = try await get(port, "/admin/v1/nodes").text
                    return nodes.allSatisfy { seen.contains(":\($0.server.port)\"") } && seen.contains("\"position\"")
                }
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

            // Nothing is to be switched on that the daemons know, and nothing at all while a node is there that is older.
            let switchOn = "/admin/v1/databases/items/journal/generation"
            let kept = try await get(ports[0], switchOn, "PUT")
            #expect(kept.status == 200 && kept.text.contains("\"generation\":1"), "\(kept)")
            let register = NodeRegister(settings)
            try register.say(
                .init(node: "older", place: "elsewhere:1", program: "0.0", generation: 0, databases: ["items": .at(1)]))
            let refused = try await get(ports[0], switchOn, "PUT")
            #expect(refused.status == 409 && refused.text.contains("elsewhere:1 (generation 0)"), "\(refused)")
            try await waits("a node that says nothing any more is gone") {
                let seen = try await get(ports[1], "/admin/v1/nodes").text
                return seen.contains("elsewhere:1") && seen.contains("\"isHere\":false")
            }
            #expect(try await get(ports[0], switchOn, "PUT").status == 200)

            // Switched on too early: the older nodes stop, say why, and lose nothing.
            try newer.switchOn(generation: 2)
            for port in ports {
                try await waits("the node says what it needs") {
                    try await get(port, "/readyz").text.contains("It needs software of generation 2")
                }
            }
            #expect(newer.end == nil)
            try a.writeItems(31...40)
            for port in ports {
                try await waits("nodes hear of each other that they are not open") {
                    let seen = try await get(port, "/admin/v1/nodes").text
                    return seen.components(separatedBy: "\"isOpen\":false").count == 3
                }
            }
            // Nothing is lost: an earlier moment is a database that the daemons can serve, and A sends what it has.
            for node in nodes { node.server.kill() }
            _ = try cluster.postgres.query("DELETE FROM causeway.journal WHERE position = \(newer.position)")
            _ = try cluster.postgres.query(
                """
                UPDATE causeway.head SET position = \(newer.position - 1), incarnation = incarnation + 1,
                chain = (SELECT chain FROM causeway.journal WHERE position = \(newer.position - 1))
                """)
            for node in nodes { try node.server.start() }
            try await waits("B has what A wrote meanwhile") { count(b) == 40 }
        }
    }
}
