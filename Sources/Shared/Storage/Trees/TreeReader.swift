/// Reads the ordered trees of one committed state. Keys and values are handed out in place, without a copy.
///
/// A damaged page counts as absent, and the space records the damage.
struct TreeReader {
    let space: PageSpace
    let root: PagePointer

    init(space: PageSpace, root: PagePointer) {
        self.space = space
        self.root = root
    }

    /// The number of entries in all trees.
    var entryCount: Int { root.isNone ? 0 : Int(root.extent) }

    /// - Complexity: O(log n).
    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        slot(tree: tree, key: key)?.value(space)
    }

    /// Where an entry is, without reading a long value.
    /// - Complexity: O(log n).
    @inline(__always)
    func slot(tree: UInt32, key: UnsafeRawBufferPointer) -> TreeSlot? {
        guard !root.isNone else { return nil }
        return TreeKey.with(tree, key) { find($0) }
    }

    @inline(__always)
    private func find(_ key: UnsafeRawBufferPointer) -> TreeSlot? {
        guard var node = TreeNode.load(root, space) else { return nil }
        while node.level > 0 {
            guard let child = TreeNode.load(node.child(node.childIndex(key, space)), space) else { return nil }
            node = child
        }
        let found = node.position(of: key, from: 0, space)
        return found.isMatch ? node.slot(found.index) : nil
    }
}
