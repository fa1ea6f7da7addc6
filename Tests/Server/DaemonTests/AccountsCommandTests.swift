import ArgumentParser
import CausewayEnvironment
import CausewayFolders
import CausewayIdentity
import CausewayJSON
import CausewayLimits
import Foundation
import Logging
import Testing

@testable import CausewayDaemon

@Suite("sync-server accounts, and the audit log")
struct AccountsCommandTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder(waitsForDisk: false)
        try write(audit: "audit.log")
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let accounts = try await CausewayIdentity.Accounts.open(
            folder: folder.file("data"), database: "tasks", rules: AccountRules(), providers: [:],
            messenger: LogMessenger(logger: logger), functions: ProgramFunctions([], logger: logger),
            rates: .unlimited, clock: SystemClock())
        await accounts.end()
    }

    private func write(audit: String) throws {
        folder.write(
            """
            tls: {certificate: keys/server.pem, key: keys/server-key.pem}
            databases: [{name: tasks, folder: data}]
            accounts: {}
            log: {audit: \(audit)}
            """, "sync-server.yaml")
    }

    private var arguments: [String] { ["--configuration", folder.file("sync-server.yaml"), "--database", "tasks"] }

    private func lines() throws -> [JSON] {
        try folder.read("audit.log").split(separator: UInt8(ascii: "\n")).map { try JSONReader.read(Array($0)) }
    }

    @Test("every change is a line that says who did what to whom, and a look at the users is none")
    func changes() throws {
        try AccountsCommand.ServerKey.parse(arguments + ["--name", "reports"]).run()
        let user = try #require(try lines().first?["subject"]?.string?.split(separator: " ").last.map(String.init))
        try AccountsCommand.List.parse(arguments).run()
        try AccountsCommand.Disable.parse(arguments + ["--user", user]).run()
        try AccountsCommand.Enable.parse(arguments + ["--user", user]).run()
        try AccountsCommand.CustomData.parse(arguments + ["--user", user, "--json", #"{"secret": "words"}"#]).run()
        try AccountsCommand.Role.parse(arguments + ["--user", user, "--role", "chief"]).run()
        let written = try lines()
        #expect(
            written.map { $0["subject"]?.string }
                == ["server-key", "disable", "enable", "custom-data", "role"].map { "\($0) \(user)" })
        for line in written {
            #expect(line["event"]?.string == "accountChanged" && line["database"]?.string == "tasks")
            #expect(line["user"]?.string == "operator \(NSUserName())" && line["code"] == nil)
            #expect(line["time"]?.int ?? 0 > 0)
        }
        #expect(!String(decoding: folder.read("audit.log"), as: UTF8.self).contains("words"))
    }

    @Test("a change that is refused is a line with its code")
    func refused() throws {
        #expect(throws: IdentityError.self) {
            try AccountsCommand.Disable.parse(arguments + ["--user", "nobody"]).run()
        }
        let line = try #require(try lines().first)
        #expect(line["event"]?.string == "accountRefused" && line["code"]?.string == "requestInvalid")
        #expect(line["subject"]?.string == "disable nobody")
    }

    @Test("standard output is the command's own, and no file is made where the log goes there")
    func standardOutput() throws {
        try write(audit: "stdout")
        try AccountsCommand.ServerKey.parse(arguments + ["--name", "reports"]).run()
        #expect(!FileManager.default.fileExists(atPath: folder.file("audit.log")))
    }
}
