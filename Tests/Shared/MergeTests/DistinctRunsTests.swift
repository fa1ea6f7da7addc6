import CausewayMerge
import CausewaySeeds
import Testing

/// Runs of ids, against a set that holds each of their ids.
@Suite struct DistinctRunsTests {
    private static let seeds = SeedList.drawn(for: "distinct-runs", count: 400)

    private func areApart(_ runs: [Range<UInt64>]) -> Bool {
        var distinct = DistinctRuns()
        for run in runs { distinct.announce(run) }
        distinct.begin()
        return runs.allSatisfy { distinct.insert($0) } && distinct.end()
    }

    @Test("runs are apart exactly if no id is in two of them")
    func model() {
        var answers = (apart: 0, not: 0)
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            let count = random.number(0...40)
            // Close together, so that ids are marked, and far apart, so that runs are sorted.
            let step = random.one(of: [1, 3, 200, 100_000])
            var runs: [Range<UInt64>] = []
            var next = UInt64(random.below(1_000))
            for _ in 0..<count {
                let length = UInt64(random.number(1...(random.once(in: 4) ? 300 : 3)))
                runs.append(next..<next + length)
                next += length + UInt64(random.below(step))
            }
            // One more, which may lie on others.
            if random.once(in: 2) {
                let start = UInt64(random.below(Int(next) + 10))
                runs.append(start..<start + UInt64(random.number(1...130)))
            }
            runs.shuffle(using: &random)
            let ids = runs.flatMap { Array($0) }
            let expected = Set(ids).count == ids.count
            #expect(areApart(runs) == expected, "seed \(seed): \(runs)")
            if expected { answers.apart += 1 } else { answers.not += 1 }
        }
        #expect(answers.apart > 0 && answers.not > 0, "\(answers)")
    }

    @Test("a run of all ids that there are takes no memory")
    func extremes() {
        #expect(areApart([0..<UInt64.max]))
        #expect(areApart([0..<1, UInt64.max - 1..<UInt64.max]))
        #expect(!areApart([0..<UInt64.max, 5..<6]))
        #expect(areApart([]))
    }
}
