/// Some rows of one leaf.
struct LeafRows {
    let number: Int
    var rows: SlotBitmap
}

/// Runs a test over leaves, ascending, and keeps its memory small.
///
/// A part that goes through a list or a link keeps a bit for each object at the other end, and a predicate may have
/// thousands of such parts. If all of them together would keep more than `scratchMax`, leaves are taken in batches:
/// each part answers for a whole batch and drops its bits before the next part begins. It finds them again for each
/// batch. That is rare, because a batch is large: about a million rows.
struct LeafBatch {
    private let test: any LeafTest
    let isBatched: Bool
    private var waiting: [LeafRows] = []

    /// Bytes that the parts of one predicate may keep, together.
    static let scratchMax = 8 << 20
    /// A waiting leaf takes 144 bytes, and as much again for each level of the predicate.
    private static let leavesMax = 1_024

    init(_ test: any LeafTest, scratchMax: Int) {
        self.test = test
        isBatched = test.scratchBytes > scratchMax
    }

    /// Takes a leaf, and hands results to the body as soon as they are known, until the body answers false.
    ///
    /// - Returns: false when the body did.
    mutating func take(
        _ number: Int, _ candidates: SlotBitmap, _ body: (_ number: Int, _ found: SlotBitmap) -> Bool
    ) -> Bool {
        if candidates.isEmpty { return true }
        guard isBatched else {
            let found = test.evaluate(number, candidates)
            return found.isEmpty || body(number, found)
        }
        waiting.append(LeafRows(number: number, rows: candidates))
        return waiting.count < Self.leavesMax || settle(body)
    }

    /// Tests the leaves that wait and hands their results to the body. Needed after the last leaf.
    ///
    /// - Returns: false when the body did.
    mutating func settle(_ body: (_ number: Int, _ found: SlotBitmap) -> Bool) -> Bool {
        if waiting.isEmpty { return true }
        test.narrow(&waiting)
        defer { waiting.removeAll(keepingCapacity: true) }
        for leaf in waiting where !leaf.rows.isEmpty {
            guard body(leaf.number, leaf.rows) else { return false }
        }
        return true
    }
}
