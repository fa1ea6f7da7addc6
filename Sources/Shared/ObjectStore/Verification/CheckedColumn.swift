import CausewayModel
import CausewayStorage

/// Reads the leaves of one column, and keeps the last one at hand.
struct CheckedColumn {
    private let reader: any StorageReader
    private let id: UInt32
    private let kind: LeafKind
    private let blank: UnsafeRawPointer
    private var number = -1
    private var leaf: UnsafeRawPointer
    private let isText: Bool
    /// The long text that was read last.
    private var joined: JoinedText?
    /// The numbers of leaves that ``LeafCheck`` has rejected.
    private(set) var unsound: Set<Int> = []

    init(_ id: UInt32, _ kind: LeafKind, isNull: Bool, isText: Bool = false, _ reader: any StorageReader) {
        self.reader = reader
        self.isText = isText
        self.id = id
        self.kind = kind
        blank = LeafCheck.blank(kind, isNull: isNull)
        leaf = blank
    }

    /// Nil for collections, which have no leaves.
    init?(_ column: Catalog.ColumnRecord, _ property: Property, _ reader: any StorageReader) {
        guard property.collection == .none else { return nil }
        self.init(column.id, LeafKind(property.type), isNull: property.isNullable, isText: property.isText, reader)
    }

    /// A leaf that is missing or unsound reads as one that was never written.
    mutating func leaf(_ wanted: Int) -> UnsafeRawPointer {
        if wanted == number { return leaf }
        number = wanted
        leaf = blank
        guard let bytes = reader.leaf(column: id, number: UInt32(wanted)) else { return leaf }
        if LeafCheck.isSound(bytes, kind), let start = bytes.baseAddress {
            leaf = start
        } else {
            unsound.insert(wanted)
        }
        return leaf
    }

    mutating func value(_ row: Int64, _ type: PropertyType) -> Value {
        let leaf = leaf(Int(row) / slotsPerLeaf)
        if let long = long(row, leaf) { return LeafValue.bytes(long, type) }
        return LeafValue.read(leaf, Int(row) % slotsPerLeaf, type)
    }

    /// The bytes of a value that lies outside of the leaf; nil for others, and where it is missing.
    private mutating func long(_ row: Int64, _ leaf: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
        guard kind == .bytes, LongValues.slots(of: leaf)?.contains(Int(row) % slotsPerLeaf) == true else { return nil }
        guard let bytes = LongValues.bytes(id, row, in: reader), isText, TextHead.isHead(bytes) else {
            return LongValues.bytes(id, row, in: reader)
        }
        joined = JoinedText(bytes, id, row, reader)
        return joined?.bytes
    }

    /// The bytes of a string, data or mixed value, valid until the next call; nil for null.
    mutating func bytes(_ row: Int64) -> UnsafeRawBufferPointer? {
        let leaf = leaf(Int(row) / slotsPerLeaf)
        if let long = long(row, leaf) { return long }
        let strings = StringLeaf(leaf)
        let slot = Int(row) % slotsPerLeaf
        return strings.isNull(slot) ? nil : strings.bytes(slot)
    }
}
