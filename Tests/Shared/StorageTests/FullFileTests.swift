import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Glibc
import Testing

/// Where a file cannot grow, one transaction fails and nothing else.
@Suite("Files that cannot grow")
struct FullFileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ leaves: Int, _ fill: UInt8, to storage: any Storage, _ durability: Durability) throws {
        let writer = try storage.write()
        for number in 0..<leaves { writer.replaceLeaf(1, UInt32(number), Array(repeating: fill, count: 8176)) }
        _ = try writer.commit(durability)
    }

    @Test("a file that has outgrown its map undoes that transaction only", arguments: StorageBackend.allCases)
    func mapFull(backend: StorageBackend) throws {
        let storage = try backend.open(folder.file("a.realm"), mapSizeBytes: 1 << 20)
        try write(20, 1, to: storage, .relaxed)
        #expect(code { try write(500, 2, to: storage, .relaxed) } == .mapFull)
        let snapshot = try storage.snapshot()
        #expect(snapshot.version == 1)
        #expect(snapshot.leafBytes(1, 19) == Array(repeating: 1, count: 8176))
        try write(20, 3, to: storage, .relaxed)
        #expect(try storage.newestVersion() == 2)
        #expect(snapshot.leafBytes(1, 19)?.first == 1)
    }

    @Test("address space that cannot be reserved is an error with a remedy", arguments: StorageBackend.allCases)
    func addressSpace(backend: StorageBackend) throws {
        #expect(code { _ = try backend.open(folder.file("a.realm"), mapSizeBytes: 1 << 60) } == .mapFull)
        #expect(code { _ = try backend.open(folder.file("a.realm")) } == nil)
    }

    @Test(
        "a full disk undoes that transaction, keeps everything before it and leaves the store usable",
        arguments: StorageBackend.allCases)
    func fullDisk(backend: StorageBackend) throws {
        let place = folder.file("small")
        mkdir(place, 0o700)
        guard mount("tmpfs", place, "tmpfs", 0, "size=1500k") == 0 else {
            // Only the superuser may mount; the same path is taken by a limit on file sizes elsewhere.
            rmdir(place)
            return
        }
        defer {
            umount2(place, 2)
            rmdir(place)
        }
        let storage = try backend.open(place + "/a.realm")
        try write(10, 1, to: storage, .durable)
        for _ in 0..<3 { #expect(code { try write(1000, 2, to: storage, .durable) } == .outOfSpace) }
        #expect(try storage.snapshot().leafBytes(1, 9)?.first == 1)
        try write(10, 3, to: storage, .durable)
        #expect(try storage.snapshot().leafBytes(1, 9)?.first == 3)
        #expect(try storage.newestVersion() == 2)
        #expect(try storage.verify { _, _ in }.problems == [])
    }
}
