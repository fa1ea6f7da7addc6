/// Makes the pages of a tree from entries that come in order, level by level.
///
/// The caller appends entries to levels. When a level has enough entries they become a page, and the pointer to the
/// page becomes an entry of the level above. Appending the entry that leads to an old subtree keeps that subtree.
final class TreeAssembly {
    let space: PageSpace
    let output: any PageOutput
    let scratch = ByteArena()
    /// Accesses never overlap: `level(_:)` alone appends to it.
    @exclusivity(unchecked) private var levels: [TreeLevel] = []

    init(space: PageSpace, output: any PageOutput) {
        self.space = space
        self.output = output
        levels.reserveCapacity(4)
    }

    /// An empty key, which is a lower bound of all keys.
    var noBound: TreeEntry { TreeEntry(body: space.base, keyField: 0, valueField: 0) }

    @inline(__always)
    func level(_ height: Int) -> TreeLevel {
        while levels.count <= height { levels.append(TreeLevel()) }
        return levels[height]
    }

    private func isEmpty(above height: Int) -> Bool { levels.dropFirst(height + 1).allSatisfy { $0.count == 0 } }

    /// Gathers an entry, and makes full pages once more than two pages' worth of entries wait.
    @inline(__always)
    func append(_ entry: TreeEntry, at height: Int, _ level: TreeLevel, isNew: Bool) throws(StorageError) {
        level.append(entry)
        if isNew { level.noteNew() }
        if level.cost > TreeLevel.costMaximum { try makeFullPages(height) }
    }

    // MARK: - Ending pages

    @inline(never)
    private func makeFullPages(_ height: Int) throws(StorageError) {
        let level = level(height)
        try makeHeldPage(height)
        while level.cost > TreeLevel.costMaximum { try makePage(height, of: level.nextPageCount()) }
    }

    /// Ends what one old page became: makes pages of the gathered entries, unless they are so few that it is better to
    /// merge them with the next page.
    func endPage(_ height: Int) throws(StorageError) {
        let level = level(height)
        guard level.gatheredCount > 0 else { return }
        let minimum = level.isMerged ? TreeLevel.mergedCostMinimum : TreeLevel.costMinimum
        guard level.cost >= minimum else { return }
        try makeHeldPage(height)
        while level.cost > TreeNode.capacity { try makePage(height, of: level.nextPageCount()) }
        level.hold()
    }

    /// Makes pages of all waiting entries. An old page, or nothing, comes next on this level.
    func flush(_ height: Int) throws(StorageError) {
        let level = level(height)
        guard level.gatheredCount > 0 else {
            dropBound(level)
            return try makeHeldPage(height)
        }
        if level.isUnderfull {
            if level.heldCount > 0 {
                dropBound(level)
                level.joinHeld()
            } else {
                try takeLeftNeighbour(height)
            }
        }
        try makeHeldPage(height)
        while level.cost > TreeNode.capacity { try makePage(height, of: level.nextPageCount()) }
        try makePage(height, of: level.count)
    }

    private func makeHeldPage(_ height: Int) throws(StorageError) {
        let level = level(height)
        if level.heldCount > 0 { try makePage(height, of: level.heldCount) }
    }

    /// Merges the gathered entries with the old page left of them, if its entry still waits on the level above.
    private func takeLeftNeighbour(_ height: Int) throws(StorageError) {
        let above = self.level(height + 1)
        guard above.gatheredCount > 0, above.entries[above.count - 1].child.birth != output.birth else { return }
        let neighbour = above.removeLast()
        let level = level(height)
        let waiting = Array(UnsafeBufferPointer(start: level.entries, count: level.count))
        dropBound(level)
        level.dropGathered()
        try open(neighbour, at: height, level)
        try gather(try node(neighbour.child), bound: neighbour, height, level)
        for entry in waiting { try append(entry, at: height, level, isNew: false) }
        output.free(neighbour.child, kind: .tree)
    }

    // MARK: - Old pages

    func node(_ pointer: PagePointer) throws(StorageError) -> TreeNode {
        guard let node = TreeNode.load(pointer, space) else { throw damage() }
        return node
    }

    func damage() -> StorageError {
        space.damaged("A node of the ordered trees contradicts its parent")
    }

    /// Prepares a level for gathering the entries of an old page.
    func open(_ entry: TreeEntry, at height: Int, _ level: TreeLevel) throws(StorageError) {
        guard height == 0 else { return }
        if level.gatheredCount == 0 {
            dropBound(level)
            level.bound = entry
        } else {
            dropKey(entry)
        }
    }

    /// Gathers entries of an old page.
    func gather(
        _ node: TreeNode, _ slots: Range<Int>? = nil, bound: TreeEntry, _ height: Int, _ level: TreeLevel
    ) throws(StorageError) {
        for index in slots ?? 0..<node.count {
            try append(try entry(node, index, bound: bound), at: height, level, isNew: false)
        }
    }

    /// Merges an old page, which could have been kept, with the few entries gathered left of it.
    func absorb(_ entry: TreeEntry, _ height: Int) throws(StorageError) {
        let level = level(height)
        level.isMerged = true
        try open(entry, at: height, level)
        try gather(try node(entry.child), bound: entry, height, level)
        output.free(entry.child, kind: .tree)
        try endPage(height)
    }

    /// Keeps an old page: its entry goes to the level above.
    func keep(_ entry: TreeEntry, _ height: Int) throws(StorageError) {
        if level(height).isUnderfull {
            try absorb(entry, height)
        } else {
            try flush(height)
            let above = level(height + 1)
            above.noteFollowing(TreeKey.tree(of: entry.key))
            try append(entry, at: height + 1, above, isNew: false)
        }
    }

    /// Keeps some children of an old page.
    func keep(_ children: Range<Int>, of node: TreeNode, bound: TreeEntry) throws(StorageError) {
        let height = node.level - 1
        let level = level(height)
        var index = children.lowerBound
        while index < children.upperBound, index == children.lowerBound || level.count > 0 {
            try keep(try entry(node, index, bound: bound), height)
            index += 1
        }
        // Once no entries wait below, the other children are kept without a check.
        try gather(node, index..<children.upperBound, bound: bound, height + 1, self.level(height + 1))
    }

    /// An entry of an old page. The key of a branch's first child is the branch's own bound, which its parent has.
    @inline(__always)
    func entry(_ node: TreeNode, _ index: Int, bound: TreeEntry) throws(StorageError) -> TreeEntry {
        if index == 0, node.level > 0, bound.keyField != 0 { return joined(bound, node.child(0)) }
        return try entry(node.slot(index))
    }

    @inline(__always)
    func entry(_ slot: TreeSlot) throws(StorageError) -> TreeEntry {
        slot.hasLongKey ? try longEntry(slot) : TreeEntry(slot)
    }

    @inline(never)
    private func longEntry(_ slot: TreeSlot) throws(StorageError) -> TreeEntry {
        guard let key = slot.key(space) else { throw damage() }
        let source = TreeEntry(slot)
        let body = noted(key, bodyCount: Int(source.bodyCount))
        body.copyMemory(from: source.body, byteCount: Int(source.bodyCount))
        return TreeEntry(body: body, keyField: slot.keyField, valueField: slot.valueField)
    }

    // MARK: - Freeing

    /// Frees the run of a long key that is no longer used.
    func dropKey(_ entry: TreeEntry) {
        if entry.hasLongKey { output.free(entry.keyRun, kind: .run) }
    }

    private func dropBound(_ level: TreeLevel) {
        guard let bound = level.bound else { return }
        dropKey(bound)
        level.bound = nil
    }

    // MARK: - The root

    /// Makes pages of all waiting entries. Returns the root of the tree, or `none` when it is empty.
    func finish() throws(StorageError) -> PagePointer {
        var height = 0
        while true {
            let level = level(height)
            if isEmpty(above: height) {
                if level.count == 0 {
                    dropBound(level)
                    return .none
                }
                if height > 0, level.count == 1 {
                    dropKey(level.entries[0])
                    return try lowered(level.entries[0].child)
                }
            }
            try flush(height)
            height += 1
        }
    }

    /// The root without the old pages on top that have only one child.
    private func lowered(_ root: PagePointer) throws(StorageError) -> PagePointer {
        var root = root
        while root.level > 0, root.birth != output.birth {
            let node = try node(root)
            guard node.count == 1 else { break }
            output.free(root, kind: .tree)
            root = node.child(0)
        }
        return root
    }
}
