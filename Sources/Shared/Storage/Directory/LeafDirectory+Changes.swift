extension LeafDirectory {
    /// The leaves that differ between two directories in one space: written, replaced or removed, ascending.
    /// Subtrees that both share are skipped.
    /// - Complexity: O(what changed).
    static func changedLeaves(
        from old: PagePointer, to new: PagePointer, space: PageSpace
    ) throws(StorageError) -> [LeafPlace] {
        for root in [old, new] where !DirectoryHalf.columns.canBeRoot(root) { throw space.directoryIsUnsound(root) }
        var comparison = DirectoryComparison(space: space)
        try comparison.compare(
            old, new, .columns, height: DirectoryComparison.height(old, new, .columns), LeafPlace(column: 0, number: 0))
        return comparison.changed
    }
}

private struct DirectoryComparison {
    let space: PageSpace
    private(set) var changed: [LeafPlace] = []
    /// Sound directories name no page twice, so a comparison that visits more pages than the file can have is stopped.
    private var pagesLeft: UInt64

    init(space: PageSpace) {
        self.space = space
        pagesLeft = 2 * UInt64(space.pageLimit)
    }

    static func height(_ old: PagePointer, _ new: PagePointer, _ half: DirectoryHalf) -> Int {
        max(half.height(of: old), half.height(of: new))
    }

    /// Recurses at most eleven levels deep, because the heights were checked.
    mutating func compare(
        _ old: PagePointer, _ new: PagePointer, _ half: DirectoryHalf, height: Int, _ first: LeafPlace
    ) throws(StorageError) {
        guard old != new else { return }
        guard height > 0 else {
            switch half {
            case .columns: try compare(old, new, .numbers, height: Self.height(old, new, .numbers), first)
            case .numbers: changed.append(first)
            }
            return
        }
        guard pagesLeft >= 2 else { throw space.directoryIsUnsound(new) }
        pagesLeft -= 2
        let oldChildren = try DirectoryChildren(of: old, half, height: height, space: space)
        let newChildren = try DirectoryChildren(of: new, half, height: height, space: space)
        for slot in 0..<DirectoryNode.slotCount where oldChildren[slot] != newChildren[slot] {
            // Sound nodes have no pointers beyond the last index.
            guard let index = DirectoryNode.index(from: half.index(first), slot: slot, atHeight: height) else { return }
            var place = first
            if half == .columns { place.column = index } else { place.number = index }
            try compare(oldChildren[slot], newChildren[slot], half, height: height - 1, place)
        }
    }
}
