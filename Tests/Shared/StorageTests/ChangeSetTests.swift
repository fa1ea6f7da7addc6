import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Testing

/// What changed between two snapshots. The sequences compare small states; these have many pages.
@Suite("Change sets")
struct ChangeSetTests {
    private static let seeds = SeedList.drawn(for: "change-sets", count: 3)

    private static let entryCount = 20_000
    private static let leafCount: UInt32 = 2000

    private func filled(_ backend: StorageBackend, _ name: String) throws -> any Storage {
        let storage = try backend.open(name, inMemory: true)
        let writer = try storage.write()
        for number in 0..<Self.entryCount { writer.put(20, key(number), Array(repeating: 1, count: 20)) }
        for number in 0..<Self.leafCount { writer.replaceLeaf(number % 3, number, [UInt8](repeating: 1, count: 64)) }
        _ = try writer.commit(.relaxed)
        return storage
    }

    private func key(_ number: Int) -> [UInt8] {
        Array("key ".utf8) + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }

    @Test("leaves that were written, replaced or removed are told, and no others", arguments: StorageBackend.allCases)
    func leaves(backend: StorageBackend) throws {
        let storage = try filled(backend, "changed leaves")
        let before = try storage.snapshot()
        for round in UInt32(0)..<3 {
            let writer = try storage.write()
            writer.replaceLeaf(0, round * 300, [2])
            writer.removeLeaf(column: 1, number: round * 300 + 1)
            writer.replaceLeaf(9, round, [3])
            writer.removeLeaf(column: 77, number: 1)
            _ = try writer.commit(.relaxed)
        }
        let after = try storage.snapshot()
        let expected = (UInt32(0)..<3).flatMap { round in
            [
                LeafPlace(column: 0, number: round * 300), LeafPlace(column: 1, number: round * 300 + 1),
                LeafPlace(column: 9, number: round),
            ]
        }
        #expect(try storage.changedLeaves(between: before, and: after) == expected.sorted())
        #expect(try storage.changedLeaves(between: after, and: after) == [])
    }

    @Test("ranges hold every changed key and little else", arguments: StorageBackend.allCases, seeds)
    func ranges(backend: StorageBackend, seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let storage = try filled(backend, "changed ranges \(seed)")
        let before = try storage.snapshot()
        let changed = (0..<5).map { _ in random.number(0...Self.entryCount - 1) }
        let writer = try storage.write()
        for (index, number) in changed.enumerated() {
            if index % 2 == 0 { writer.remove(20, key(number)) } else { writer.put(20, key(number), [2]) }
        }
        writer.put(25, [1], [1])
        let after = try writer.commit(.relaxed)
        let ranges = try storage.changedRanges(between: before, and: after)
        func isHeld(_ tree: UInt32, _ key: [UInt8]) -> Bool {
            ranges.contains { range in
                range.tree == tree && !key.lexicographicallyPrecedes(range.lower)
                    && range.upper.map { key.lexicographicallyPrecedes($0) } ?? true
            }
        }
        for number in changed { #expect(isHeld(20, key(number)), "seed \(seed), key \(number)") }
        #expect(isHeld(25, [1]), "seed \(seed)")
        let heldCount = ranges.filter { $0.tree == 20 }.reduce(0) { count, range in
            count + after.count(tree: 20, from: range.lower, upTo: range.upper)
        }
        // A page holds about a hundred of these entries.
        #expect(heldCount < 2000, "seed \(seed): \(heldCount) entries in \(ranges.count) ranges")
        #expect(try storage.changedRanges(between: after, and: after) == [])
    }
}
