import CausewayFolders
import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Foundation
import Testing

/// The page store's file stays as large as what it holds. `CAUSEWAY_STORAGE_COMMITS` says for how many commits that is
/// tried.
@Suite("Space")
struct SpaceTests {
    let folder: TemporaryFolder
    private static let backends = StorageBackend.allCases
    private static let commits =
        ProcessInfo.processInfo.environment["CAUSEWAY_STORAGE_COMMITS"].flatMap(Int.init) ?? 1500
    private static let leafBytes = 8176

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A writer that is kept keeps the state it began on.
    private func commit(
        _ durability: Durability, to storage: any Storage, _ body: (any StorageWriter) -> Void
    ) throws -> any StorageSnapshot {
        let writer = try storage.write()
        body(writer)
        return try writer.commit(durability)
    }

    private func sizeBytes(_ name: String) -> Int {
        var status = stat()
        return stat(folder.file(name), &status) == 0 ? Int(status.st_size) : 0
    }

    @Test("many small commits with rolling snapshots do not make the file grow", arguments: backends)
    func rollingSnapshots(backend: StorageBackend) throws {
        var random = SeededNumbers(seed: 1)
        let storage = try backend.open(folder.file("a.realm"))
        _ = try commit(.relaxed, to: storage) { writer in
            for number in UInt32(0)..<1000 { writer.replaceLeaf(1, number, Array(repeating: 0, count: Self.leafBytes)) }
            for number in 0..<10_000 { writer.put(20, key(number), Array(repeating: 0, count: 40)) }
        }
        var rolling: [any StorageSnapshot] = []
        for commit in 1...Self.commits {
            let writer = try storage.write()
            let fill = UInt8(truncatingIfNeeded: commit)
            writer.replaceLeaf(1, UInt32(random.number(0...999)), Array(repeating: fill, count: Self.leafBytes))
            for _ in 0..<3 { writer.put(20, key(random.number(0...9999)), Array(repeating: fill, count: 40)) }
            rolling.append(try writer.commit(commit % 50 == 0 ? .durable : .relaxed))
            if rolling.count > 8 { rolling.removeFirst() }
            guard commit % 250 == 0 || commit == Self.commits else { continue }
            let statistics = try storage.statistics()
            #expect(statistics.sizeBytes == sizeBytes("a.realm"))
            #expect(
                Double(statistics.sizeBytes) <= 1.5 * Double(statistics.usedBytes) + Double(statistics.pinnedBytes),
                "commit \(commit): \(statistics)")
        }
        #expect(try storage.verify { _, _ in }.problems == [])
    }

    private func key(_ number: Int) -> [UInt8] {
        Array("key ".utf8) + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }

    @Test("deleting nine tenths and compacting gives the space back", arguments: backends)
    func compacting(backend: StorageBackend) throws {
        let storage = try backend.open(folder.file("a.realm"))
        _ = try commit(.durable, to: storage) { writer in
            for number in UInt32(0)..<4000 {
                writer.replaceLeaf(1, number, Array(repeating: UInt8(number % 251), count: Self.leafBytes))
            }
            for number in 0..<20_000 { writer.put(20, key(number), Array(repeating: 1, count: 40)) }
        }
        let fullBytes = sizeBytes("a.realm")
        #expect(fullBytes > 4000 * Self.leafBytes)
        _ = try commit(.durable, to: storage) { writer in
            // The tenth that stays is spread over the whole file.
            for number in UInt32(0)..<4000 where number % 10 != 9 { writer.removeLeaf(column: 1, number: number) }
            for number in 0..<20_000 where number % 10 != 9 { writer.remove(20, key(number)) }
        }
        try storage.compact()
        let statistics = try storage.statistics()
        #expect(statistics.leaves == 400)
        #expect(statistics.treeEntries == 2000)
        #expect(sizeBytes("a.realm") == statistics.sizeBytes)
        #expect(Double(statistics.sizeBytes) <= 1.5 * Double(statistics.usedBytes), "\(statistics)")
        #expect(statistics.sizeBytes < fullBytes / 6, "\(statistics)")
        let snapshot = try storage.snapshot()
        for number in UInt32(0)..<4000 {
            let isThere = number % 10 == 9
            #expect(snapshot.leafBytes(1, number)?.first == (isThere ? UInt8(number % 251) : nil))
        }
        #expect(snapshot.count(tree: 20, from: [], upTo: nil) == 2000)
        #expect(try storage.verify { _, _ in }.problems == [])
    }

    @Test("compacting moves as much as there is, however many commits that takes")
    func compactingMuch() throws {
        let storage = try StorageRegistry.shared.open(path: folder.file("a.realm"), options: StorageOptions())
        let megabyte = [UInt8](repeating: 7, count: 1 << 20)
        _ = try commit(.durable, to: storage) { writer in
            for number in UInt32(0)..<160 { writer.replaceLeaf(1, number, megabyte) }
        }
        _ = try commit(.durable, to: storage) { writer in
            for number in UInt32(0)..<80 { writer.removeLeaf(column: 1, number: number) }
        }
        try storage.compact()
        let statistics = try storage.statistics()
        #expect(statistics.leaves == 80)
        #expect(statistics.sizeBytes < 100 << 20, "\(statistics)")
        let snapshot = try storage.snapshot()
        for number in UInt32(80)..<160 { #expect(snapshot.leafBytes(1, number) == megabyte) }
        #expect(try storage.verify { _, _ in }.problems == [])
    }

    /// At 167 two long runs go to and fro, for no hole ahead is long enough.
    @Test("values of every size leave few holes that compacting cannot close", arguments: backends)
    func compactingMixedSizes(backend: StorageBackend) throws {
        for seed in UInt64(160)..<170 {
            var random = SeededNumbers(seed: seed)
            let storage = try backend.open(folder.file("\(seed).realm"))
            var held: [any StorageSnapshot] = []
            for _ in 0..<random.number(20...200) {
                let committed = try commit(random.once(in: 10) ? .durable : .relaxed, to: storage) { writer in
                    for _ in 0..<2 {
                        let length = random.once(in: 20) ? random.number(5000...60_000) : random.number(8...3000)
                        writer.replaceLeaf(1, UInt32(random.below(24) * 50), Array(repeating: 7, count: length))
                        writer.put(20, key(random.below(24)), Array(repeating: 7, count: random.number(0...3000)))
                    }
                }
                if random.once(in: 4) { held.append(committed) }
                if held.count > 6 { held.remove(at: random.below(held.count)) }
            }
            held = []
            _ = try commit(.durable, to: storage) { $0.put(20, key(99), []) }
            try storage.compact()
            let statistics = try storage.statistics()
            #expect(
                statistics.sizeBytes <= statistics.usedBytes + statistics.usedBytes / 4 + 128 << 10,
                "seed \(seed): \(statistics)")
            #expect(try storage.verify { _, _ in }.problems == [], "seed \(seed)")
        }
    }

    @Test("a snapshot taken before compacting reads the same bytes afterwards", arguments: backends)
    func compactingUnderSnapshots(backend: StorageBackend) throws {
        try fill(backend, folder.file("a.realm"), commits: 20)
        let storage = try backend.open(folder.file("a.realm"))
        let before = try storage.snapshot()
        let entries = before.entries(20)
        let writer = try storage.write()
        for number in UInt32(0)..<18 { writer.removeLeaf(column: 1, number: number) }
        _ = try writer.commit(.durable)
        try storage.compact()
        #expect(before.entries(20) == entries)
        for number in UInt32(0)..<20 {
            #expect(before.leafBytes(1, number) == Array(repeating: UInt8(number), count: 8176))
        }
        #expect(try storage.snapshot().entries(20) == entries)
    }
}
