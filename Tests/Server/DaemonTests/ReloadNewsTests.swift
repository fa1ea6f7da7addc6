import CausewayFolders
import CausewayIdentity
import CausewayJSON
import CausewayTelemetry
import Foundation
import Testing

@testable import CausewayDaemon

/// A reload says of what is new that it is, and nothing of the rest.
@Suite("What a reload finds new")
struct ReloadNewsTests {
    private static let audited = AdminBench.least + "log: {audit: audit.log}\n"

    private func outcomes(_ bench: AdminBench) async throws -> [String: String] {
        let parts = try await bench.get("POST", "reload")["parts"]?.elements ?? []
        return Dictionary(
            parts.compactMap { part in part["part"]?.string.map { ($0, part["outcome"]?.string ?? "") } },
            uniquingKeysWith: { $1 })
    }

    private func events(_ bench: AdminBench) throws -> [JSON] {
        guard bench.folder.names.contains("audit.log") else { return [] }
        return try bench.folder.read("audit.log").split(separator: UInt8(ascii: "\n"))
            .map { try JSONReader.read(Array($0)) }
    }

    private func names(_ bench: AdminBench) throws -> [String] {
        try events(bench).compactMap { $0["event"]?.string }
    }

    private func replaceKeys(_ bench: AdminBench, _ names: String...) throws {
        let keys = try DevelopmentKeys.make(hosts: ["localhost"], days: 2, tokens: .es256, now: Date())
        for name in names { bench.folder.write(keys.files.first { $0.name == name }?.text ?? "", "keys/\(name)") }
    }

    @Test("files that hold what they held are unchanged, also when they were written anew, and no event says more")
    func unchanged() async throws {
        try await AdminBench.run(Self.audited) { bench in
            let file = "keys/" + DevelopmentKeys.Name.server
            bench.folder.write(bench.folder.read(file), to: file)
            for _ in 0..<2 {
                let outcomes = try await outcomes(bench)
                #expect(outcomes.values.allSatisfy { $0 == "unchanged" }, "\(outcomes)")
            }
            #expect(try names(bench) == ["configurationReloaded", "configurationReloaded"])
            #expect(try events(bench).allSatisfy { $0["subject"] == nil })
        }
    }

    @Test("another certificate, other keys and other rules are applied once, each with its event")
    func replaced() async throws {
        try await AdminBench.run(Self.audited) { bench in
            try replaceKeys(bench, DevelopmentKeys.Name.server, DevelopmentKeys.Name.serverKey)
            var found = try await outcomes(bench)
            #expect(found["certificate"] == "applied" && found["tokenKeys"] == "unchanged")
            let text = bench.telemetry.registry.text()
            #expect(text.contains(#"causeway_certificate_expiry_timestamp_seconds{listener="devices"} "#), "\(text)")
            try replaceKeys(bench, DevelopmentKeys.Name.tokenPublic)
            found = try await outcomes(bench)
            #expect(found["certificate"] == "unchanged" && found["tokenKeys"] == "applied")
            bench.folder.write(
                Self.audited.replacing(
                    "folder: flights}", with: "folder: flights, permissions: {default: {read: false}}}"),
                "sync-server.yaml")
            #expect(try await outcomes(bench)["permissions.flights"] == "applied")
            #expect(try await outcomes(bench).values.allSatisfy { $0 == "unchanged" })
            let reloaded = AuditEvent.Kind.configurationReloaded.rawValue
            #expect(
                try names(bench) == [
                    "certificateReplaced", reloaded, "tokenKeysReplaced", reloaded, "permissionsReplaced", reloaded,
                    reloaded,
                ])
            #expect(try events(bench)[1]["subject"]?.string == "certificate applied")
        }
    }

    @Test("issuers that change are new keys, and keys that could not be read are new once they can be")
    func keySections() async throws {
        try await AdminBench.run(Self.audited) { bench in
            bench.folder.write(
                Self.audited.replacing("algorithm: ES256}]}", with: "algorithm: ES256}], issuers: a}"),
                "sync-server.yaml")
            let first = try await outcomes(bench)
            #expect(first["tokenKeys"] == "applied")
            let file = "keys/" + DevelopmentKeys.Name.tokenPublic
            let good = bench.folder.read(file)
            bench.folder.write("none", file)
            for _ in 0..<2 { #expect(try await outcomes(bench)["tokenKeys"] == "refused") }
            bench.folder.write(good, to: file)
            #expect(try await outcomes(bench)["tokenKeys"] == "applied")
            #expect(try await outcomes(bench)["tokenKeys"] == "unchanged")
        }
    }

    @Test("a refusal names the file, and is counted apart from what was applied")
    func refused() async throws {
        try await AdminBench.run { bench in
            _ = try await outcomes(bench)
            bench.folder.write("nonsense", "sync-server.yaml")
            let part = try #require(try await bench.get("POST", "reload")["parts"]?.elements?.first)
            let file = bench.folder.file("sync-server.yaml")
            #expect(part["reason"]?.string?.hasPrefix("\(file) has problems:") == true, "\(part)")
            let text = bench.telemetry.registry.text()
            #expect(text.contains(#"causeway_configuration_reloads_total{outcome="applied"} 1"#), "\(text)")
            #expect(text.contains(#"causeway_configuration_reloads_total{outcome="refused"} 1"#), "\(text)")
            #expect(text.contains("causeway_configuration_read_timestamp_seconds 1"), "\(text)")
        }
    }

    // MARK: - One database alone

    @Test("a call that adds or drops a database applies nothing else, whether it is refused or not")
    func alone() async throws {
        try await AdminBench.run(Self.audited) { bench in
            bench.folder.write(Self.audited + "limits: {sessionsOfUser: 1}\n", "sync-server.yaml")
            try replaceKeys(bench, DevelopmentKeys.Name.server, DevelopmentKeys.Name.serverKey)
            func pending() async throws -> Bool {
                try await bench.get("GET", "configuration")["limits"]?["sessionsOfUser"]?.int != 1
            }
            let missing = #"{"name":"x","tokens":{"keys":[{"file":"nowhere.pem","algorithm":"ES256"}]}}"#
            try await bench.expect(422, "configurationInvalid", "POST", "databases", missing)
            #expect(try await pending())
            let added = try await bench.get("POST", "databases", #"{"name":"tasks"}"#, status: 201)
            #expect(added["parts"]?.elements?.map { $0["part"]?.string } == ["databases.tasks"])
            #expect(try await pending())
            let listed = try await bench.get("GET", "configuration")["databases"]?.elements
            #expect(listed?.map { $0["name"]?.string } == ["flights", "tasks"])
            #expect(listed?.last?["hasFile"] == .bool(true))
            let dropped = try await bench.get("DELETE", "databases/tasks?deleteFiles=tasks")
            #expect(dropped["parts"]?.elements?.map { $0["part"]?.string } == ["databases.tasks"])
            #expect(try await pending())
            #expect(try names(bench) == ["databaseAdded", "databaseDropped"])
            #expect(try events(bench).last?["subject"]?.string == "deleteFiles")
            let found = try await outcomes(bench)
            #expect(found["limits.sessionsOfUser"] == "applied" && found["certificate"] == "applied")
            #expect(found["tokenKeys"] == "unchanged" && found["databases.flights"] == "unchanged")
        }
    }

    @Test("keys of a database that a call has added are no news for the next reload")
    func keysOfAdded() async throws {
        try await AdminBench.run { bench in
            let body = #"{"name":"tasks","tokens":{"audiences":["t"]}}"#
            try await bench.get("POST", "databases", body, status: 201)
            #expect(try await outcomes(bench)["tokenKeys"] == "unchanged")
            try await bench.get("DELETE", "databases/tasks")
            #expect(try await outcomes(bench)["tokenKeys"] == "unchanged")
        }
    }

    @Test("the configuration in force names the token's file and the audit log, and not what is in them")
    func configuration() async throws {
        let text = Self.audited + "admin: {tokenFile: keys/admin-token}\n"
        let folder = try TemporaryFolder(waitsForDisk: false)
        folder.write(text, "sync-server.yaml")
        let read = try ConfigurationFile.read(folder.file("sync-server.yaml"))
        var writer = JSONWriter()
        read.append(to: &writer)
        let json = try JSONReader.read(writer.bytes)
        #expect(json["admin"]?["tokenFile"]?.string == folder.file("keys/admin-token"))
        #expect(json["admin"]?["metricsWithoutToken"] == .bool(true))
        #expect(json["log"]?["audit"]?.string == folder.file("audit.log"))
    }
}
