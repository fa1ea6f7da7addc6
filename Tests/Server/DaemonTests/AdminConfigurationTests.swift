import CausewayTelemetry
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("The section admin, and the audit log's place")
struct AdminConfigurationTests {
    private func read(_ section: String) throws -> Configuration {
        try Configuration.read(
            """
            tls: {certificate: a.pem, key: b.pem}
            databases: [{name: flights, folder: data}]
            tokens: {keys: [{file: t.pem, algorithm: ES256}]}
            \(section)
            """)
    }

    private func problems(_ section: String) -> [String] {
        do {
            _ = try read(section)
            return []
        } catch { return (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"] }
    }

    @Test("there is no admin listener without the section, and a local one for monitoring with an empty one")
    func defaults() throws {
        #expect(try read("").admin == nil)
        let admin = try #require(try read("admin: {}").admin)
        #expect(admin == Configuration.Admin())
        #expect(admin.isLocal && admin.metricsWithoutToken && !admin.usesTLS)
    }

    @Test("an address that other machines can call needs TLS and somebody who shows who they are")
    func remote() throws {
        #expect(problems("admin: {host: 0.0.0.0}").first?.contains("administrators must show who they are") == true)
        #expect(problems("admin: {host: 0.0.0.0, tokenFile: t}") == [])
        #expect(problems("admin: {host: 10.0.0.1, clientAuthorities: c.pem}") == [])
        let open = problems("admin: {host: 0.0.0.0, tokenFile: t, metricsWithoutToken: true}")
        #expect(open.first?.contains("metricsWithoutToken") == true)
        let admin = try #require(try read("admin: {host: 0.0.0.0, tokenFile: t}").admin)
        #expect(admin.usesTLS && !admin.metricsWithoutToken)
        #expect(try read("admin: {clientAuthorities: c.pem}").admin?.usesTLS == true)
    }

    @Test("unknown keys and empty values are named")
    func mistakes() {
        #expect(problems("admin: {tokenfile: t}").first?.contains("Did you mean tokenFile") == true)
        #expect(problems("admin: {tokenFile: ''}").first?.contains("not named") == true)
        #expect(problems("log: {audit: ''}").first?.contains("not named") == true)
        #expect(problems("log: {slowMilliseconds: 0}").count == 1)
    }

    @Test("paths count from the configuration's folder, and stdout is no path")
    func paths() throws {
        let folder = URL(filePath: "/etc/causeway")
        let configuration = try read("admin: {tokenFile: t, clientAuthorities: c}\nlog: {audit: logs/audit}")
            .resolved(against: folder)
        #expect(configuration.admin?.tokenFile == "/etc/causeway/t")
        #expect(configuration.admin?.clientAuthorities == "/etc/causeway/c")
        #expect(configuration.log.audit == .file("/etc/causeway/logs/audit"))
        #expect(try read("log: {audit: stdout}").resolved(against: folder).log.audit == .standardOutput)
    }

    @Test("a token that could be guessed, or that others can read, is told")
    func tokens() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "causeway-token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "token")
        func found(_ token: String) async throws -> Inspection {
            try token.write(to: file, atomically: true, encoding: .utf8)
            var configuration = try read("")
            configuration.admin = Configuration.Admin(tokenFile: file.path)
            return await Inspection(configuration, now: Date(), onlyKeys: true)
        }
        for token in ["", "short", String(repeating: "x", count: 2_000), String(repeating: "a b", count: 20)] {
            let problems = try await found(token).problems.filter { $0.key == "admin.tokenFile" }
            #expect(problems.count == 1, "\(token.prefix(10))")
            #expect(token.count < 5 || !problems[0].message.contains(token.prefix(5)), "\(token.prefix(10))")
        }
        let good = try await found(String(repeating: "g", count: 44) + "\n")
        #expect(good.problems.filter { $0.key.hasPrefix("admin") }.isEmpty)
        #expect(good.adminToken == String(repeating: "g", count: 44))
        #expect(good.warnings.contains { $0.key == "admin.tokenFile" && $0.message.contains("chmod 600") })
    }
}
