/// Finds out whether the runs of one client's ids are apart: no id belongs to two of them.
///
/// Every run is announced first, then inserted. Ids that lie close together are marked, a bit each; ids that are far apart
/// are sorted. So marks take at most four words for each run, whatever the runs say.
package struct DistinctRuns {
    private var lower = UInt64.max
    private var upper: UInt64 = 0
    private var count = 0
    /// A bit for each id from `lower` on; empty while the runs are sorted instead.
    private var marks: [UInt64] = []
    private var runs: [Range<UInt64>] = []

    package init() {}

    /// - Precondition: the run is not empty.
    package mutating func announce(_ run: Range<UInt64>) {
        lower = min(lower, run.lowerBound)
        upper = max(upper, run.upperBound)
        count += 1
    }

    /// Called between the last announcement and the first insertion.
    package mutating func begin() {
        guard count > 0 else { return }
        let words = (upper - lower) / 64 + 1
        if words <= 4 * UInt64(count) {
            marks = Array(repeating: 0, count: Int(words))
        } else {
            runs.reserveCapacity(count)
        }
    }

    /// False if an id of the run was inserted before. True may also mean that ``end()`` will tell.
    ///
    /// - Complexity: O(1) amortised: a word that is not the run's first or last must be empty.
    package mutating func insert(_ run: Range<UInt64>) -> Bool {
        guard !marks.isEmpty else {
            runs.append(run)
            return true
        }
        let (start, end) = (run.lowerBound - lower, run.upperBound - 1 - lower)
        let (first, last) = (Int(start / 64), Int(end / 64))
        for word in first...last {
            var mask = UInt64.max
            if word == first { mask &= .max << (start % 64) }
            if word == last { mask &= .max >> (63 - end % 64) }
            guard marks[word] & mask == 0 else { return false }
            marks[word] |= mask
        }
        return true
    }

    /// Whether all that was inserted is apart.
    package mutating func end() -> Bool {
        runs.sort { $0.lowerBound < $1.lowerBound }
        return zip(runs, runs.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    }
}
