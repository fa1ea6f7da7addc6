/// Finds leaves. Every step is one load of a pointer out of a page that stays where it is, so a thousand columns of a
/// thousand leaves cost four of them, and small files two or three.
///
/// Damage counts as absence, and the space tells it.
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

    /// Only as many steps as the level of a half's root promises: any page can be read as a node, so pages that are
    /// not what they should be lead nowhere, but never astray.
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
