import CausewayFolders
import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Testing

/// Many changes in one write take other ways than few: sorted by distribution, written side by side.
@Suite("Bulk writes")
struct BulkWriteTests {
    private static let seeds = SeedList.drawn(for: "bulk-writes", count: 3)

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Text that many share, numbers, and lengths on both sides of the eight bytes that are sorted without comparing.
    private func key(_ random: inout SeededNumbers) -> [UInt8] {
        let length = Int.random(in: 0...12, using: &random)
        let tail = (0..<length).map { _ in UInt8.random(in: 0...2, using: &random) }
        return (Bool.random(using: &random) ? Array("shared".utf8) : [4]) + tail
    }

    @Test("writes of thousands of changes agree with dictionaries", arguments: seeds, StorageBackend.allCases)
    func agreesWithDictionaries(seed: UInt64, backend: StorageBackend) throws {
        var random = SeededNumbers(seed: seed)
        let storage = try backend.open(folder.file("bulk.realm"))
        let trees: [UInt32] = [20, 21, 22]
        var expected: [UInt32: [[UInt8]: [UInt8]]] = [20: [:], 21: [:], 22: [[1]: [7]]]
        let first = try storage.write()
        // A little that lies behind the trees which get much.
        first.put(22, [1], [7])
        _ = try first.commit(.relaxed)
        for _ in 0..<3 {
            let writer = try storage.write()
            for tree in trees where tree != 22 || Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 0...1600, using: &random) {
                    let key = key(&random)
                    if UInt8.random(in: 0...9, using: &random) == 0 {
                        writer.remove(tree, key)
                        expected[tree]?[key] = nil
                    } else {
                        let value = Array(repeating: UInt8.random(in: 0...9, using: &random), count: key.count)
                        writer.put(tree, key, value)
                        expected[tree]?[key] = value
                    }
                }
            }
            _ = try writer.commit(.relaxed)
            let snapshot = try storage.snapshot()
            for tree in trees {
                let sorted = (expected[tree] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }
                #expect(snapshot.entries(tree) == sorted.map { [$0.key, $0.value] }, "seed \(seed), tree \(tree)")
                #expect(snapshot.count(tree: tree, from: [], upTo: nil) == sorted.count, "seed \(seed), tree \(tree)")
            }
        }
    }
}
