import CausewayQueryGrammar
import CausewayQueryTexts
import CausewaySeeds
import Testing

/// Texts of the published grammar mean the same in `filter`, in a subscription and in a rule, and what the documents say.
@Suite struct QueryTextTests {
    private static let seeds = SeedList.drawn(for: "texts", count: 24)
    private static let textsPerSeed = 150

    @Test(.timeLimit(.minutes(5)))
    func everyTextFindsWhatTheDocumentsSay() throws {
        var counts: [String: Int] = [:]
        var (compared, found, refused) = (0, 0, 0)
        for seed in Self.seeds {
            var texts = try QueryTexts(seed: seed)
            try texts.run(count: Self.textsPerSeed)
            counts.merge(texts.counts, uniquingKeysWith: +)
            compared += texts.compared
            found += texts.found
            refused += texts.refused
        }
        guard Self.seeds.count >= 20 else { return }
        let missing = PublishedGrammar.productions.map(\.name).filter { counts[$0] == nil }
        #expect(missing.isEmpty, "never written: \(missing)")
        // Texts that find nothing prove little.
        #expect(found * 3 > compared)
        #expect(refused * 10 > compared && refused * 10 < compared * 9)
    }

    @Test(arguments: PublishedGrammar.productions)
    func theExampleOfEachSentenceIsUnderstood(_ production: Production) throws {
        try QueryTexts.checkExample(production.example)
    }
}
