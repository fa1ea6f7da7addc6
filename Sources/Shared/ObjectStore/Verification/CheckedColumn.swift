import CausewayModel
import CausewayStorage

/// Reads the leaves of one column, the one asked for last at hand.
struct CheckedColumn {
    private let reader: any StorageReader
    private let id: UInt32
    private let kind: LeafKind
    private let blank: UnsafeRawPointer
    private var number = -1
    private var leaf: UnsafeRawPointer
    /// Leaves that are not what a leaf of the column is.
    private(set) var unsound: Set<Int> = []

    init(_ id: UInt32, _ kind: LeafKind, isNull: Bool, _ reader: any StorageReader) {
        self.reader = reader
        self.id = id
        self.kind = kind
        blank = LeafCheck.blank(kind, isNull: isNull)
        leaf = blank
    }

    /// Nil for collections, which have no leaves.
    init?(_ column: Catalog.ColumnRecord, _ property: Property, _ reader: any StorageReader) {
        guard property.collection == .none else { return nil }
        self.init(column.id, LeafKind(property.type), isNull: property.isNullable, reader)
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
        LeafValue.read(leaf(Int(row) / slotsPerLeaf), Int(row) % slotsPerLeaf, type)
    }

    /// The bytes of a string, data or mixed value; nil for null.
    mutating func bytes(_ row: Int64) -> UnsafeRawBufferPointer? {
        let strings = StringLeaf(leaf(Int(row) / slotsPerLeaf))
        let slot = Int(row) % slotsPerLeaf
        return strings.isNull(slot) ? nil : strings.bytes(slot)
    }
}
