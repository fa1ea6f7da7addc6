import Causeway
import CausewayPrograms
import Foundation
import Testing

/// Accounts that all nodes have.
@Suite("Accounts of nodes", .serialized, .timeLimit(.minutes(15)))
@MainActor
struct NodeAccountTests {
    private static let section = """
        accounts:
          anonymous: true
          emailPassword: true
          userAPIKeys: true
          accessTokenSeconds: 20

        """

    @Test("a user registers on one node and logs in on another; keys, tokens and shutting out count on both")
    func everywhere() async throws {
        try await NodeCluster.withTwo(Self.section) { cluster, nodes, _ in
            let (first, second) = (nodes[0].app(), nodes[1].app())
            let credentials = Credentials.emailPassword(email: "ann@example.org", password: "correct horse battery")
            try await first.emailPasswordAuth.registerUser(
                email: "ann@example.org", password: "correct horse battery")
            let (here, there) = (
                try await first.login(credentials: credentials), try await second.login(credentials: credentials)
            )
            #expect(here.id == there.id)
            await #expect(throws: AppError.self) {
                try await second.emailPasswordAuth.registerUser(email: "ann@example.org", password: "another one")
            }
            let key = try #require(try await there.apiKeysAuth.createAPIKey(named: "laptop").key)
            #expect(try await nodes[0].app(folder: "laptop").login(credentials: .userAPIKey(key)).id == here.id)
            // The token of one node opens a session on the other.
            var configuration = here.flexibleSyncConfiguration(initialSubscriptions: {
                $0.append(QuerySubscription<Item>(name: "items"))
            })
            configuration.fileURL = nodes[0].file("A")
            configuration.objectTypes = [Item.self, Reading.self]
            let realm = try Realm(configuration: configuration)
            try realm.writeItems(1...3)
            try await realm.uploaded()
            // The operator's command needs no node.
            #expect(try nodes[1].server.accounts("list").contains(here.id))
            try nodes[0].server.accounts("disable", "--user", here.id)
            let refused = await #expect(throws: AppError.self) { try await second.login(credentials: credentials) }
            #expect(refused?.code == .userDisabled)
            try nodes[1].server.accounts("enable", "--user", here.id)
            _ = try await second.login(credentials: credentials)
        }
    }

    @Test("while PostgreSQL is away logins wait; what was registered is there afterwards")
    func away() async throws {
        try await NodeCluster.withTwo(Self.section) { cluster, nodes, _ in
            let (first, second) = (nodes[0].app(), nodes[1].app())
            let user = try await first.login(credentials: .anonymous)
            cluster.postgres.kill()
            let away = await #expect(throws: AppError.self) { try await second.login(credentials: .anonymous) }
            #expect(away?.code == .maintenanceInProgress, "\(String(describing: away))")
            try cluster.postgres.start()
            _ = try await second.login(credentials: .anonymous)
            #expect(try nodes[0].server.accounts("list").contains(user.id))
        }
    }

    @Test("accounts and those who are shut out move into the journal with their database, and come back with it")
    func moving() async throws {
        let cluster = try NodeCluster()
        defer { cluster.end() }
        let credentials = Credentials.emailPassword(email: "ann@example.org", password: "correct horse battery")
        let plain = try Bench("plain", accounts: Self.section)
        defer { plain.end() }
        try await plain.app().emailPasswordAuth.registerUser(
            email: "ann@example.org", password: "correct horse battery")
        let id = try await plain.app().login(credentials: credentials).id
        #expect(plain.server.stop() == 0)
        let node = try cluster.node("a", Self.section)
        defer { node.end() }
        node.server.kill()
        try #"{"format": 1, "entries": [{"user": "mallory", "since": 7, "note": "x"}]}"#
            .write(toFile: plain.server.dataFolder + "/shut-out.json", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: node.server.dataFolder, withIntermediateDirectories: true)
        for name in ["database.causeway", "accounts.causeway", "shut-out.json"] {
            try FileManager.default.copyItem(
                atPath: plain.server.dataFolder + "/" + name, toPath: node.server.dataFolder + "/" + name)
        }
        try node.server.journal("init")
        #expect(try node.server.journal("import", "--database", "items").contains("is in the journal"))
        #expect(!FileManager.default.fileExists(atPath: node.server.dataFolder + "/accounts.causeway"))
        try node.server.start()
        #expect(try await node.app(folder: "moved").login(credentials: credentials).id == id)
        let folder = node.folder.appendingPathComponent("restored")
        try node.server.journal("restore", "--database", "items", "--to", folder.path)
        let list = try String(contentsOf: folder.appending(path: "shut-out.json"), encoding: .utf8)
        #expect(list.contains("mallory") && list.contains("7"))
        #expect(FileManager.default.fileExists(atPath: folder.path + "/accounts.causeway"))
    }
}
