import CausewayObjectStore
import CausewaySeeds
import Foundation
import Testing

@Suite("Clients that respect nothing but the encoding")
struct HostileUploadTests {
    @Test("the server goes on, and its file is sound, whatever schemas, uploads and one-way entries come")
    func universes() throws {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["CAUSEWAY_HOSTILE_SEED"].flatMap(UInt64.init) ?? SeedList.drawn()
        let count = environment["CAUSEWAY_HOSTILE_COUNT"].flatMap(UInt64.init) ?? 60
        // A trap leaves no other trace of it.
        print("hostile uploads: CAUSEWAY_HOSTILE_SEED=\(first) CAUSEWAY_HOSTILE_COUNT=\(count)")
        var (taken, refused) = (0, 0)
        for seed in first..<first + count {
            if environment["CAUSEWAY_HOSTILE_SEED"] != nil { print("seed \(seed)") }
            let folder = "hostile-\(seed)-\(UInt64.random(in: 0 ... .max))"
            let file = try ObjectStore.open(
                path: folder + "/database.causeway", options: ObjectStore.Options(inMemory: true, mapSizeBytes: 1 << 26)
            )
            var universe = try HostileUniverse(seed: seed, folder: folder)
            try universe.run(steps: 60)
            #expect(try file.verify().problems.isEmpty, "seed \(seed)")
            taken += universe.taken
            refused += universe.refused
        }
        // Neither all of it is refused, nor nothing.
        #expect(taken > Int(count) && refused > 0)
    }
}
