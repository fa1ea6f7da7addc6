import CausewayFolders
import CausewayIdentity
import CausewayModel
import CausewayStore
import CausewayStoreEmbedded
import CausewayTelemetry
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("What sync-server check tells of files, ports, classes and words")
struct CheckGapTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(waitsForDisk: false) }

    private func inspect(_ change: (inout Configuration) -> Void) async -> Inspection {
        var configuration = Configuration()
        change(&configuration)
        return await Inspection(configuration, now: Date())
    }

    @Test("an audit log that cannot be appended to is told, be it a folder or a file on a medium that is read-only")
    func auditLog() async throws {
        folder.write("", "good")
        for (path, word) in [
            (folder.path, "is a folder"), ("/proc/sys/kernel/ostype", "is not writable"),
            ("/proc/nowhere/log", "not writable"),
            (folder.file("good"), nil), (folder.file("new"), nil),
        ] as [(String, String?)] {
            let found = await inspect { $0.log.audit = .file(path) }.problems.filter { $0.key == "log.audit" }
            #expect(found.count == (word == nil ? 0 : 1), "\(path): \(found)")
            if let word { #expect(found.first?.message.contains(word) == true, "\(found)") }
        }
        #expect(!folder.names.contains("new"))
    }

    @Test("a folder of databases that is not there is a warning, for its databases are not served")
    func databasesFolder() async throws {
        let missing = await inspect { $0.databasesFolder = folder.file("databases.d") }
        #expect(missing.warnings.contains { $0.key == "databasesFolder" && $0.message.contains("not there") })
        #expect(!missing.problems.contains { $0.key == "databasesFolder" })
        let there = await inspect { $0.databasesFolder = folder.path }
        #expect(!there.warnings.contains { $0.key == "databasesFolder" })
    }

    @Test("two listeners on one port are told, and a port that is in use is a warning")
    func ports() async throws {
        let two = await inspect { configuration in
            configuration.admin = Configuration.Admin(port: configuration.listen.port)
            configuration.api = Configuration.Listen(host: "127.0.0.1", port: configuration.listen.port)
        }
        #expect(Set(["admin.port", "api.port"]).isSubset(of: two.problems.map(\.key)))

        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port =
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    guard bind(descriptor, pointer, length) == 0, listen(descriptor, 1) == 0,
                        getsockname(descriptor, pointer, &length) == 0
                    else { return 0 }
                    return 1
                }
            } == 1 ? Int(UInt16(bigEndian: address.sin_port)) : 0
        try #require(port > 0)
        var configuration = Configuration()
        configuration.listen = Configuration.Listen(host: "127.0.0.1", port: port)
        configuration.admin = Configuration.Admin(port: 0)
        let found = Inspection.portsInUse(configuration)
        #expect(found.map(\.key) == ["listen.port"])
        #expect(found.first?.message.contains("another program listens there already") == true, "\(found)")
        // Who has bound it lets it go.
        configuration.listen.port = 0
        #expect(Inspection.portsInUse(configuration) == [])
    }

    @Test("classes of webhooks and sinks that the database does not have are warned of, once it is there")
    func classes() async throws {
        folder.write(String(repeating: "s", count: 32), "secret")
        let text = """
            tls: {certificate: a.pem, key: b.pem}
            tokens: {keys: [{file: t.pem, algorithm: ES256}]}
            databases:
              - name: tasks
                folder: data
                webhooks:
                  - {name: hook, url: "https://localhost", secretFile: secret, classes: [Taks, Task]}
                sinks:
                  - {name: lines, type: files, folder: lines, classes: [Reading]}
            """
        folder.write(text, "sync-server.yaml")
        let read = try ConfigurationFile.read(folder.file("sync-server.yaml"))
        func warned() async -> [String] {
            await Inspection(read, now: Date()).warnings.filter { $0.key.hasSuffix(".classes") }.map(\.description)
        }
        #expect(await warned() == [])
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let store = try StoreEmbedded.open(folder: folder.file("data"), epochSeed: 7)
        try store.extendSchema(
            Schema([ClassSchema(name: "Task", properties: [Property(name: "_id", type: .int, isPrimaryKey: true)])]),
            by: Declarer(user: "eve", time: 1_700_000_000_000))
        store.close()
        let found = await warned()
        #expect(found.count == 2, "\(found)")
        #expect(
            found.first?.hasPrefix("databases[0].webhooks[0].classes: 'tasks' has no class 'Taks'") == true
                && found.first?.hasSuffix("Did you mean Task?") == true, "\(found)")
        #expect(found.last?.hasPrefix("databases[0].sinks[0].classes: 'tasks' has no class 'Reading'") == true)
    }

    @Test("a rule in words of other versions of YAML is told so")
    func words() {
        for (word, meant) in [("yes", "true"), ("No", "false"), ("on", "true"), ("TRUE", "true"), ("off", "false")] {
            let text = """
                tls: {certificate: a.pem, key: b.pem}
                tokens: {keys: [{file: t.pem, algorithm: ES256}]}
                databases: [{name: tasks, folder: data, permissions: {default: {read: \(word)}}}]
                """
            let error = #expect(throws: ConfigurationError.self) { try Configuration.read(text) }
            #expect(error?.problems.count == 1)
            #expect(error?.problems.first?.message.contains("'\(word)' is no rule") == true, "\(word)")
            #expect(error?.problems.first?.message.contains("Write \(meant), or an expression") == true, "\(word)")
        }
    }

    @Test("the keys that are known somewhere are each named once")
    func knownKeys() {
        let error = #expect(throws: ConfigurationError.self) { try Configuration.read("zzzzzzzzz: 1\n") }
        let message = error?.problems.first { $0.key == "zzzzzzzzz" }?.message ?? ""
        let names =
            message.components(separatedBy: "Known here are: ").last?.dropLast()
            .components(separatedBy: ", ") ?? []
        #expect(names.count > 5 && Set(names).count == names.count, "\(message)")
    }

    @Test("messages about files of keys show nothing that could be what is in them")
    func contents() async throws {
        folder.write("secret words", "server.pem")
        folder.write("secret words", "server-key.pem")
        let inspection = await inspect { configuration in
            configuration.tls = .init(
                certificate: folder.file("server.pem"), key: folder.file("server-key.pem"))
        }
        let messages = inspection.problems.filter { $0.isOf("tls") }.map(\.message)
        #expect(messages.count == 1)
        for message in messages { #expect(!message.contains("-----") && !message.contains("secret words")) }
    }
}
