import CausewayMigrationSequences
import CausewayObjectStore
import CausewaySeeds
import Testing

@Suite("Two programs, two schemas, one file")
struct MigrationSequenceTests {
    private static let seeds = SeedList.drawn(for: "migrations", count: 24)

    @Test("whoever may go on reads and writes what the model says, and all others are told", arguments: seeds)
    func randomMigrations(seed: UInt64) throws {
        _ = try run(seed)
    }

    /// One drawn sequence may well have no refusal. These seeds are the same in each run, so that the check is too.
    @Test("the sequences come to both answers many times")
    func bothAnswersAreDrawn() throws {
        var made = 0
        var refused = 0
        var queries = 0
        for seed in 0..<UInt64(16) {
            let sequence = try run(seed)
            made += sequence.movesMade
            refused += sequence.movesRefused
            queries += sequence.queriesAsked
        }
        #expect(
            made > 16 && refused > 16 && queries > 16,
            "\(made) moves, \(refused) refusals, \(queries) queries through links")
    }

    private func run(_ seed: UInt64) throws -> MigrationSequence {
        let store = try openInMemory("migrations \(seed)")
        var sequence = try MigrationSequence(
            seed: seed, store, programs: [{ try StoreProgram(store) }, { try StoreProgram(store) }])
        try sequence.run(steps: 80)
        return sequence
    }
}
