import CausewayFolders
import CausewayIdentity
import CausewayModel
import CausewayObjectStore
import CausewayStoreEmbedded
import Foundation
import Synchronization
import Testing

@testable import CausewayBackup

@Suite("Backups")
struct BackupTests {
    let folder: TemporaryFolder
    let source: Backup.Source

    init() throws {
        folder = try TemporaryFolder()
        source = Backup.Source(name: "tasks", folder: folder.file("data"))
        try FileManager.default.createDirectory(atPath: source.folder, withIntermediateDirectories: true)
    }

    private func backUp(
        _ pace: BackupPace = .unhindered, to path: String? = nil, progress: (BackupProgress) -> Void = { _ in }
    ) throws -> Backup.Facts {
        try Backup.run(
            database: source, to: Backup.Target(path ?? folder.file("backups")), pace: pace, progress: progress)
    }

    private func makeAccounts() throws {
        let store = try ObjectStore.open(path: source.folder + "/" + Accounts.fileName)
        defer { store.close() }
        let transaction = try store.write()
        defer { transaction.end() }
        transaction.tree("accounts.meta").put(Array("key".utf8), [1, 2, 3])
        try transaction.commit()
    }

    @Test(
        "while a writer commits steadily hold exactly one version, the same as a record made again up to it",
        arguments: [1, 2])
    func oneVersion(seed: UInt64) throws {
        let writer = try Writer(folder: source.folder, seed: seed)
        for _ in 0..<50 { try writer.write() }
        // The pace leaves the copy time to be overtaken by many commits.
        let isWriting = Mutex(true)
        let failure = Mutex<String?>(nil)
        let written = DispatchSemaphore(value: 0)
        // Only this thread uses the writer until it has signalled its end.
        nonisolated(unsafe) let steady = writer
        Thread.detachNewThread {
            while isWriting.withLock({ $0 }) {
                do { try steady.write() } catch { failure.withLock { $0 = "\(error)" } }
            }
            written.signal()
        }
        var versions: [UInt64] = []
        var paths: [String] = []
        for number in 0..<3 {
            let facts = try backUp(
                BackupPace(bytesPerSecond: 4 << 20), to: folder.file("backups/\(number).backup"))
            versions.append(facts.manifest.version)
            paths.append(facts.path)
        }
        isWriting.withLock { $0 = false }
        written.wait()
        #expect(failure.withLock { $0 } == nil)
        #expect(versions == versions.sorted() && versions[0] < versions[2], "\(versions)")
        #expect(writer.store.version.rawValue > versions[2])
        writer.store.close()
        // Where other tests keep the machine busy, two backups may hold the same version.
        for (number, (version, path)) in zip(versions, paths).enumerated() {
            let again = folder.file("again-\(number)")
            try FileManager.default.createDirectory(atPath: again, withIntermediateDirectories: true)
            let other = try Writer(folder: again, seed: seed)
            while other.store.version.rawValue < version { try other.write() }
            let expected = try contents(of: again)
            let restored = folder.file("restored-\(number)")
            try FileManager.default.createDirectory(atPath: restored, withIntermediateDirectories: true)
            _ = try Restore.run(from: path, to: .init(name: "tasks", folder: restored), replaces: false)
            #expect(try contents(of: restored) == expected, "version \(version), seed \(seed)")
            #expect(expected.count > 500)
            other.store.close()
        }
    }

    @Test("tell what is in them: manifest, hashes, version, time, and progress on the way")
    func facts() throws {
        let writer = try Writer(folder: source.folder, seed: 3)
        for _ in 0..<20 { try writer.write() }
        try makeAccounts()
        var steps: Set<String> = []
        let facts = try backUp { progress in
            #expect((0...1).contains(progress.done))
            steps.insert("\(progress.step) \(progress.file)")
        }
        #expect(
            steps.isSuperset(of: [
                "verifying database.causeway", "hashing database.causeway", "hashing accounts.causeway",
            ]))
        let name = try #require(BackupName(URL(filePath: facts.path).lastPathComponent))
        #expect(name.database == "tasks" && name.version == writer.store.version.rawValue)
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: facts.path)) == [
                "accounts.causeway", "database.causeway", "manifest.json",
            ])
        let manifest = try BackupManifest.read(in: facts.path)
        #expect(manifest == facts.manifest)
        #expect(manifest.epoch == "0000000000000007" && manifest.version == writer.store.version.rawValue)
        #expect(manifest.files.map(\.name) == ["database.causeway", "accounts.causeway"])
        for file in manifest.files {
            let digest = try FileDigest.read(facts.path + "/" + file.name) { _, _ in }
            #expect(digest.bytes == file.bytes && digest.sha256 == file.sha256)
        }
        // The record is served all the while, and goes on.
        try writer.write()
        writer.store.close()
    }

    @Test("overwrite nothing")
    func nothingOverwritten() throws {
        let writer = try Writer(folder: source.folder, seed: 3)
        defer { writer.store.close() }
        let path = folder.file("one.backup")
        _ = try backUp(to: path)
        let before = try BackupManifest.read(in: path)
        let failure = #expect(throws: BackupError.self) { try backUp(to: path) }
        #expect(failure?.code == .taken)
        #expect(try BackupManifest.read(in: path) == before)
        // A file or folder that came while the backup was made.
        let late = folder.file("late.backup")
        let taken = #expect(throws: BackupError.self) {
            try backUp(to: late) { progress in
                if progress.step == .hashing { folder.write([1], to: "late.backup") }
            }
        }
        #expect(taken?.code == .taken)
        #expect(folder.read("late.backup") == [1])
        #expect(!folder.names.contains { $0.hasSuffix(".part") })
    }

    @Test("of a database that was never served are refused")
    func neverServed() {
        #expect(throws: BackupError.self) { try backUp() }
        #expect(!folder.names.contains("backups"))
    }

    @Test("that are given up, or fail, leave nothing behind")
    func abandoned() throws {
        let writer = try Writer(folder: source.folder, seed: 3)
        defer { writer.store.close() }
        for _ in 0..<20 { try writer.write() }
        let failure = #expect(throws: BackupError.self) { try backUp(BackupPace { true }) }
        #expect(failure?.code == .abandoned)
        folder.write(Array(repeating: 7, count: 20_000), to: "data/accounts.causeway")
        #expect(throws: BackupError.self) { try backUp() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("backups")) == [])
    }

    @Test("remove what killed ones left, and nothing that somebody is writing or that is not theirs")
    func leftovers() throws {
        let writer = try Writer(folder: source.folder, seed: 3)
        defer { writer.store.close() }
        let backups = folder.file("backups")
        let others = [".other-20261127T183000Z.part", ".tasks-old.part", "tasks-20261127T183000Z.part", ".cache"]
        let left = [".tasks-20261127T183000Z.part", ".tasks-20261127T183000Z-v3.backup.removed"]
        for name in others + left {
            try FileManager.default.createDirectory(atPath: backups + "/" + name, withIntermediateDirectories: true)
        }
        let held = try UnfinishedFolder(in: backups, database: "tasks", stamp: "20261127T183001Z")
        let facts = try backUp()
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: backups))
        #expect(names == Set(others + [URL(filePath: facts.path).lastPathComponent, ".tasks-20261127T183001Z.part"]))
        withExtendedLifetime(held) {}
    }

    @Test("of a record that contradicts itself are refused with a sentence")
    func contradiction() throws {
        let writer = try Writer(folder: source.folder, seed: 3)
        for _ in 0..<20 { try writer.write() }
        writer.store.close()
        let store = try ObjectStore.open(path: source.path(of: .objects))
        let transaction = try store.write()
        let history = transaction.tree("server.history")
        history.remove([0, 0, 0, 0, 0, 0, 0, 5, 1])
        try transaction.commit()
        transaction.end()
        store.close()
        let failure = #expect(throws: BackupError.self) { try backUp() }
        #expect(failure?.code == .unsound)
        #expect(failure?.message.contains("Version 5 is missing in the history") == true)
    }
}
