import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Glibc
import Testing

/// What old snapshots cost: who holds them, what they pin, and how a limit on them is kept.
@Suite("Old snapshots")
struct SnapshotAgeTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func replaceLeaves(_ storage: any Storage) throws -> any StorageSnapshot {
        let writer = try storage.write()
        for number in UInt32(0)..<40 { writer.replaceLeaf(1, number, Array(repeating: 1, count: 8176)) }
        return try writer.commit(.durable)
    }

    @Test("the statistics name the oldest snapshot, its process and what it pins", arguments: StorageBackend.allCases)
    func statistics(backend: StorageBackend) throws {
        let storage = try backend.open(folder.file("a.realm"))
        _ = try replaceLeaves(storage)
        var oldest: (any StorageSnapshot)? = try storage.snapshot()
        for _ in 0..<5 { _ = try replaceLeaves(storage) }
        let held = try storage.statistics()
        #expect(held.oldestSnapshot == .init(commitsBehind: 5, processID: getpid()))
        #expect(held.pinnedBytes >= 40 * 8176)
        #expect(held.leaves == 40)
        #expect(held.usedBytes + held.freeBytes + held.pinnedBytes <= held.sizeBytes + 64 * held.pageBytes)
        #expect(oldest?.leafBytes(1, 39)?.count == 8176)
        oldest = nil
        for _ in 0..<3 { _ = try replaceLeaves(storage) }
        let released = try storage.statistics()
        #expect((released.oldestSnapshot?.commitsBehind ?? 0) == 0)
        #expect(released.sizeBytes <= held.sizeBytes + 80 * 8192)
    }

    @Test(
        "more commits than allowed behind the oldest snapshot fail, until it goes",
        arguments: StorageBackend.allCases)
    func versionCap(backend: StorageBackend) throws {
        let storage = try backend.open(folder.file("a.realm"), maximumVersions: 4)
        func commit() throws {
            let writer = try storage.write()
            writer.put(20, [1], [1])
            _ = try writer.commit(.relaxed)
        }
        for _ in 0..<10 { try commit() }
        var held: (any StorageSnapshot)? = try storage.snapshot()
        for _ in 0..<4 { try commit() }
        for _ in 0..<2 { #expect(code { try commit() } == .tooManyVersions) }
        #expect(try storage.newestVersion() == 14)
        #expect(held?.version == 10)
        held = nil
        try commit()
        #expect(try storage.newestVersion() == 15)
    }
}
