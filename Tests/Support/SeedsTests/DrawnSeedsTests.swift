import CausewaySeeds
import Testing

@Suite("Seeds that are drawn")
struct DrawnSeedsTests {
    @Test("each run begins elsewhere, and says the command that makes it again")
    func drawn() {
        let runs = (0..<20).map { _ in DrawnSeeds("long-keys", count: 3, environment: [:]) }
        #expect(Set(runs.map(\.first)).count == 20)
        for run in runs {
            #expect(run.row == [run.first, run.first + 1, run.first + 2])
            #expect(run.command == "CAUSEWAY_LONG_KEYS_SEED=\(run.first) deploy/test --filter DrawnSeedsTests")
            #expect(!run.isAlone)
        }
    }

    @Test("the environment names the first, and how many")
    func named() {
        let seed = ["CAUSEWAY_LONG_KEYS_SEED": "7", "CAUSEWAY_KEYS_COUNT": "9"]
        let again = DrawnSeeds("long-keys", count: 3, environment: seed)
        #expect(again.row == [7, 8, 9])
        #expect(!again.isAlone, "those that failed once are a part of the same run")
        let both = ["CAUSEWAY_LONG_KEYS_SEED": "7", "CAUSEWAY_LONG_KEYS_COUNT": "1"]
        let one = DrawnSeeds("long-keys", count: 3, environment: both)
        #expect(one.row == [7])
        #expect(one.isAlone)
        #expect(one.command.hasPrefix("CAUSEWAY_LONG_KEYS_SEED=7 CAUSEWAY_LONG_KEYS_COUNT=1 deploy/test"))
    }

    @Test("a night tries many times as many, and says how to have one row of it again")
    func times() {
        let night = DrawnSeeds(
            "long-keys", count: 3, environment: ["CAUSEWAY_SEED_TIMES": "20", "CAUSEWAY_LONG_KEYS_SEED": "7"])
        #expect(night.row == Array(7..<67))
        #expect(night.command.hasPrefix("CAUSEWAY_LONG_KEYS_SEED=7 CAUSEWAY_LONG_KEYS_COUNT=60 deploy/test"))
    }

    @Test("what failed once comes first, and a check of which nothing failed has no list")
    func failedOnce() throws {
        let listed = try SeedList("queries").numbers()
        #expect(!listed.isEmpty)
        #expect(SeedList.failedOnce("queries") == listed)
        #expect(SeedList.failedOnce("nothing ever failed here") == [])
    }

    @Test("parts are all of it, and nothing twice")
    func parts() {
        let seeds: [UInt64] = [5, 6, 7, 8, 9, 10, 11]
        #expect(seeds.part(1, of: 3) == [6, 9])
        #expect((0..<3).flatMap { seeds.part($0, of: 3) }.sorted() == seeds)
        #expect(([] as [UInt64]).part(0, of: 3) == [])
    }
}
