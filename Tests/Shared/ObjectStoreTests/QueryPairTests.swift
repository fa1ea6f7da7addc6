import CausewayFolders
import CausewayQueryOracle
import CausewaySeeds
import Testing

@Suite("Queries against loops over dictionaries")
struct QueryPairTests {
    private static let seeds = SeedList.drawn(for: "queries", count: 8)

    @Test("both give the same answers", arguments: seeds)
    func agree(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        #expect(try QueryPairs.run(seed: seed, folder: folder.path) >= 200)
    }

    @Test("a wrong answer is noticed", arguments: [QueryPairs.Mutation.loseLast, .loseOrder])
    func notices(mutation: QueryPairs.Mutation) throws {
        let folder = try TemporaryFolder()
        #expect(throws: QueryPairs.Difference.self) {
            for seed in UInt64(1)...3 { _ = try QueryPairs.run(seed: seed, folder: folder.path, mutation: mutation) }
        }
    }
}
