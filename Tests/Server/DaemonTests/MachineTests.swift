import CausewayFolders
import CausewayIdentity
import CausewayTelemetry
import Foundation
import Testing

@testable import CausewayDaemon

@Suite("What a configuration asks of the machine")
struct MachineTests {
    private func problems(_ folder: TemporaryFolder, _ databases: [(String, String)]) async -> [ConfigurationProblem] {
        var configuration = Configuration()
        configuration.databases = databases.map { .init(name: $0.0, folder: $0.1) }
        return await Inspection(configuration, now: Date()).allProblems.filter { $0.key.hasPrefix("databases") }
    }

    @Test("two ways to one folder are one folder, be it by a link, by dots, or before it is there")
    func oneFolder() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        try FileManager.default.createDirectory(atPath: path + "/real", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: path + "/real")
        for other in ["/link", "/real/../real", "/link/../real"] {
            let found = await problems(folder, [("a", path + "/real"), ("b", path + other)])
            #expect(found.map(\.key) == ["databases[1].folder"], "\(other)")
        }
        #expect(await problems(folder, [("a", path + "/real/new"), ("b", path + "/link/new")]).count == 1)
        #expect(await problems(folder, [("a", path + "/real/new"), ("b", path + "/real/newer")]).isEmpty)
    }

    @Test(
        "a folder in the folder of another database is told, whichever of them stands first, and however deep it lies")
    func nestedFolders() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        try FileManager.default.createDirectory(atPath: path + "/real", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: path + "/real")
        for inner in ["/real/b", "/link/b", "/real/x/y/b"] {
            let found = await problems(folder, [("b", path + inner), ("a", path + "/real")])
            #expect(found.map(\.key) == ["databases[0].folder"] && found[0].message.contains("the folder of 'a'"))
        }
        #expect(await problems(folder, [("a", path + "/real"), ("b", path + "/real-b")]).isEmpty)
    }

    @Test("what a restore of a database would put aside, and a database among the backups, is told by its key")
    func foldersInFolders() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        func keys(_ change: (inout Configuration) -> Void) async -> [String] {
            var configuration = Configuration()
            configuration.databases = [.init(name: "a", folder: path + "/a")]
            change(&configuration)
            return await Inspection(configuration, now: Date()).allProblems.map(\.key).filter {
                $0.hasPrefix("databases") || $0.hasPrefix("backups") || $0 == "log.audit" || $0 == "admin.tokenFile"
            }
        }
        #expect(await keys { _ in } == [])
        #expect(await keys { $0.log.audit = .file(path + "/a/audit.log") } == ["log.audit"])
        #expect(await keys { $0.backups = .init(folder: path + "/a") } == ["backups.folder"])
        #expect(await keys { $0.databasesFolder = path + "/a/more" }.contains("databasesFolder"))
        #expect(
            await keys {
                $0.backups = .init(folder: path + "/backups")
                $0.databases[0].folder = path + "/backups/a-20261128T090813Z-v66.backup"
            } == ["databases[0].folder"])
        #expect(
            await keys {
                $0.backups = .init(folder: path + "/backups")
                $0.databases[0].folder = path + "/backups-a"
            } == [])
    }

    @Test(
        "a folder in which nothing can be made is told, whatever its mode says, and nothing is left behind by the trial"
    )
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        #expect(await problems(folder, [("a", "/proc/data")]).map(\.key) == ["databases[0].folder"])
        #expect(await problems(folder, [("a", folder.url.path)]).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test("an address that is none is told")
    func address() async {
        for (host, isGood) in [("0.0.0.0", true), ("::1", true), ("localhost", true), ("256.1.1.1.invalid", false)] {
            var configuration = Configuration()
            configuration.listen.host = host
            let keys = await Inspection(configuration, now: Date()).problems.map(\.key)
            #expect(keys.contains("listen.host") != isGood, "\(host)")
        }
    }

    @Test("connections end below the limit of open files")
    func openFiles() {
        var configuration = Configuration()
        configuration.limits.connections = .max
        #expect(configuration.connectionsMax == max(1, OpenFiles.limit - Inspection.otherFiles))
        configuration.limits.connections = 1
        #expect(configuration.connectionsMax == 1)
    }

    @Test("a private key where a public one serves is warned of")
    func privateKey() async throws {
        let folder = try TemporaryFolder()
        let keys = try DevelopmentKeys.make(hosts: [], days: 1, tokens: .es256, now: Date())
        for (name, isWarned) in [(DevelopmentKeys.Name.tokenPrivate, true), (DevelopmentKeys.Name.tokenPublic, false)] {
            folder.write(keys.files.first { $0.name == name }?.text ?? "", name)
            var configuration = Configuration()
            configuration.tokens.keys = [.init(file: folder.url.path + "/" + name, algorithm: .es256)]
            let warnings = await Inspection(configuration, now: Date()).warnings
            #expect(warnings.contains { $0.message.contains("private key") } == isWarned, "\(name)")
        }
    }

    @Test("a key set with a private key is warned of")
    func privateKeyInSet() async throws {
        let folder = try TemporaryFolder()
        let members = [
            #""kid":"a","kty":"EC","crv":"P-256""#,
            #""x":"HFIT3cpWeRN2-NkeQY6vUFdQZRhkGYieXsyP_9KKCcM""#,
            #""y":"MQaZh1B-3wnzm3hx-FtaJ13d8B7WeMXV09_6gQxRvhE""#,
        ]
        for (own, isWarned) in [([#""d":"secret""#], true), ([], false)] {
            folder.write("{\"keys\":[{\((members + own).joined(separator: ","))}]}", "set.json")
            var configuration = Configuration()
            configuration.tokens.keySet = folder.url.path + "/set.json"
            let inspection = await Inspection(configuration, now: Date(), onlyKeys: true)
            #expect(inspection.keys.count == 1)
            #expect(inspection.warnings.contains { $0.key == "tokens.keySet" } == isWarned)
        }
    }

    @Test("a long line is good, and one that opens too many levels is not")
    func longLines() throws {
        let rule = (0..<200).map { "owner == 'user number \($0)'" }.joined(separator: " OR ")
        let text = """
            tls: {certificate: a, key: b}
            databases:
              - name: a
                folder: a
                permissions:
                  default:
                    read: "\(rule)"
            tokens: {keySet: jwks.json}
            """
        #expect(throws: Never.self) { try Configuration.read(text) }
        for line in [String(repeating: "- ", count: 2_000), String(repeating: "? ", count: 2_000) + "a"] {
            #expect(throws: ConfigurationError.self) { try Configuration.read(line) }
        }
    }

    @Test("a claim of a development token is a text, or any JSON")
    func claims() throws {
        #expect(
            try TokenCommand.claims(["team=7"], json: ["teams=[1,\"b\"]"])
                == ["team": .string("7"), "teams": .array([.int(1), .string("b")])])
        #expect(throws: CommandFailure.self) { try TokenCommand.claims([], json: ["teams=[1,"]) }
        #expect(throws: CommandFailure.self) { try TokenCommand.claims(["team"], json: []) }
    }
}
