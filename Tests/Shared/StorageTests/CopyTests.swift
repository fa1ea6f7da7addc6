import CausewayEnvironment
import CausewayFolders
import CausewayStorageOracle
import Glibc
import Testing

@testable import CausewayStorage

/// Copies that meet at one path.
@Suite("Copies to one path")
struct CopyTests {
    private static let leaves = 40
    let folder: TemporaryFolder
    private let storage: any Storage

    init() throws {
        folder = try TemporaryFolder()
        storage = try StorageBackend.pages.open(folder.file("a.realm"))
        let writer = try storage.write()
        for number in 0..<UInt32(Self.leaves) { writer.replaceLeaf(1, number, Array(repeating: 7, count: 50_000)) }
        _ = try writer.commit(.relaxed)
    }

    @Test("of several at once each that succeeds has written a whole file, and nobody's is replaced")
    func atTheSameTime() throws {
        for round in 0..<5 {
            let target = folder.file("copy\(round).realm")
            let taken = (0..<4).map { folder.file("taken\(round)-\($0).realm") }
            let done = Counter()
            atOnce(4) { [storage] number in
                guard (try? storage.copy(to: target, key: nil)) != nil else { return }
                done.add(1)
                // What a user does with a copy that is done.
                rename(target, taken[number])
            }
            #expect(done.value >= 1)
            for path in taken where access(path, F_OK) == 0 {
                let copy = try StorageBackend.pages.open(path)
                #expect(try copy.statistics().leaves == Self.leaves)
                #expect(try copy.newestVersion() == 1)
            }
            #expect(!folder.names.contains("copy\(round).realm.part"))
        }
    }

    @Test("one that is under way keeps others off, and what a dead one left is no obstacle")
    func underWay() throws {
        let target = folder.file("copy.realm")
        do {
            let descriptor = open(target + ".part", O_RDWR | O_CREAT, 0o600)
            let lock = LockBytes(descriptor, path: target)
            #expect(try lock.tryLock(0))
            #expect(code { try storage.copy(to: target, key: nil) } == .locked)
            withExtendedLifetime(lock) {}
        }
        folder.write(Array(repeating: 1, count: 100_000), to: "copy.realm.part")
        try storage.copy(to: target, key: nil)
        #expect(try StorageBackend.pages.open(target).statistics().leaves == Self.leaves)
    }

    @Test("one with a pace says how far it is, is the same, and leaves nothing when it is given up")
    func paced() throws {
        let (paced, plain) = (folder.file("paced.realm"), folder.file("plain.realm"))
        var told: [(done: Int, total: Int)] = []
        try storage.copy(
            to: paced, key: nil,
            pace: CopyPace { done, total throws(StorageError) in told.append((done, total)) })
        try storage.copy(to: plain, key: nil)
        #expect(!told.isEmpty)
        for (done, total) in told { #expect(done >= CopyPace.unsyncedBytesMax && done <= total) }
        let copies = try [paced, plain].map { try StorageBackend.pages.open($0) }
        for copy in copies { #expect(try copy.statistics().leaves == Self.leaves) }
        #expect(
            code {
                try storage.copy(
                    to: folder.file("given-up.realm"), key: nil,
                    pace: CopyPace { _, _ throws(StorageError) in
                        throw StorageError(.closed, "Given up.", path: "given-up.realm")
                    })
            } == .closed)
        #expect(!folder.names.contains { $0.hasPrefix("given-up") })
    }

    @Test("a file that was made at the path meanwhile is not replaced")
    func targetMadeMeanwhile() throws {
        folder.write([1, 2, 3], to: "copy.realm")
        folder.write([4], to: "copy.realm.part")
        #expect(
            code { try PageStorage.name(folder.file("copy.realm.part"), folder.file("copy.realm")) } == .fileExists)
        #expect(folder.read("copy.realm") == [1, 2, 3])
    }

    @Test("a finished copy that has kept the other name, too, is not written over by the next one")
    func finishedUnderTheOtherName() throws {
        let target = folder.file("copy.realm")
        try storage.copy(to: target, key: nil)
        // As a power loss leaves it right after the copy got its name; then the user puts it away.
        #expect(link(target, target + ".part") == 0)
        let backup = folder.file("backup.realm")
        rename(target, backup)
        let bytes = folder.read("backup.realm")
        try storage.copy(to: target, key: nil)
        #expect(folder.read("backup.realm") == bytes)
        #expect(FileIdentity(path: target) != FileIdentity(path: backup))
        #expect(!folder.names.contains("copy.realm.part"))
        for path in [target, backup] {
            #expect(try StorageBackend.pages.open(path).statistics().leaves == Self.leaves)
        }
    }
}
