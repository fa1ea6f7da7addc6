import CausewayFolders
import CausewayIdentity
import CausewayJSON
import CausewayModel
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("Accounts, as administrators see them")
struct AdminAccountTests {
    private static let withAccounts =
        AdminBench.least + """
            accounts: {}
            log: {audit: audit.log}

            """

    /// Makes accounts that log in with keys: without passwords, whose hashes cost seconds. The office is not closed: its
    /// file is the one that the server uses.
    private func make(_ count: Int, in bench: AdminBench) throws -> [(key: String, user: String)] {
        let office = try AccountOffice(folder: bench.folder.file("flights"))
        return try (1...count).map { try office.makeServerKey(named: "program \($0)") }
    }

    private func logIn(_ key: String, _ bench: AdminBench) async throws -> Int {
        let accounts = try #require(bench.tenants["flights"]?.accounts)
        let body = #"{"provider":"api-key","key":"\#(key)"}"#
        return await accounts.answer("login", body: Array(body.utf8), token: nil, peer: "10.0.0.1").status
    }

    @Test("accounts are listed page by page, and nothing that lets anybody in is among it")
    func list() async throws {
        try await AdminBench.run(Self.withAccounts) { bench in
            let made = try make(3, in: bench)
            #expect(try await logIn(made[0].key, bench) == 200)
            var (users, after, pages): ([JSON], String?, Int) = ([], nil, 0)
            repeat {
                let page = try await bench.get(
                    "GET", "databases/flights/accounts?limit=2" + (after.map { "&after=\($0)" } ?? ""))
                users += page["accounts"]?.elements ?? []
                (after, pages) = (page["next"]?.string, pages + 1)
            } while after != nil
            #expect(users.count == 3 && pages == 2)
            let ids = users.compactMap { $0["user"]?.string }
            #expect(ids == made.map(\.user).sorted())
            #expect(Set(users.map { $0["name"]?.string }) == ["program 1", "program 2", "program 3"])
            for user in users {
                let names = user.members?.map(\.name.string) ?? []
                #expect(Set(names).isSubset(of: ["user", "name", "email", "providers", "isDisabled", "created"]))
                #expect(user["providers"]?.elements?.map(\.string) == ["api-key"])
                #expect(user["isDisabled"] == .bool(false) && user["created"]?.string?.hasSuffix("Z") == true)
            }
            #expect(try await bench.get("GET", "databases/flights/accounts?limit=3")["next"] == nil)
        }
    }

    @Test("an account that is disabled cannot log in until it is enabled, and the audit log says who did that")
    func disabled() async throws {
        try await AdminBench.run(Self.withAccounts) { bench in
            let (key, user) = try make(1, in: bench)[0]
            #expect(try await logIn(key, bench) == 200)
            let path = "databases/flights/accounts/\(user)/disabled"
            #expect(try await bench.get("PUT", path)["wasDisabled"] == .bool(false))
            #expect(try await bench.get("PUT", path)["wasDisabled"] == .bool(true))
            #expect(try await logIn(key, bench) == 403)
            let shown = try await bench.get("GET", "databases/flights/accounts")["accounts"]?.elements?.first
            #expect(shown?["isDisabled"] == .bool(true))
            #expect(try await bench.get("DELETE", path)["wasDisabled"] == .bool(true))
            #expect(try await logIn(key, bench) == 200)
            let changes = try String(contentsOfFile: bench.folder.file("audit.log"), encoding: .utf8)
                .split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
                .filter { $0["event"]?.string == "accountChanged" }
            #expect(changes.map { $0["subject"]?.string } == ["disable \(user)", "enable \(user)"])
            #expect(changes.allSatisfy { $0["user"]?.string == "admin" && $0["database"]?.string == "flights" })
            try await bench.expect(404, "accountUnknown", "PUT", "databases/flights/accounts/nobody/disabled")
        }
    }

    @Test("a database without accounts says so")
    func none() async throws {
        try await AdminBench.run { bench in
            try await bench.expect(422, "notConfigured", "GET", "databases/flights/accounts")
            try await bench.expect(422, "notConfigured", "PUT", "databases/flights/accounts/ann/disabled")
            try await bench.expect(404, "databaseUnknown", "GET", "databases/nothing/accounts")
        }
    }
}
