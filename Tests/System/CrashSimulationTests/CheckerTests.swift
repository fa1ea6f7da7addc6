import CausewaySeeds
import CausewaySimulatedDisk
import Testing

@testable import CausewayCrashSimulation

/// The checker is checked: it finds what is made wrong on purpose, and nothing where nothing is wrong.
struct CheckerTests {
    private static let seeds = SeedList.drawn(for: "crash", count: 1)
    private static let images = 5_000
    /// Of mutations that few workloads meet, one that does.
    private static let workloads: [String: UInt64] = ["overlap-syncs": 21, "poison-full-disk": 13]

    @Test(arguments: seeds)
    func nothingIsFoundWhereNothingIsWrong(seed: UInt64) {
        let (totals, failure) = CrashRun(.init(images: 3_000, seed: seed, jobs: 2)).run()
        #expect(failure == nil, "\(failure.map { "\($0)" } ?? "")")
        #expect(totals.images >= 3_000)
    }

    @Test(arguments: Mutation.all)
    func whatIsMadeWrongIsFound(mutation: Mutation) throws {
        let settings = CrashRun.Settings(
            images: Self.images, seed: Self.workloads[mutation.name] ?? 1, jobs: 2, mutation: mutation)
        let failure = CrashRun(settings).run().failure
        _ = try #require(failure, "\(mutation.name) stayed unnoticed in \(Self.images) images")
    }

    @Test func aFailureIsFoundAgainByItsRecipe() throws {
        let settings = CrashRun.Settings(images: Self.images, seed: 1, jobs: 1, mutation: .disk(.skipSync))
        let failure = try #require(CrashRun(settings).run().failure)
        #expect(failure.command.contains("--seed \(failure.seed)"))
        let again = try #require(CrashRun(settings).repeatOne(failure.seed, failure.recipe))
        #expect(again.reason == failure.reason)
    }
}
