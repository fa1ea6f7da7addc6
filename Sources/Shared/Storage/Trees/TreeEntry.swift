/// An entry on its way into a new page. It points to its bytes, nearly always in the old page or in the memory of the
/// change, so they are copied only once, into the new page.
struct TreeEntry {
    /// The bytes for the page: the key, or its beginning and the pointer to its run; then the value, or the pointer to
    /// its run. If the key is long, the sixteen bytes before `body` are the address and length of the whole key.
    var body: UnsafeRawPointer
    var bodyCount: UInt16
    var keyField: UInt16
    var valueField: UInt16

    static let longKeyNoteCount = 16

    @inline(__always)
    init(body: UnsafeRawPointer, keyField: UInt16, valueField: UInt16) {
        self.body = body
        bodyCount = UInt16(
            truncatingIfNeeded: TreeField.keyByteCount(keyField) &+ TreeField.valueByteCount(valueField))
        self.keyField = keyField
        self.valueField = valueField
    }

    /// An entry of a page, unless its key is long.
    @inline(__always)
    init(_ slot: TreeSlot) {
        self.init(body: slot.body, keyField: slot.keyField, valueField: slot.valueField)
    }

    @inline(__always) var cost: Int { TreeField.entryCost(bodyCount: Int(bodyCount)) }
    @inline(__always) var hasLongKey: Bool { keyField & TreeNode.longFlag != 0 }
    @inline(__always) var keyByteCount: Int { TreeField.keyByteCount(keyField) }

    @inline(__always)
    var key: UnsafeRawBufferPointer {
        hasLongKey ? longKey : UnsafeRawBufferPointer(start: body, count: Int(keyField))
    }

    private var longKey: UnsafeRawBufferPointer {
        let note = body - Self.longKeyNoteCount
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: note.loadUnaligned(as: UInt.self)),
            count: note.loadUnaligned(fromByteOffset: 8, as: Int.self))
    }

    /// The run of a long key.
    var keyRun: PagePointer { PagePointer.load(from: body + TreeNode.longKeyInlineCount) }

    /// The child, in a branch's entry.
    @inline(__always) var child: PagePointer { PagePointer.load(from: body + keyByteCount) }
}
