/// Some rows of one leaf.
struct LeafRows {
    let number: Int
    var rows: SlotBitmap
}

/// Runs a test over leaves, ascending, in such a way that what it keeps in memory stays small.
///
/// A part that goes through a list or a link keeps a bit for each object at the other end, and a predicate may have
/// thousands of such parts. Where all of them together would keep more than `scratchMax`, leaves are taken in batches: each
/// part answers for a whole batch and forgets what it kept before the next part begins. It finds it again for each batch, and
/// a batch is large, so that this rarely happens: a million rows are one.
struct LeafBatch {
    private let test: any LeafTest
    let isBatched: Bool
    private var waiting: [LeafRows] = []

    /// Bytes that the parts of one predicate may keep, together.
    static let scratchMax = 8 << 20
    /// What waits takes 144 bytes a leaf, and as much again for each level of the predicate.
    private static let leavesMax = 1_024

    init(_ test: any LeafTest, scratchMax: Int) {
        self.test = test
        isBatched = test.scratchBytes > scratchMax
    }

    /// Takes a leaf, and hands on what is found as soon as it is known, until the body answers false.
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

    /// Hands on what is found in the leaves that wait, behind the last one.
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
