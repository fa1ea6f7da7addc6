import Causeway
import CausewayPrograms
import Foundation
import Testing

@Suite("Roles of accounts, by the rules of a real server", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct AccountRoleTests {
    private static let accounts = """
        accounts:
          anonymous: true
          userAPIKeys: true
        """
    private static let rules = """
        permissions:
          classes:
            Item:
              read: "$user.claims.role == 'chief' OR quantity < 10"
              write: "$user.claims.role == 'chief'"
        """

    private func open(_ bench: Bench, _ device: String, _ user: User) throws -> Realm {
        var configuration = user.flexibleSyncConfiguration(initialSubscriptions: {
            $0.append(QuerySubscription<Item>(name: "items"))
        })
        configuration.fileURL = bench.file(device)
        configuration.objectTypes = [Item.self, Reading.self]
        return try Realm(configuration: configuration)
    }

    /// A user who has roles, and the key with which they log in.
    private func login(_ bench: Bench, _ name: String, roles: [String]) async throws -> (User, App, key: String) {
        let app = bench.app(folder: name)
        let key = try bench.server.accounts("server-key", "--name", name)
        let user = try await app.login(credentials: .serverAPIKey(key))
        for role in roles { try bench.server.accounts("role", "--user", user.id, "--role", role) }
        // The next token says it.
        return (try await app.login(credentials: .serverAPIKey(key)), app, key)
    }

    @Test("a rule that asks for a role permits the users who have it, to read and to write, and nobody else")
    func roles() async throws {
        let bench = try Bench("roles", accounts: Self.accounts, settings: Self.rules)
        defer { bench.end() }
        let (chief, _, _) = try await login(bench, "chief", roles: ["chief"])
        let (clerk, app, key) = try await login(bench, "clerk", roles: ["clerk"])
        #expect(chief.id != clerk.id)

        let ofChief = try open(bench, "chief", chief)
        try ofChief.writeItems(8...12)
        try await ofChief.uploaded()
        #expect(try bench.server.count("Item") == 5)
        let ofClerk = try open(bench, "clerk", clerk)
        try await ofClerk.downloaded()
        #expect(ofClerk.objects(Item.self).map(\.id).sorted() == [8, 9])
        try ofClerk.write { ofClerk.object(ofType: Item.self, forPrimaryKey: 8)?.name = "mine" }
        try ofClerk.writeItems(1...1)
        try await ofClerk.uploaded()
        try await ofClerk.downloaded()
        #expect(try bench.server.count("Item", where: "name == 'mine'") == 0)
        #expect(try bench.server.count("Item") == 5)
        #expect(ofClerk.objects(Item.self).map(\.name).sorted() == ["item 8", "item 9"])
        #expect(ofClerk.unsyncedChanges.count == 2)
        #expect(ofClerk.unsyncedChanges.allSatisfy { $0.code == 103 })

        // A clerk who becomes a chief reads and writes everything from the next token on.
        try bench.server.accounts("role", "--user", clerk.id, "--role", "clerk", "--role", "chief")
        _ = try await app.login(credentials: .serverAPIKey(key))
        try ofClerk.writeItems(2...2)
        try await ofClerk.uploaded()
        try await ofClerk.downloaded()
        #expect(ofClerk.objects(Item.self).map(\.id).sorted() == [2, 8, 9, 10, 11, 12])
    }
}
