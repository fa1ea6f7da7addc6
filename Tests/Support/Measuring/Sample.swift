import Foundation

/// The times of some runs of one piece of work.
package struct Sample {
    /// For each operation of a run.
    package let nanoseconds: [Double]
    /// How many threads of this process worked at once.
    package let threads: Int

    package init(nanoseconds: [Double], threads: Int) {
        precondition(!nanoseconds.isEmpty, "a sample has a run")
        self.nanoseconds = nanoseconds
        self.threads = threads
    }

    /// The same times, of work that was kept on one processor: however many threads there were, one worked at a time.
    package var onOneProcessor: Sample { Sample(nanoseconds: nanoseconds, threads: 1) }

    package var runs: Int { nanoseconds.count }
    package var median: Double { nanoseconds.median }
    package var mean: Double { nanoseconds.reduce(0, +) / Double(runs) }

    /// So much of the runs took no longer: 0.99 for the 99th percentile.
    package func quantile(_ part: Double) -> Double {
        nanoseconds.sorted()[min(runs - 1, Int(Double(runs) * part))]
    }
}

extension [Double] {
    /// The middle one; of an even number, the upper of the two in the middle.
    package var median: Double { sorted()[count / 2] }
}

extension Duration {
    package var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    }
}

/// Some runs of `body`, in nanoseconds for each of `operations`.
package func measure(runs: Int, operations: Int, _ body: () throws -> Void) rethrows -> Sample {
    var watch = Stopwatch()
    for _ in 0..<runs { try watch.time(body) }
    return watch.sample(operations: operations)
}
