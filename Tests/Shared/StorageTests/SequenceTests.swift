import CausewayFolders
import CausewayStorage
import CausewayStorageOracle
import Foundation
import Testing

/// Random sequences on all storages at once. `CAUSEWAY_STORAGE_SEQUENCES` says how many, `CAUSEWAY_STORAGE_SEQUENCE` is
/// the one seed to try again; the crash program runs many more.
@Suite("Storages agree with a dictionary")
struct SequenceTests {
    private static let seeds: ClosedRange<UInt64> = {
        let variables = ProcessInfo.processInfo.environment
        if let seed = variables["CAUSEWAY_STORAGE_SEQUENCE"].flatMap(UInt64.init) { return seed...seed }
        return 1...max(1, variables["CAUSEWAY_STORAGE_SEQUENCES"].flatMap(UInt64.init) ?? 200)
    }()

    @Test("in random sequences of operations, with snapshots held open")
    func randomSequences() async throws {
        let folder = try TemporaryFolder(waitsForDisk: false)
        try await OperationSequence.run(seeds: Self.seeds, workers: 2, folder: folder.path)
    }
}
