import Causeway
import CausewayPrograms
import Foundation
import FoundationNetworking
import Testing

/// What an administrator does on one node, as devices of another meet it.
@Suite("Administration of nodes", .serialized, .timeLimit(.minutes(15)))
@MainActor
struct NodeAdministrationTests {
    private func call(
        _ port: Int, _ method: String, _ path: String, _ json: String? = nil
    ) async throws -> (status: Int, answer: [String: Any]) {
        let (status, data) = try await Bench.call(port, method, "/admin/v1/databases/items/\(path)", json)
        return (status, try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:])
    }

    /// The properties of a class, as a node has them.
    private func properties(_ className: String, _ port: Int) async throws -> [String]? {
        let classes = try await call(port, "GET", "schema").answer["classes"] as? [[String: Any]]
        let found = classes?.first { $0["name"] as? String == className }
        return (found?["properties"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
    }

    @Test("a class that is dropped on one node is gone on the other, whose devices go on with the rest")
    func drop() async throws {
        try await NodeCluster.withTwo { cluster, nodes, ports in
            let (a, b) = (try await nodes[0].device("A"), try await nodes[1].device("B"))
            try a.writeItems(1...20)
            try await a.uploaded()
            try await Bench.waits("B has the items") {
                b.refresh()
                return b.objects(Item.self).count == 20
            }
            #expect(try await properties("Reading", ports[1]) != nil)
            let dropped = try await call(
                ports[0], "POST", "schema/drop", #"{"class": "Reading", "confirm": "Reading", "evenIfDeclared": true}"#)
            #expect(dropped.status == 200 && dropped.answer["isDropped"] as? Bool == true, "\(dropped)")
            // Devices were told to connect again, and declare it anew, empty.
            try b.writeItems(101...110)
            try await b.uploaded()
            try await Bench.waits("A has what B wrote") {
                a.refresh()
                return a.objects(Item.self).count == 30
            }
            #expect(b.objects(Item.self).count == 30)
            // PostgreSQL is away: nothing is changed anywhere.
            cluster.postgres.kill()
            let refused = try await call(
                ports[1], "POST", "schema/drop", #"{"class": "Reading", "confirm": "Reading", "evenIfDeclared": true}"#)
            #expect(refused.status == 503, "\(refused)")
            try cluster.postgres.start()
            try a.writeItems(201...205)
            try await Bench.waits("B has what A wrote") {
                b.refresh()
                return b.objects(Item.self).count == 35
            }
        }
    }

    @Test("who is shut out on one node is not let in on the other, until let in on any")
    func shutOut() async throws {
        try await NodeCluster.withTwo { cluster, nodes, ports in
            let b = try await nodes[1].device("B")
            try b.writeItems(1...5)
            try await b.uploaded()
            let answer = try await call(ports[0], "PUT", "shut-out/users/tester", #"{"note": "lost phone"}"#)
            #expect(answer.status == 200, "\(answer)")
            try await Bench.waits("the other node has it on its list") {
                let list = try await call(ports[1], "GET", "shut-out/users").answer["entries"] as? [[String: Any]]
                return list?.map { $0["note"] as? String } == ["lost phone"]
            }
            try b.writeItems(6...10)
            try await Bench.waits("the other node ends the session") {
                (try await call(ports[1], "GET", "sessions").answer["sessions"] as? [Any])?.isEmpty == true
            }
            #expect(try await call(ports[1], "DELETE", "shut-out/users/tester").answer["wasShutOut"] as? Bool == true)
            let again = try await nodes[0].device("again")
            b.syncSession?.reconnect()
            try await Bench.waits("what the device kept is everywhere") {
                again.refresh()
                return again.objects(Item.self).count == 10
            }
        }
    }

    @Test("a client is forgotten on one node; where it has a session, that ends")
    func forget() async throws {
        try await NodeCluster.withTwo { cluster, nodes, ports in
            let b = try await nodes[1].device("B")
            try await b.downloaded()
            let list = try await call(ports[1], "GET", "clients").answer["clients"] as? [[String: Any]]
            let client = try #require(list?.first?["client"] as? String)
            #expect(try await call(ports[1], "DELETE", "clients/\(client)").status == 409)
            let forgotten = try await call(ports[0], "DELETE", "clients/\(client)")
            #expect(forgotten.status == 200, "\(forgotten)")
            // It comes again, and writes.
            try b.writeItems(1...5)
            try await b.uploaded()
            #expect(try nodes[1].server.count("Item") == 5)
        }
    }

    @Test("limits that belong to the data are those of the first node, until an administrator has another's count")
    func limits() async throws {
        let cluster = try NodeCluster()
        defer { cluster.end() }
        let limits = ["limits: {historyVersions: 5000}\n", "limits: {historyVersions: 7000, objectsOfUser: 1000}\n"]
        try await Bench.withAdmin("a", accounts: cluster.section + limits[0]) { first, firstPort in
            first.server.kill()
            try first.server.journal("init")
            try first.server.start()
            try await Bench.withAdmin("b", accounts: cluster.section + limits[1]) { _, secondPort in
                @MainActor func shown(_ port: Int) async throws -> (versions: Int?, isOwn: Bool?, carries: Bool?) {
                    let answer = try await call(port, "GET", "journal").answer
                    return (
                        (answer["limits"] as? [String: Any])?["historyVersions"] as? Int,
                        answer["hasTheseLimits"] as? Bool,
                        answer["carries"] as? Bool
                    )
                }
                let (a, b) = (try await shown(firstPort), try await shown(secondPort))
                #expect(
                    a.versions == 5000 && b.versions == 5000 && a.isOwn == true && b.isOwn == false
                        && b.carries == false)
                #expect(try await call(secondPort, "PUT", "journal/limits").status == 200)
                try await Bench.waits("the other node has them") { try await shown(firstPort).versions == 7000 }
                let (here, there) = (try await shown(firstPort).isOwn, try await shown(secondPort).isOwn)
                #expect(here == false && there == true)
            }
        }
        try await Bench.withAdmin("alone") { _, port in
            let status = try await call(port, "GET", "journal").status
            #expect(status == 422)
        }
    }
}
