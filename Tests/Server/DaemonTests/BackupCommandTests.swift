import ArgumentParser
import CausewayBackup
import CausewayEnvironment
import CausewayFolders
import CausewayModel
import CausewayStore
import CausewayStoreEmbedded
import Foundation
import Logging
import Synchronization
import Testing

@testable import CausewayDaemon

@Suite("sync-server backup and restore")
struct BackupCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        folder.write(
            """
            tls: {certificate: keys/server.pem, key: keys/server-key.pem}
            databases: [{name: tasks, folder: data}, {name: notes, folder: notes}, {name: empty, folder: other}]
            tokens: {keys: [{file: keys/token-public.pem, algorithm: ES256}], issuers: a, audiences: b}
            """, "sync-server.yaml")
        for name in ["data", "notes"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
            let store = try StoreEmbedded.open(folder: folder.file(name), epochSeed: 7)
            defer { store.close() }
            try store.extendSchema(
                Schema([
                    ClassSchema(name: "Task", properties: [Property(name: "_id", type: .int, isPrimaryKey: true)])
                ]))
        }
    }

    private func backup(_ more: String...) throws {
        try BackupCommand.parse(
            ["--configuration", folder.file("sync-server.yaml"), "--megabytes-per-second", "0"] + more
        ).run()
    }

    private func restore(_ more: String...) throws {
        try RestoreCommand.parse(["--configuration", folder.file("sync-server.yaml")] + more).run()
    }

    @Test("a name, all, or the path of one: what does not fit together is refused")
    func arguments() throws {
        for arguments in [
            ["--to", "b"], ["--to", "b", "--all", "--database", "tasks"], ["--to", "b.backup", "--all"],
        ] {
            #expect(throws: (any Error).self) { try BackupCommand.parse(arguments) }
        }
        for arguments in [["--from", "b"], ["--from", "b", "--check", "--database", "tasks"]] {
            #expect(throws: (any Error).self) { try RestoreCommand.parse(arguments) }
        }
        #expect(throws: CommandFailure.self) { try backup("--database", "nothing", "--to", folder.file("b")) }
    }

    @Test("all databases are copied; one that cannot be does not keep the others from it, and the command fails")
    func all() throws {
        let failure = #expect(throws: CommandFailure.self) { try backup("--all", "--to", folder.file("backups")) }
        #expect(failure?.description.contains("'empty' was never served") == true)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("backups"))
        #expect(Set(names.compactMap { BackupName($0)?.database }) == ["tasks", "notes"])
    }

    @Test("a database is restored while nobody serves it, and only as itself")
    func served() throws {
        let path = folder.file("one.backup")
        try backup("--database", "tasks", "--to", path)
        let lock = try FolderLock(folder.file("data"))
        let failure = #expect(throws: CommandFailure.self) {
            try restore("--from", path, "--database", "tasks", "--replace")
        }
        #expect(failure?.description.contains("end the server") == true)
        // A drill touches nothing that is served.
        try restore("--from", path, "--check", "--scratch", folder.path)
        _ = consume lock
        try restore("--from", path, "--database", "tasks", "--replace")
        #expect(folder.names.contains { $0.hasPrefix("data.replaced-") })
        let other = #expect(throws: CommandFailure.self) { try restore("--from", path, "--database", "empty") }
        #expect(other?.description.contains("--renamed") == true)
        try restore("--from", path, "--database", "empty", "--renamed")
        #expect(FileManager.default.fileExists(atPath: folder.file("other/database.causeway")))
    }

    @Test("a drill of what is no backup fails")
    func drillFails() {
        #expect(throws: CommandFailure.self) { try restore("--from", folder.path, "--check") }
    }

    // MARK: - The configuration

    private let least = """
        tls: {certificate: a.pem, key: b.pem}
        databases: [{name: flights, folder: data}]
        tokens:
          keys: [{file: t.pem, algorithm: ES256}]
        """

    @Test("backups are off unless they are configured, and what is wrong with them is told")
    func configured() throws {
        #expect(try Configuration.read(least).backups == nil)
        let backups = try #require(try Configuration.read(least + "\nbackups: {folder: backups}").backups)
        #expect(backups == Configuration.Backups(folder: "backups", everyHours: 24, keep: 14, megabytesPerSecond: 32))
        let all = least + "\nbackups: {folder: /b, everyHours: 6, keep: 3, megabytesPerSecond: 5}"
        #expect(
            try Configuration.read(all).backups
                == Configuration.Backups(folder: "/b", everyHours: 6, keep: 3, megabytesPerSecond: 5))
        for text in [
            "{}", "{folder: ''}", "{folder: a, keep: 0}", "{folder: a, everyHours: x}", "{folder: a, often: 1}",
        ] {
            #expect(throws: ConfigurationError.self, "\(text)") {
                try Configuration.read(least + "\nbackups: " + text)
            }
        }
    }

    private func inspect(_ path: String) async -> (problems: [ConfigurationProblem], warnings: [ConfigurationProblem]) {
        var configuration = Configuration()
        configuration.databases = [.init(name: "tasks", folder: folder.file("data"))]
        configuration.backups = .init(folder: path)
        let inspection = await Inspection(configuration, now: Date())
        return (
            inspection.problems.filter { $0.key.hasPrefix("backups") },
            inspection.warnings.filter { $0.key.hasPrefix("backups") || $0.key == "databases.tasks" }
        )
    }

    @Test(
        "a folder that cannot be written, or that a restore would put aside, is a problem; the same disk is a warning")
    func inspected() async throws {
        #expect(await inspect("/proc/backups").problems.count == 1)
        for inside in ["data", "data/backups"] {
            #expect(await inspect(folder.file(inside)).problems.map(\.key) == ["backups.folder"], "\(inside)")
        }
        let beside = await inspect(folder.file("backups"))
        #expect(beside.problems.isEmpty && beside.warnings.map(\.key) == ["backups.folder"])
        #expect(beside.warnings.first?.message.contains("same file system") == true)
        #expect(await inspect(folder.file("data-backups")).problems.isEmpty)
    }

    @Test("a database that has backups and no objects is a warning that names the newest")
    func missing() async throws {
        let backups = folder.file("backups")
        let source = Backup.Source(name: "tasks", folder: folder.file("data"))
        let made = try Backup.run(database: source, to: .into(backups))
        #expect(await inspect(backups).warnings.map(\.key) == ["backups.folder"])
        try Data().write(to: URL(filePath: folder.file("data/database.causeway")))
        let warning = try #require(await inspect(backups).warnings.first { $0.key == "databases.tasks" })
        #expect(warning.message.contains("--from \(made.path) --database tasks"))
    }

    @Test("objects that are lost beside their accounts are not replaced by an empty database")
    func lostObjects() throws {
        let data = DatabaseFolder(folder.file("data"))
        #expect(!data.hasNoObjects)
        try FileManager.default.removeItem(atPath: data.objectsPath)
        // A file that says nothing of earlier use.
        try data.requireObjects(of: "tasks")
        try Data("accounts".utf8).write(to: URL(filePath: folder.file("data/accounts.causeway")))
        for empty in [false, true] {
            if empty { try Data().write(to: URL(filePath: data.objectsPath)) }
            let failure = #expect(throws: CommandFailure.self) { try data.requireObjects(of: "tasks") }
            #expect(failure.map { "\($0)" }?.contains("sync-server restore") == true)
        }
    }

    // MARK: - By itself

    @Test("the server makes a backup when one is due, keeps the newest, and nothing goes for one that failed")
    func scheduled() async throws {
        let clock = SetClock(1_795_804_200_000)
        let backups = folder.file("backups")
        let plan = Configuration.Backups(folder: backups, everyHours: 1, keep: 2)
        let databases = try [("tasks", "data"), ("notes", "notes"), ("empty", "other")].map { name, place in
            let source = Backup.Source(name: name, folder: folder.file(place))
            guard name != "empty" else { return ScheduledBackups.Served(source: source, epoch: 1) }
            let store = try StoreEmbedded.open(folder: source.folder, epochSeed: 1)
            defer { store.close() }
            return ScheduledBackups.Served(source: source, epoch: store.epoch)
        }
        let service = ScheduledBackups(
            work: BackupWork(plan, clock: clock), databases: { databases }, clock: clock, logger: Logger(label: "test"),
            lookInterval: .milliseconds(5))
        let running = Task { await service.keepUp() }
        func names(_ database: String) -> [String] { BackupFolder.backups(of: database, in: backups).map(\.name.stamp) }
        var expected: [String] = []
        for hour in 0..<4 {
            expected.append(BackupName.stamp(of: clock.now()))
            try await until { names("tasks").last == expected.last && names("notes").last == expected.last }
            try await until { names("tasks") == Array(expected.suffix(2)) }
            if hour < 3 { clock.advance(by: 3_600_000) }
        }
        // The copies of a damaged database fail, and its older backups stay.
        try Data("no database".utf8).write(to: URL(filePath: folder.file("data/database.causeway")))
        clock.advance(by: 5 * 3_600_000)
        let later = BackupName.stamp(of: clock.now())
        try await until { names("notes").last == later }
        running.cancel()
        await running.value
        #expect(names("tasks") == Array(expected.suffix(2)))
        #expect(names("empty") == [])
    }

    @Test("after a failure the next attempt waits")
    func retry() {
        #expect(ScheduledBackups.mayTry(nil, at: 5))
        #expect(!ScheduledBackups.mayTry(1_000, at: 1_000 + ScheduledBackups.retryMilliseconds - 1))
        #expect(ScheduledBackups.mayTry(1_000, at: 1_000 + ScheduledBackups.retryMilliseconds))
        // A clock that was set back does not stop them.
        #expect(ScheduledBackups.mayTry(1_000_000_000, at: 5))
    }

    private func until(_ condition: () -> Bool) async throws {
        let deadline = Date().addingTimeInterval(60)
        while !condition() {
            try #require(Date() < deadline, "waited for a minute")
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// A clock that a test sets.
private final class SetClock: WallClock {
    private let time: Mutex<UInt64>

    init(_ time: UInt64) { self.time = Mutex(time) }

    func now() -> UInt64 { time.withLock { $0 } }
    func advance(by milliseconds: UInt64) { time.withLock { $0 += milliseconds } }
}
