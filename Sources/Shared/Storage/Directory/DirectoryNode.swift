/// The leaf directory maps (column, number) to the run that holds the leaf's bytes.
///
/// 1. It has two halves of the same structure: one maps a column to the column's root, the other (one tree for each
///    column) maps a number to a run. Each is a radix tree of 128 pointers a node, seven bits a level.
/// 2. A tree of height h holds the indexes below 128^h and is as low as that allows. Index 0 alone needs no node: the
///    root of a column whose only leaf is number 0 is that leaf's run, and column 0 alone is the whole directory.
/// 3. The level in a pointer is the height: 0 for a run, 1...5 for a node above numbers, 6...10 above columns.
///    It falls by one with every step down. Only from the columns to a column's root it may fall further.
/// 4. A node holds at least one pointer. Each leads to an index of 32 bits, and none is younger than the node.
/// 5. The extent of a node is the number of leaves below it.
///
/// Bytes of a node: 128 pointers of 32 bytes. Zero is no pointer.
enum DirectoryHalf {
    case columns
    case numbers

    static let heightMaximum = 5

    /// The height of the tree behind a pointer of this half.
    @inline(__always)
    func height(of pointer: PagePointer) -> Int {
        switch self {
        case .columns: max(0, Int(pointer.level) &- Self.heightMaximum)
        case .numbers: Int(pointer.level)
        }
    }

    func level(atHeight height: Int) -> UInt8 {
        UInt8(self == .columns ? height + Self.heightMaximum : height)
    }

    /// Whether a pointer may be the root of this half.
    func canBeRoot(_ pointer: PagePointer) -> Bool { height(of: pointer) <= Self.heightMaximum }

    func index(_ place: LeafPlace) -> UInt32 { self == .columns ? place.column : place.number }

    /// The height of the lowest tree that holds an index.
    static func height(for index: UInt32) -> Int {
        (UInt32.bitWidth - index.leadingZeroBitCount + DirectoryNode.bitsPerLevel - 1) / DirectoryNode.bitsPerLevel
    }
}

/// A page of 128 pointers.
struct DirectoryNode {
    static let bitsPerLevel = 7
    static let slotCount = 128

    let bytes: UnsafeRawPointer

    @inline(__always)
    subscript(slot: Int) -> PagePointer { .load(from: bytes + slot &* PagePointer.byteCount) }

    /// The slot that leads to an index, in a node at a height.
    @inline(__always)
    static func slot(of index: UInt32, atHeight height: Int) -> Int {
        Int(truncatingIfNeeded: UInt64(index) &>> UInt64(bitsPerLevel &* (height &- 1))) & (slotCount - 1)
    }

    /// The first index below a slot of a node that begins at the index `first`. Nil beyond 32 bits.
    static func index(from first: UInt32, slot: Int, atHeight height: Int) -> UInt32? {
        UInt32(exactly: UInt64(first) + UInt64(slot) << UInt64(bitsPerLevel * (height - 1)))
    }

    /// Whether the node is what a pointer in its half promises (rules 3, 4 and 5).
    func isSound(for pointer: PagePointer, _ half: DirectoryHalf, height: Int) -> Bool {
        var leaves: UInt64 = 0
        for slot in 0..<Self.slotCount {
            let child = self[slot]
            if child.isNone { continue }
            let isRightHeight =
                half == .columns && height == 1
                ? Int(child.level) <= DirectoryHalf.heightMaximum : child.level == half.level(atHeight: height - 1)
            guard isRightHeight, child.birth <= pointer.birth,
                Self.index(from: 0, slot: slot, atHeight: height) != nil
            else { return false }
            leaves += UInt64(child.leafCount)
        }
        return leaves > 0 && leaves == UInt64(pointer.extent)
    }
}

extension PagePointer {
    /// Leaves below a pointer of the directory.
    var leafCount: UInt32 { isNone ? 0 : level == 0 ? 1 : extent }
}

/// The children of a tree, seen from a height. Seen from above its own height, the tree is its own first child.
struct DirectoryChildren {
    let node: DirectoryNode?
    private let alone: PagePointer

    init(
        of pointer: PagePointer, _ half: DirectoryHalf, height: Int, space: PageSpace
    ) throws(StorageError) {
        let own = half.height(of: pointer)
        guard own <= height else { throw space.directoryIsUnsound(pointer) }
        guard own == height, !pointer.isNone else {
            node = nil
            alone = pointer
            return
        }
        guard let bytes = space.node(pointer, .directory) else { throw space.directoryIsUnsound(pointer) }
        let node = DirectoryNode(bytes: bytes)
        guard node.isSound(for: pointer, half, height: height) else { throw space.directoryIsUnsound(pointer) }
        self.node = node
        alone = .none
    }

    subscript(slot: Int) -> PagePointer { node?[slot] ?? (slot == 0 ? alone : .none) }
}

extension PageSpace {
    func directoryIsUnsound(_ pointer: PagePointer) -> StorageError {
        damaged("Page \(pointer.page) does not hold the \(pointer.leafCount) leaves that lead to it")
    }
}
