import CausewayQuery
import CausewayQueryFuzzing
import Testing

@Suite("Random queries and random text")
struct RoundTripTests {
    @Test("a query's canonical text reads back to the same query: 8,000 of them", arguments: 0..<400)
    func roundTrip(seed: Int) throws {
        var random = RandomQueries(seed: UInt64(seed))
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
        arguments: 1...20)
    func fuzzed(seed: Int) throws {
        var fuzzer = QueryFuzzer(seed: UInt64(seed))
        try fuzzer.run(count: 1000)
        #expect(fuzzer.readCount > 100)
        #expect(fuzzer.readCount < 900)
    }
}
