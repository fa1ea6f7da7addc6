import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Testing

@Suite("Counts of ranges")
struct CountTests {
    private static let seeds = SeedList.drawn(for: "counts", count: 2)

    @Test(
        "agree with what a scan visits, in snapshots and over changes", arguments: seeds,
        StorageBackend.allCases)
    func agreeWithScans(seed: UInt64, backend: StorageBackend) throws {
        var random = SeededNumbers(seed: seed)
        let storage = try backend.open("counts \(seed)", inMemory: true)
        let writer = try storage.write()
        for number in 0..<3000 {
            writer.put(30, key(number), Array(repeating: 1, count: random.number(0...40)))
            if number % 100 == 0 { writer.put(31, key(number), [1]) }
        }
        let snapshot = try writer.commit(.relaxed)
        let changing = try storage.write()
        for number in stride(from: 0, to: 4000, by: 3) {
            if random.once(in: 2) { changing.remove(30, key(number)) } else { changing.put(30, key(number), []) }
        }
        for reader in [snapshot, changing] as [any StorageReader] {
            for _ in 0..<20 {
                let from = random.once(in: 4) ? [] : key(random.number(0...4000))
                let upTo = random.once(in: 4) ? nil : key(random.number(0...4000))
                #expect(
                    reader.count(tree: 30, from: from, upTo: upTo) == reader.entries(30, from: from, upTo: upTo).count,
                    "seed \(seed), from \(from), up to \(String(describing: upTo))")
            }
            #expect(reader.count(tree: 31, from: [], upTo: nil) == 30)
            #expect(reader.count(tree: 29, from: [], upTo: nil) == 0)
            #expect(reader.count(tree: 32, from: [], upTo: nil) == 0)
        }
    }

    private func key(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}
