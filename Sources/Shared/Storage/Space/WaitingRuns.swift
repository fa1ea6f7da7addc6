/// The states whose pages must stay: single ones, and ranges that stand for every state in them.
struct ProtectedStates {
    private let single: [UInt64]
    private let ranges: [ClosedRange<UInt64>]

    /// - Parameter single: ascending.
    init(_ single: [UInt64] = [], ranges: [ClosedRange<UInt64>] = []) {
        self.single = single
        self.ranges = ranges
    }

    /// A state, or a range with a state, that contains what was born and freed then. The youngest single one, which in
    /// a row of snapshots that end one after the other ends last.
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

/// Pages that some protected state still contains, by one state that does. While that state lives they are not looked
/// at again, so a commit does not pay for what an old snapshot keeps.
struct WaitingRuns {
    /// Not looked at yet.
    private var fresh: [WaitingRun] = []
    private var held: [ClosedRange<UInt64>: [WaitingRun]] = [:]
    private(set) var pageCount = 0

    mutating func add(_ run: WaitingRun) {
        fresh.append(run)
        pageCount += Int(run.run.count)
    }

    /// Hands out what no protected state contains any more.
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

    /// All of them, in no order.
    var runs: [WaitingRun] { held.values.reduce(fresh, +) }
}
