import CausewayFolders
import Foundation
import Synchronization
import Testing

@testable import CausewayStorage

/// Whether the names of files survive a power loss: that of a new file, and that of a copy.
@Suite("Names of files")
struct FileNameTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Notes which names a folder has when it is synced.
    private final class Syncs: Sendable {
        private let path: String
        private let notes = Mutex<[Set<String>]>([])
        private let result = Atomic(0)

        init(of folder: TemporaryFolder) {
            path = folder.path
        }

        var sync: FolderSync {
            FolderSync { _ in
                let names = Set((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? [])
                self.notes.withLock { $0.append(names) }
                return self.result.load(ordering: .relaxed)
            }
        }

        /// What a sync answers from now on.
        func answer(_ number: Int32) {
            result.store(-Int(number), ordering: .relaxed)
        }

        /// Of the syncs since this was asked last.
        func takeNames() -> [Set<String>] {
            notes.withLock { notes in
                defer { notes = [] }
                return notes
            }
        }
    }

    private func open(_ syncs: Syncs, readOnly: Bool = false) throws -> PageStorage {
        try PageStorage.open(
            path: folder.file("a.realm"), options: StorageOptions(readOnly: readOnly, mapSizeBytes: 1 << 30),
            registry: .shared, folderSync: syncs.sync)
    }

    @Test("that of a new file is on the disk before anybody commits, also when its maker died before that")
    func newFile() throws {
        let syncs = Syncs(of: folder)
        do { _ = try open(syncs) }
        #expect(syncs.takeNames().map { $0.contains("a.realm") } == [true])
        // Nobody knows whether that one came so far.
        do { _ = try open(syncs) }
        #expect(syncs.takeNames().count == 1)
        do {
            let first = try open(syncs)
            let second = try open(syncs)
            #expect(syncs.takeNames().count == 2)
            _ = try first.write().commit(.durable)
            withExtendedLifetime(second) {}
            _ = try open(syncs)
        }
        do { _ = try open(syncs) }
        do { _ = try open(syncs, readOnly: true) }
        #expect(syncs.takeNames() == [])
    }

    @Test("that of an empty file that others made is synced by whoever writes its first header")
    func emptyFile() throws {
        let syncs = Syncs(of: folder)
        folder.write([], to: "a.realm")
        do { _ = try open(syncs) }
        #expect(syncs.takeNames().count == 1)
    }

    @Test("a file whose name the disk does not take is not opened, and the next one tries again")
    func failedSync() throws {
        let syncs = Syncs(of: folder)
        syncs.answer(EIO)
        for _ in 0..<2 { #expect(code { _ = try open(syncs) } == .io) }
        #expect(syncs.takeNames().count == 2)
        syncs.answer(0)
        do { _ = try open(syncs).write().commit(.durable) }
        #expect(syncs.takeNames().count == 1)
    }

    @Test("a folder that cannot be synced is no obstacle", arguments: [EINVAL, EOPNOTSUPP, EACCES])
    func folderThatCannot(errorNumber: Int32) throws {
        let syncs = Syncs(of: folder)
        syncs.answer(errorNumber)
        let storage = try open(syncs)
        _ = try storage.write().commit(.durable)
        try storage.copy(to: folder.file("copy.realm"), key: nil)
        #expect(syncs.takeNames().count == 2)
    }

    @Test("a copy has its one name when the folder is synced, and a failure of that is told")
    func copy() throws {
        let syncs = Syncs(of: folder)
        let storage = try open(syncs)
        _ = syncs.takeNames()
        try storage.copy(to: folder.file("copy.realm"), key: nil)
        let names = syncs.takeNames()
        #expect(names.map { $0.contains("copy.realm") } == [true])
        #expect(names.map { $0.contains("copy.realm.part") } == [false])
        syncs.answer(EIO)
        #expect(code { try storage.copy(to: folder.file("other.realm"), key: nil) } == .io)
        #expect(syncs.takeNames().count == 1)
    }
}
