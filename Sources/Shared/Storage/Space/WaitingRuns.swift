/// The states whose pages must stay: single states, and ranges in which every state is protected.
struct ProtectedStates {
    private let single: [UInt64]
    private let ranges: [ClosedRange<UInt64>]

    /// - Parameter single: ascending.
    init(_ single: [UInt64] = [], ranges: [ClosedRange<UInt64>] = []) {
        self.single = single
        self.ranges = ranges
    }

    /// A protected state, or a range with one, that contains a run; nil when there is none. Prefers the youngest single
    /// state, because of snapshots that end one after the other it ends last.
    func holder(of run: WaitingRun) -> ClosedRange<UInt64>? {
        let place = firstPlace(notBelow: run.freed)
        if place > 0, single[place - 1] >= run.birth { return single[place - 1]...single[place - 1] }
        return ranges.first { $0.lowerBound < run.freed && run.birth <= $0.upperBound }
    }

    func contains(_ holder: ClosedRange<UInt64>) -> Bool {
        if holder.lowerBound == holder.upperBound {
            let place = firstPlace(notBelow: holder.lowerBound)
            if place < single.count, single[place] == holder.lowerBound { return true }
        }
        return ranges.contains(holder)
    }

    private func firstPlace(notBelow state: UInt64) -> Int {
        var (low, high) = (0, single.count)
        while low < high {
            let middle = low + (high - low) / 2
            if single[middle] < state { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Pages that some protected state still contains, grouped by one such state. While that state is protected they are
/// not checked again, so an old snapshot does not make commits slower.
struct WaitingRuns {
    /// Runs that were not checked yet.
    private var fresh: [WaitingRun] = []
    private var held: [ClosedRange<UInt64>: [WaitingRun]] = [:]
    private(set) var pageCount = 0

    mutating func add(_ run: WaitingRun) {
        fresh.append(run)
        pageCount += Int(run.run.count)
    }

    /// Removes the runs that no protected state contains any more, and passes them to `body`.
    /// - Complexity: O(states + runs whose state has ended).
    mutating func release(_ protected: ProtectedStates, _ body: (PageRun) -> Void) {
        let ended = held.keys.filter { !protected.contains($0) }
        for holder in ended { fresh += held.removeValue(forKey: holder) ?? [] }
        for run in fresh {
            if let holder = protected.holder(of: run) {
                held[holder, default: []].append(run)
            } else {
                pageCount -= Int(run.run.count)
                body(run.run)
            }
        }
        fresh.removeAll(keepingCapacity: fresh.count < 1024)
    }

    /// All waiting runs, in no order.
    var runs: [WaitingRun] { held.values.reduce(fresh, +) }
}
