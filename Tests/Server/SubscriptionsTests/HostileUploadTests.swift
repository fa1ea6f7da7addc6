import CausewayObjectStore
import CausewaySeeds
import Foundation
import Testing

@Suite("Clients that respect nothing but the encoding")
struct HostileUploadTests {
    private static let seeds = SeedList.drawn(for: "hostile", count: 60)

    @Test("the server goes on, and its file is sound, whatever schemas, uploads and one-way entries come")
    func universes() throws {
        // A trap leaves no other trace of which one it was.
        let isAgain = ProcessInfo.processInfo.environment["CAUSEWAY_HOSTILE_SEED"] != nil
        var (taken, refused) = (0, 0)
        for seed in Self.seeds {
            if isAgain { FileHandle.standardOutput.write(Data("seed \(seed)\n".utf8)) }
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
        #expect(taken > Self.seeds.count && refused > 0)
    }
}
