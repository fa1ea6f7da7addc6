import CausewayEndpoint
import CausewayFolders
import CausewayIdentity
import CausewayModel
import CausewaySession
import CausewayWire
import Foundation
import Testing

@testable import CausewayDaemon

/// Whose tokens and whose rules hold for a database that comes while the server runs, and for another of its name.
@Suite("Tokens and rules of databases that come and go")
struct NewDatabaseTests {
    private func code(_ bench: AdminBench, _ database: String) async throws -> SyncFailure.Code? {
        do {
            _ = try await bench.devices.caller("ada", of: database)
            return nil
        } catch let failure as SyncFailure {
            return failure.code
        }
    }

    @Test("a database whose token keys cannot be read is not added, and never served under the tokens of all")
    func missingKey() async throws {
        try await AdminBench.run { bench in
            let body = #"{"name":"secure","tokens":{"keys":[{"file":"keys/nowhere.pem","algorithm":"ES256"}]}}"#
            try await bench.expect(422, "configurationInvalid", "POST", "databases", body)
            #expect(try await code(bench, "secure") == .databaseUnknown)
            #expect(
                try ConfigurationFile.read(bench.folder.file("sync-server.yaml")).databases.map(\.name) == ["flights"])
        }
    }

    @Test("another database's missing key does not change whose tokens a new one accepts")
    func anothersMissingKey() async throws {
        try await AdminBench.run { bench in
            try FileManager.default.createDirectory(
                atPath: bench.folder.file("databases.d"), withIntermediateDirectories: true)
            bench.folder.write(
                "name: broken\nfolder: broken\ntokens: {keys: [{file: nowhere.pem, algorithm: ES256}]}\n",
                "databases.d/broken.yaml")
            let own = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date())
            let file = try #require(own.files.first { $0.name == DevelopmentKeys.Name.tokenPublic })
            bench.folder.write(file.text, "keys/own.pem")
            let key = bench.folder.file("keys/own.pem")
            let body = #"{"name":"secure","tokens":{"keys":[{"file":"\#(key)","algorithm":"ES256"}]}}"#
            try await bench.get("POST", "databases", body, status: 201)
            #expect(try await code(bench, "secure") == .tokenInvalid)
            #expect(try await code(bench, "flights") == nil)
        }
    }

    @Test("there are no callers of a database that is not served: nobody is let in without its rules")
    func noDatabase() async throws {
        try await AdminBench.run { bench in
            #expect(try await code(bench, "tasks") == .databaseUnknown)
            try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
            #expect(try await code(bench, "tasks") == nil)
            try await bench.get("DELETE", "databases/tasks")
            #expect(try await code(bench, "tasks") == .databaseUnknown)
        }
    }

    @Test("who was found in a database is not known to the next one of its name")
    func sameName() async throws {
        try await AdminBench.run { bench in
            try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
            let caller = try await bench.devices.caller("ada", of: "tasks")
            #expect(bench.tenants.service(of: "tasks")?.knows(caller) == true)
            try await bench.get("DELETE", "databases/tasks?deleteFiles=tasks")
            try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
            #expect(bench.tenants.service(of: "tasks")?.knows(caller) == false)
            #expect(
                bench.tenants.service(of: "tasks")?.knows(try await bench.devices.caller("ada", of: "tasks")) == true)
        }
    }
}
