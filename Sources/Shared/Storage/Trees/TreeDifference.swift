/// Finds what differs between two states of the trees. Reads only pages that one of them has and the other has not.
///
/// A page of the newer tree that is not younger than the older tree is shared with all that is below it. The topmost
/// shared pages are the *border*. A page of the older tree that is not in or below the border was replaced or dropped.
/// The leaves that are not shared hold every entry that was added, removed or changed. They are compared as two lists.
struct TreeDifference {
    private let space: PageSpace
    private var border: Set<UInt32> = []
    private var oldLeaves = LeafList()
    private var newLeaves = LeafList()

    /// Ranges of keys outside of which the trees of two states are the same, ascending.
    /// - Parameters:
    ///   - older: the root of a state that is pinned.
    ///   - newer: the root of the same or of a later state.
    /// - Complexity: O(pages that differ).
    static func ranges(
        from older: PagePointer, to newer: PagePointer, in space: PageSpace
    ) throws(StorageError) -> [TreeRange] {
        guard older != newer else { return [] }
        var difference = TreeDifference(space: space)
        if !newer.isNone { try difference.collectNew(newer, since: older.birth) }
        if !older.isNone { try difference.collectOld(older) }
        return try difference.compared()
    }

    private init(space: PageSpace) {
        self.space = space
    }

    // MARK: - What is not shared

    /// The root is the youngest page of a tree, so a page no younger than the older root belongs to the older tree.
    private mutating func collectNew(_ pointer: PagePointer, since birth: UInt64) throws(StorageError) {
        guard pointer.birth > birth else {
            border.insert(pointer.page)
            newLeaves.endStretch()
            return
        }
        let node = try node(pointer)
        guard node.level > 0 else { return newLeaves.append(node) }
        for index in 0..<node.count { try collectNew(node.child(index), since: birth) }
    }

    private mutating func collectOld(_ pointer: PagePointer) throws(StorageError) {
        guard !border.contains(pointer.page) else { return oldLeaves.endStretch() }
        let node = try node(pointer)
        guard node.level > 0 else { return oldLeaves.append(node) }
        for index in 0..<node.count { try collectOld(node.child(index)) }
    }

    private func node(_ pointer: PagePointer) throws(StorageError) -> TreeNode {
        guard let node = TreeNode.load(pointer, space) else { throw damage() }
        return node
    }

    private func damage() -> StorageError {
        space.damaged("A node of the ordered trees contradicts its parent")
    }

    // MARK: - Comparing

    private func compared() throws(StorageError) -> [TreeRange] {
        var ranges = RangeList()
        var old = LeafCursor(oldLeaves)
        var new = LeafCursor(newLeaves)
        while true {
            let oldKey = try key(old.slot)
            let newKey = try key(new.slot)
            guard let key = oldKey ?? newKey else { break }
            let order =
                if let oldKey, let newKey { bytesOrder(oldKey, newKey) } else { oldKey == nil ? 1 : -1 }
            if order == 0, let oldSlot = old.slot, let newSlot = new.slot, hasSameValue(oldSlot, newSlot) {
                ranges.end()
            } else {
                ranges.add(order <= 0 ? key : newKey ?? key)
            }
            // Shared leaves lie beyond the end of a stretch, and no range should span them.
            if order <= 0, old.advance() { ranges.end() }
            if order >= 0, new.advance() { ranges.end() }
        }
        ranges.end()
        return ranges.ranges
    }

    private func key(_ slot: TreeSlot?) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard let slot else { return nil }
        guard let key = slot.key(space) else { throw damage() }
        return key
    }

    /// Long values are compared by the pointers to their runs, so a rewritten one counts as changed.
    private func hasSameValue(_ left: TreeSlot, _ right: TreeSlot) -> Bool {
        let field = left.valueField
        let count = TreeField.valueByteCount(field)
        return field == right.valueField
            && bytesOrder(
                UnsafeRawBufferPointer(start: left.valueStart, count: count),
                UnsafeRawBufferPointer(start: right.valueStart, count: count)) == 0
    }
}

/// The leaves of one side, in stretches. Between two stretches lie leaves that both sides share.
private struct LeafList {
    private(set) var leaves: [TreeNode] = []
    private(set) var stretchEnds: Set<Int> = []

    mutating func append(_ leaf: TreeNode) {
        leaves.append(leaf)
    }

    mutating func endStretch() {
        stretchEnds.insert(leaves.count)
    }
}

/// Iterates over the entries of one side.
private struct LeafCursor {
    private let list: LeafList
    private var leaf = 0
    private var index = 0

    init(_ list: LeafList) {
        self.list = list
    }

    var slot: TreeSlot? { leaf < list.leaves.count ? list.leaves[leaf].slot(index) : nil }

    /// Moves to the next entry. Returns whether a stretch of leaves ended before it.
    mutating func advance() -> Bool {
        index += 1
        guard index == list.leaves[leaf].count else { return false }
        (leaf, index) = (leaf + 1, 0)
        return list.stretchEnds.contains(leaf)
    }
}

/// Joins changed keys of one tree into a range while no unchanged key lies between them.
private struct RangeList {
    private(set) var ranges: [TreeRange] = []
    private var first: UnsafeRawBufferPointer?
    private var last: UnsafeRawBufferPointer?

    /// Adds a changed key.
    mutating func add(_ key: UnsafeRawBufferPointer) {
        if let first, TreeKey.tree(of: first) != TreeKey.tree(of: key) { end() }
        first = first ?? key
        last = key
    }

    /// Ends a range, just behind its last key.
    mutating func end() {
        guard let first, let last else { return }
        ranges.append(
            TreeRange(
                tree: TreeKey.tree(of: first), lower: Array(TreeKey.withoutTree(first)),
                upper: Array(TreeKey.withoutTree(last)) + [0]))
        self.first = nil
        self.last = nil
    }
}
