import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Testing

/// Keys longer than a page, which only the page store takes.
@Suite("Long keys and values")
struct LongKeyTests {
    private static let seeds = SeedList.drawn(for: "long-keys", count: 4)

    private static let lengths = [0, 1, 500, 990, 1000, 1001, 1010, 4090, 4096, 5000, 70_000]
    private static let backends = StorageBackend.allCases

    private func key(_ random: inout SeededNumbers) -> [UInt8] {
        var key = [UInt8](repeating: 9, count: random.one(of: Self.lengths))
        // Keys of one length differ in their last byte, or far before it.
        if let last = key.indices.last {
            key[last] = UInt8(random.number(0...3))
            if random.once(in: 3) { key[last / 2] = UInt8(random.number(8...10)) }
        }
        return key
    }

    @Test("long keys agree with a dictionary", arguments: seeds, backends)
    func agreeWithDictionary(seed: UInt64, backend: StorageBackend) throws {
        var random = SeededNumbers(seed: seed)
        let storage = try backend.open("long \(seed)", inMemory: true)
        var expected = Contents()
        for round in 0..<8 {
            let writer = try storage.write()
            for _ in 0..<25 {
                let key = key(&random)
                if random.once(in: 3) {
                    expected.trees[20]?[key] = nil
                    writer.remove(20, key)
                } else {
                    let value = [UInt8](
                        repeating: UInt8(random.number(0...255)),
                        count: random.one(of: [0, 10, 999, 1001, 5000, 90_000]))
                    expected.trees[20, default: [:]][key] = value
                    writer.put(20, key, value)
                }
            }
            let snapshot = try writer.commit(.relaxed)
            #expect(snapshot.entries(20) == expected.entries(20), "seed \(seed), round \(round)")
            #expect(
                snapshot.entries(20, reversed: true) == expected.entries(20, reversed: true),
                "seed \(seed), round \(round)")
            for _ in 0..<20 {
                let (from, upTo) = (key(&random), key(&random))
                #expect(snapshot.get(20, from) == expected.get(20, from), "seed \(seed), round \(round)")
                #expect(
                    snapshot.count(tree: 20, from: from, upTo: upTo)
                        == expected.entries(20, from: from, upTo: upTo).count, "seed \(seed), round \(round)")
            }
        }
        #expect(try storage.verify { _, _ in }.problems == [])
    }

    @Test("a key of a mebibyte is kept, one byte more is refused", arguments: backends)
    func longest(backend: StorageBackend) throws {
        let storage = try backend.open("longest", inMemory: true)
        let longest = [UInt8](repeating: 5, count: maximumKeyBytes)
        let writer = try storage.write()
        writer.put(20, longest, [1])
        writer.put(20, Array(longest.dropLast()), [2])
        let snapshot = try writer.commit(.relaxed)
        #expect(snapshot.get(20, longest) == [1])
        #expect(snapshot.entries(20).map { $0[0].count } == [maximumKeyBytes - 1, maximumKeyBytes])
        let refused = try storage.write()
        refused.put(20, longest + [0], [1])
        #expect(code { _ = try refused.commit(.relaxed) } == .keyTooLong)
        #expect(try storage.snapshot().count(tree: 20, from: [], upTo: nil) == 2)
    }
}
