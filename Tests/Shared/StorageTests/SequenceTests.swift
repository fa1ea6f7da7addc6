import CausewayFolders
import CausewaySeeds
import CausewayStorage
import CausewayStorageOracle
import Testing

/// Random sequences on all storages at once. `deploy/test --sequences COUNT` runs more, built in release.
@Suite("Storages agree with a dictionary")
struct SequenceTests {
    private static let seeds = SeedList.drawn(for: "sequences", count: 200)

    @Test("in random sequences of operations, with snapshots held open")
    func randomSequences() async throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        try await OperationSequence.run(seeds: Self.seeds, workers: 2, folder: folder.path)
    }
}
