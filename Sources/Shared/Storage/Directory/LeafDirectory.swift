/// Finds leaves. Every step loads one pointer from a page. A thousand columns of a thousand leaves cost four loads,
/// small files two or three.
///
/// A damaged page counts as absent, and the space records the damage.
struct LeafDirectory {
    let space: PageSpace
    let root: PagePointer

    init(space: PageSpace, root: PagePointer) {
        self.space = space
        self.root = root
    }

    /// The bytes of a leaf, where they lie in the file.
    /// - Complexity: O(log of the largest column and number).
    @inline(__always)
    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        guard let pointer = pointer(column: column, number: number) else { return nil }
        return space.run(pointer)
    }

    @inline(__always)
    func pointer(column: UInt32, number: UInt32) -> PagePointer? {
        guard let top = descend(from: root, height: DirectoryHalf.columns.height(of: root), to: column) else {
            return nil
        }
        return descend(from: top, height: DirectoryHalf.numbers.height(of: top), to: number)
    }

    /// Takes at most as many steps as the height of the root. Any page can be read as a node, so a wrong page ends the
    /// search and does nothing worse.
    @inline(__always)
    private func descend(from root: PagePointer, height: Int, to index: UInt32) -> PagePointer? {
        guard !root.isNone, height <= DirectoryHalf.heightMaximum else { return nil }
        var shift = UInt64(truncatingIfNeeded: height &* DirectoryNode.bitsPerLevel)
        guard UInt64(index) &>> shift == 0 else { return nil }
        var pointer = root
        while shift > 0 {
            shift &-= UInt64(DirectoryNode.bitsPerLevel)
            guard let bytes = space.node(pointer, .directory) else { return nil }
            let slot = Int(truncatingIfNeeded: UInt64(index) &>> shift) & (DirectoryNode.slotCount - 1)
            pointer = DirectoryNode(bytes: bytes)[slot]
            if pointer.isNone { return nil }
        }
        return pointer
    }
}
