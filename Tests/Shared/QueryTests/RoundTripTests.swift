import CausewayQuery
import CausewayQueryFuzzing
import CausewaySeeds
import Testing

@Suite("Random queries and random text")
struct RoundTripTests {
    private static let seeds = SeedList.drawn(for: "query-texts", count: 400)
    private static let fuzzSeeds = SeedList.drawn(for: "query-fuzz", count: 20)

    @Test("a query's canonical text reads back to the same query: 8,000 of them", arguments: seeds)
    func roundTrip(seed: UInt64) throws {
        var random = RandomQueries(seed: seed)
        for _ in 0..<10 {
            let selection = random.selection(depth: 4)
            let text = "\(selection)"
            #expect(try Selection.parse(text) == selection, "seed \(seed): \(text)")
            let predicate = random.predicate(depth: 4)
            #expect(try Predicate.parse("\(predicate)") == predicate, "seed \(seed): \(predicate)")
        }
    }

    @Test(
        "20,000 texts, from whole ones to noise, are read and print as themselves, or are refused at a place in them",
        arguments: fuzzSeeds)
    func fuzzed(seed: UInt64) throws {
        var fuzzer = QueryFuzzer(seed: seed)
        try fuzzer.run(count: 1000)
        #expect(fuzzer.readCount > 100)
        #expect(fuzzer.readCount < 900)
    }
}
