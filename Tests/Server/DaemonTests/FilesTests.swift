import CausewayEnvironment
import CausewayFolders
import CausewayIdentity
import CausewayModel
import Foundation
import Logging
import Testing

@testable import CausewayDaemon

extension TemporaryFolder {
    var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    func write(_ text: String, _ name: String) { write(Array(text.utf8), to: name) }
}

@Suite("Files the server reads and makes")
struct FilesTests {
    private let least = """
        tls: {certificate: keys/server.pem, key: keys/server-key.pem}
        databases: [{name: flights, folder: data}]
        tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}], issuers: a, audiences: b}
        """

    private func inspect(_ folder: TemporaryFolder, _ text: String? = nil) async throws -> Inspection {
        folder.write(text ?? least, "sync-server.yaml")
        let configuration = try ConfigurationFile.read(folder.url.appending(path: "sync-server.yaml").path)
        return await Inspection(configuration, now: Date())
    }

    @Test("made keys serve the least configuration, without a problem or a warning")
    func goodFolder() async throws {
        let folder = try TemporaryFolder()
        let keys = try DevelopmentKeys.make(hosts: ["sync.example.org"], days: 30, tokens: .es256, now: Date())
        _ = try KeyFolder(folder.url.appending(path: "keys").path).write(keys.files)
        let inspection = try await inspect(folder)
        #expect(inspection.problems.isEmpty, "\(inspection.problems)")
        #expect(inspection.warnings.isEmpty, "\(inspection.warnings)")
        #expect(inspection.hosts == ["localhost", "127.0.0.1", "sync.example.org"])
        let configuration = try ConfigurationFile.read(folder.url.appending(path: "sync-server.yaml").path)
        let verifiers = TokenVerifiers(try inspection.verifiers(configuration))
        let verifier = try #require(verifiers["flights"])
        let secret = try #require(keys.files.first { $0.name == DevelopmentKeys.Name.tokenPrivate }).text
        let token = try await DevelopmentToken(user: "ada", issuer: "a", audience: "b").signed(
            with: secret, algorithm: .es256, source: "test", now: SystemClock().now())
        #expect(try verifier.caller(for: token, at: SystemClock().now()).user == "ada")
    }

    @Test("secrets are readable for their owner only")
    func permissions() throws {
        let folder = try TemporaryFolder()
        let keys = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date())
        for (path, file) in zip(try KeyFolder(folder.url.path).write(keys.files), keys.files) {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == (file.isSecret ? 0o600 : 0o644), "\(path)")
        }
    }

    @Test("keys are never overwritten, and nothing is written when one is there")
    func overwriting() throws {
        let folder = try TemporaryFolder()
        folder.write("mine", DevelopmentKeys.Name.serverKey)
        let keys = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date())
        let error = #expect(throws: CommandFailure.self) { try KeyFolder(folder.url.path).write(keys.files) }
        #expect(error?.description.contains("never overwritten") == true)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [DevelopmentKeys.Name.serverKey])
    }

    @Test("missing files are all told, each with its key")
    func missingFiles() async throws {
        let inspection = try await inspect(try TemporaryFolder())
        #expect(inspection.problems.map(\.key) == ["tls.certificate", "tls.key", "tokens.keys[0].file"])
        #expect(throws: ConfigurationError.self) { try inspection.verifiers(Configuration()) }
    }

    @Test("a key of another certificate, an ended certificate and damaged files are told")
    func badFiles() async throws {
        let folder = try TemporaryFolder()
        let keyFolder = KeyFolder(folder.url.appending(path: "keys").path)
        _ = try keyFolder.write(
            DevelopmentKeys.make(
                hosts: [], days: 1, tokens: .es256, now: Date().addingTimeInterval(-3 * 86_400)
            ).files)
        #expect(try await inspect(folder).problems.contains { $0.message.contains("ended on") })
        let other = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date())
        folder.write(other.files[3].text, "keys/server-key.pem")
        #expect(try await inspect(folder).problems.contains { $0.message.contains("does not belong") })
        folder.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "keys/server.pem")
        folder.write("x", "keys/token-public.pem")
        #expect(try await inspect(folder).problems.map(\.key) == ["tls", "tokens.keys[0].file"])
        folder.write("a file", "data")
        #expect(try await inspect(folder).databaseProblems.map(\.key) == ["databases[0].folder"])
    }

    @Test("a new database to which nobody may add classes is warned of")
    func noClasses() async throws {
        for (rule, isWarned) in [("false", true), ("\"$user.id == 'ann'\"", false), ("true", false)] {
            let text = least.replacing("folder: data}", with: "folder: data, permissions: {schema: {extend: \(rule)}}}")
            let warned = try await inspect(try TemporaryFolder(), text).warnings.map(\.key)
            #expect(warned.contains("databases[0].permissions.schema.extend") == isWarned, "\(rule): \(warned)")
        }
    }

    @Test("a configuration that is missing, binary or huge is refused with its path")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try Data([0xFF, 0xFE, 0x00]).write(to: folder.url.appending(path: "binary"))
        folder.write(String(repeating: "#", count: 300_000), "huge")
        for name in ["missing", "binary", "huge", "."] {
            let error = #expect(throws: ConfigurationError.self) {
                try ConfigurationFile.read(folder.url.appending(path: name).path)
            }
            #expect(error?.problems.count == 1, "\(name)")
        }
    }

    @Test("relative paths count from the configuration's folder")
    func relativePaths() throws {
        let configuration = try Configuration.read(least + "\n").resolved(against: URL(filePath: "/etc/causeway"))
        #expect(configuration.tls.certificate == "/etc/causeway/keys/server.pem")
        #expect(configuration.databases[0].folder == "/etc/causeway/data")
        let absolute = try Configuration.read(least.replacing("folder: data", with: "folder: /var/lib/flights"))
            .resolved(against: URL(filePath: "/etc"))
        #expect(absolute.databases[0].folder == "/var/lib/flights")
    }

    @Test("two servers cannot serve one folder")
    func folderLock() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "data").path
        do {
            let lock = try FolderLock(path)
            #expect(throws: CommandFailure.self) { _ = try FolderLock(path) }
            _ = consume lock
        }
        _ = try FolderLock(path)
    }

    @Test("a JSON log line holds message and metadata, escaped and in one order")
    func jsonLog() {
        struct Noon: WallClock {
            func now() -> UInt64 { 12 }
        }
        let handler = JSONLogHandler(label: "sync", clock: Noon())
        #expect(
            handler.line("info", "a \"b\"\n\u{1}", ["z": "1", "a": "\\"])
                == #"{"time":12,"level":"info","label":"sync","message":"a \"b\"\n\u0001","a":"\\","z":"1"}"#)
    }
}
