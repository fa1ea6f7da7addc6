import ArgumentParser
import CausewayQueryGrammar
import CausewayQueryTexts
import Foundation

/// Asks texts of the published grammar until there were enough of them, those of a hundred and fifty a seed.
struct QueryTextRun {
    private static let textsPerSeed = 150
    private static let textsPerLine = 10_000
    /// So many texts hold every production.
    private static let textsOfAll = 3_000

    let count: Int
    let firstSeed: UInt64

    /// Ends with the first text that means something else in one of the places, or with a production that no text held.
    func run() throws {
        var counts: [String: Int] = [:]
        var (done, found, refused) = (0, 0, 0)
        var seed = firstSeed
        while done < count {
            do {
                var texts = try QueryTexts(seed: seed)
                try texts.run(count: Self.textsPerSeed)
                counts.merge(texts.counts, uniquingKeysWith: +)
                found += texts.found
                refused += texts.refused
            } catch {
                print("causeway-queries: FAILED: \(error)\n    again: deploy/test --query-texts 1 --seed \(seed)")
                throw ExitCode.failure
            }
            seed += 1
            done += Self.textsPerSeed
            if done.isMultiple(of: Self.textsPerLine) {
                FileHandle.standardError.write(Data("\(done) of \(count) texts\n".utf8))
            }
        }
        for production in PublishedGrammar.productions {
            print("\(counts[production.name] ?? 0)\t\(production.name)\t\(production.example)")
        }
        print(
            "causeway-queries: \(done) texts from seed \(firstSeed) on mean the same everywhere: \(found) found objects, "
                + "\(refused) are refused by subscriptions")
        let missing = PublishedGrammar.productions.filter { counts[$0.name] == nil }
        guard missing.isEmpty || done < Self.textsOfAll else {
            print("causeway-queries: FAILED: never written: \(missing.map(\.name))")
            throw ExitCode.failure
        }
    }
}
