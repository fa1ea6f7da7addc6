/// Changes of leaves and trees in the order in which a file needs them, one of each leaf and key. The bytes are their
/// owners'.
struct CommitChanges {
    /// Ascending; nil bytes are a removal.
    var leaves: [(place: LeafPlace, bytes: UnsafeRawBufferPointer?)]
    /// Ascending by tree and key.
    var entries: [TreeOverlay.Entry]

    var isEmpty: Bool { leaves.isEmpty && entries.isEmpty }

    init(
        leaves: [(place: LeafPlace, bytes: UnsafeRawBufferPointer?)] = [], entries: [TreeOverlay.Entry] = []
    ) {
        self.leaves = leaves
        self.entries = entries
    }

    init(_ changes: WriteChanges) {
        leaves = changes.sortedLeafChanges()
        entries = changes.sortedTreeChanges()
    }

    /// The same changes with older ones below them.
    func over(_ carried: CarriedChanges?) -> CommitChanges {
        guard let carried else { return self }
        var changes = CommitChanges()
        changes.leaves = Self.merged(carried.leaves, leaves)
        changes.entries = TreeOverlay.Entry.merged(carried.entries, entries, TreeOverlay.Entry.orderAcrossTrees)
        return changes
    }

    var count: Int { leaves.count + entries.count }

    /// The first of the changes, and the others.
    func split(first count: Int) -> (first: CommitChanges, rest: CommitChanges) {
        let leafCount = min(count, leaves.count)
        let entryCount = count - leafCount
        return (
            CommitChanges(leaves: Array(leaves[..<leafCount]), entries: Array(entries[..<entryCount])),
            CommitChanges(leaves: Array(leaves[leafCount...]), entries: Array(entries[entryCount...]))
        )
    }

    private static func merged(
        _ older: [CarriedChanges.Leaf], _ newer: [(place: LeafPlace, bytes: UnsafeRawBufferPointer?)]
    ) -> [(place: LeafPlace, bytes: UnsafeRawBufferPointer?)] {
        guard !older.isEmpty else { return newer }
        var merged: [(place: LeafPlace, bytes: UnsafeRawBufferPointer?)] = []
        merged.reserveCapacity(older.count + newer.count)
        var next = 0
        for leaf in older {
            while next < newer.count, newer[next].place < leaf.place {
                merged.append(newer[next])
                next += 1
            }
            if next == newer.count || newer[next].place != leaf.place { merged.append((leaf.place, leaf.bytes)) }
        }
        return merged + newer[next...]
    }
}
