import CausewayModel

/// The rows of an import's objects without a primary key, by their numbers in the export.
///
/// Numbers that ascend without gaps, as those of a whole export do, take no memory.
struct NumberedRows {
    private struct Run {
        var first: Int64
        var count: Int64
        var row: Int64
    }

    private var runs: [Run] = []

    mutating func add(_ number: Int64, _ key: ObjectKey) {
        if let last = runs.last, last.first + last.count == number, last.row + last.count == key.rawValue {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(first: number, count: 1, row: key.rawValue))
        }
    }

    /// Makes the numbers findable, after all were added.
    ///
    /// - Returns: a number that was added twice, if there is one.
    mutating func sort() -> Int64? {
        runs.sort { $0.first < $1.first }
        return zip(runs, runs.dropFirst()).first { $0.first + $0.count > $1.first }?.1.first
    }

    /// - Precondition: they are sorted.
    func row(of number: Int64) -> ObjectKey? {
        let place = (0..<runs.count).partitioningIndex { runs[$0].first > number }
        guard place > 0 else { return nil }
        let run = runs[place - 1]
        return number - run.first < run.count ? ObjectKey(run.row + number - run.first) : nil
    }
}
