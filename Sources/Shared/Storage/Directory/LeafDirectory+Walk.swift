/// What a walk through a directory visits.
enum DirectoryVisit {
    /// A node, before anything below it; `first` is where its leaves begin.
    case node(PagePointer, first: LeafPlace)
    case leaf(LeafPlace, PagePointer)
    /// A node that was visited and cannot be read, or contradicts the pointer to it. Nothing below it is visited.
    case unsound(PagePointer, first: LeafPlace)
}

extension LeafDirectory {
    /// Visits nodes and leaves in ascending order, a node before its children. Does not read the runs of leaves.
    ///
    /// - Parameter body: returns, for a node, whether to visit what is below it; its other results are ignored.
    func walk<Failure: Error>(_ body: (DirectoryVisit) throws(Failure) -> Bool) throws(Failure) {
        guard !root.isNone else { return }
        let first = LeafPlace(column: 0, number: 0)
        var walk = DirectoryWalk(space: space)
        guard DirectoryHalf.columns.canBeRoot(root) else {
            _ = try body(.unsound(root, first: first))
            return
        }
        try walk.visit(root, .columns, height: DirectoryHalf.columns.height(of: root), first, body)
    }
}

private struct DirectoryWalk {
    let space: PageSpace
    /// A sound directory names no page twice, so a walk that visits more pages than the file can have is stopped.
    private var pagesLeft: UInt32

    init(space: PageSpace) {
        self.space = space
        pagesLeft = space.pageLimit
    }

    /// Recurses at most eleven levels deep: the caller that found the root of a half has checked its height.
    mutating func visit<Failure: Error>(
        _ pointer: PagePointer, _ half: DirectoryHalf, height: Int, _ first: LeafPlace,
        _ body: (DirectoryVisit) throws(Failure) -> Bool
    ) throws(Failure) {
        guard height > 0 else {
            switch half {
            case .columns: try visit(pointer, .numbers, height: Int(pointer.level), first, body)
            case .numbers: _ = try body(.leaf(first, pointer))
            }
            return
        }
        guard try body(.node(pointer, first: first)) else { return }
        guard let bytes = space.node(pointer, .directory),
            DirectoryNode(bytes: bytes).isSound(for: pointer, half, height: height), pagesLeft >= pointer.extent
        else {
            _ = try body(.unsound(pointer, first: first))
            return
        }
        let node = DirectoryNode(bytes: bytes)
        for slot in 0..<DirectoryNode.slotCount {
            let child = node[slot]
            if child.isNone { continue }
            guard pagesLeft > 0 else {
                _ = try body(.unsound(pointer, first: first))
                return
            }
            pagesLeft -= 1
            // A sound node has no pointers beyond the last index.
            guard
                let index = DirectoryNode.index(from: half.index(first), slot: slot, atHeight: height)
            else { return }
            var place = first
            if half == .columns { place.column = index } else { place.number = index }
            try visit(child, half, height: height - 1, place, body)
        }
    }
}
