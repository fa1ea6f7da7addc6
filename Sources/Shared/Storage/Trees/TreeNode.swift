/// A node of the ordered trees: one page, read in place.
///
///     0  u16  level, 0 for a leaf
///     2  u16  count of entries
///     4  u16  length of what all keys begin with (in a branch: all but the first, which is empty)
///     6  u16  zero
///     8  slots of 8 bytes: u32 head, u16 offset of the entry, u16 key field
///        entries, in order and without gaps: u16 value field, key, value
///
/// A head is the four bytes of the key behind the common prefix, as a number, zero-filled. It decides nearly every
/// comparison within a few cache lines. Keys are still stored whole, so that scans hand them out in place.
///
/// A key field is the key's length. With ``longFlag`` the key is too long for the page: the entry has its first
/// ``longKeyInlineCount`` bytes, then the pointer to a run with the whole key. A value field is the value's length, or
/// only the flag when the entry has a pointer to a run instead. The values of a branch are pointers to its children.
///
/// The key of a branch's child is a lower bound of the keys below the child, as short as possible. The bound of the
/// first child is that of the branch itself, and is stored in the branch's parent.
struct TreeNode {
    static let headerCount = 8
    static let slotCount = 8
    /// The bytes of a page for slots and entries.
    static let capacity = Pages.sizeBytes - headerCount
    static let inlineKeyMaximum = 1004
    static let inlineValueMaximum = 1000
    static let longKeyInlineCount = 128
    static let longFlag: UInt16 = 1 << 15
    /// Far higher than any tree; bounds the recursion of a walk over a file.
    static let levelMaximum: UInt8 = 40

    let page: UnsafeRawPointer

    @inline(__always)
    init(_ page: UnsafeRawPointer) {
        self.page = page
    }

    /// The node behind a pointer; nil when it is damaged or has another level than the pointer says.
    @inline(__always)
    static func load(_ pointer: PagePointer, _ space: PageSpace) -> TreeNode? {
        guard let page = space.node(pointer, .tree) else { return nil }
        let node = TreeNode(page)
        return node.level == Int(pointer.level) ? node : nil
    }

    // MARK: - Fields

    @inline(__always) var level: Int { number(0) }
    @inline(__always) var count: Int { number(2) }
    @inline(__always) var prefixCount: Int { number(4) }
    /// The first slot that has a key: a branch's first slot has none.
    @inline(__always) var firstKeyed: Int { level == 0 ? 0 : 1 }

    @inline(__always)
    private func number(_ offset: Int) -> Int {
        Int(UInt16(littleEndian: page.load(fromByteOffset: offset, as: UInt16.self)))
    }

    @inline(__always)
    func head(_ index: Int) -> UInt32 {
        UInt32(
            littleEndian: page.load(fromByteOffset: Self.headerCount &+ index &* Self.slotCount, as: UInt32.self))
    }

    @inline(__always)
    func slot(_ index: Int) -> TreeSlot {
        let word = UInt64(
            littleEndian: page.load(fromByteOffset: Self.headerCount &+ index &* Self.slotCount, as: UInt64.self))
        return TreeSlot(page: page, word: word)
    }

    /// The child of a branch.
    @inline(__always)
    func child(_ index: Int) -> PagePointer {
        PagePointer.load(from: slot(index).valueStart)
    }
}

/// One entry of a node.
struct TreeSlot {
    let page: UnsafeRawPointer
    let word: UInt64

    @inline(__always) var keyField: UInt16 { UInt16(truncatingIfNeeded: word >> 48) }
    @inline(__always) private var offset: Int { Int(truncatingIfNeeded: word >> 32 & 0xFFFF) }
    @inline(__always)
    var valueField: UInt16 {
        UInt16(littleEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    /// Where the key begins.
    @inline(__always) var body: UnsafeRawPointer { page + offset + 2 }
    @inline(__always) var hasLongKey: Bool { keyField & TreeNode.longFlag != 0 }
    /// The part of the key that is in the page.
    @inline(__always)
    var inlineKey: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: body, count: Int(keyField & ~TreeNode.longFlag))
    }
    @inline(__always) var valueStart: UnsafeRawPointer { body + TreeField.keyByteCount(keyField) }

    /// The whole key; nil when it is in a run that is damaged.
    @inline(__always)
    func key(_ space: PageSpace) -> UnsafeRawBufferPointer? {
        hasLongKey ? longKey(space) : inlineKey
    }

    @inline(never)
    private func longKey(_ space: PageSpace) -> UnsafeRawBufferPointer? {
        space.run(PagePointer.load(from: body + TreeNode.longKeyInlineCount))
    }

    /// The whole value; nil when it is in a run that is damaged.
    @inline(__always)
    func value(_ space: PageSpace) -> UnsafeRawBufferPointer? {
        let field = valueField
        if field & TreeNode.longFlag != 0 { return longValue(space) }
        return UnsafeRawBufferPointer(start: valueStart, count: Int(field))
    }

    @inline(never)
    private func longValue(_ space: PageSpace) -> UnsafeRawBufferPointer? {
        space.run(PagePointer.load(from: valueStart))
    }
}

/// How many bytes a key or a value takes in an entry, by its field.
enum TreeField {
    @inline(__always)
    static func keyByteCount(_ field: UInt16) -> Int {
        field & TreeNode.longFlag == 0 ? Int(field) : TreeNode.longKeyInlineCount + PagePointer.byteCount
    }

    @inline(__always)
    static func valueByteCount(_ field: UInt16) -> Int {
        field & TreeNode.longFlag == 0 ? Int(field) : PagePointer.byteCount
    }

    /// The bytes that an entry takes in a page, with its slot.
    @inline(__always)
    static func entryCost(bodyCount: Int) -> Int { TreeNode.slotCount &+ 2 &+ bodyCount }
}
