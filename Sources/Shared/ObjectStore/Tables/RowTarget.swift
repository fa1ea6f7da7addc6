/// Where one column's values of one leaf are written, while that leaf is in its writable form.
///
/// Public to the package because the setters of ``NewRow`` inline into `Device/Database` down to the store.
@usableFromInline
package struct RowTarget {
    /// Nil for lists, which have no leaves.
    @usableFromInline let kind: LeafKind?
    /// In the layout of a leaf; nil for lists and strings.
    @usableFromInline let memory: UnsafeMutableRawPointer?
    /// The column owns its leaves until the write ends.
    let strings: Unmanaged<StringSlots>?
    @usableFromInline let isIndexed: Bool

    init(_ column: Column, _ leaf: WritableLeaf?, isIndexed: Bool) {
        kind = column.kind
        memory = leaf?.memory
        strings = leaf?.strings.map(Unmanaged.passUnretained)
        self.isIndexed = isIndexed
    }

    /// Makes a slot present and not null, and returns the payload.
    @inlinable @inline(__always)
    func present(_ slot: Int, _ wanted: LeafKind) -> UnsafeMutableRawPointer {
        guard let memory, kind == wanted else {
            preconditionFailure("a value of another type than the property's was set in a new row")
        }
        if memory.loadUnaligned(fromByteOffset: 4, as: UInt16.self) <= slot {
            memory.storeBytes(of: UInt16(truncatingIfNeeded: slot &+ 1), toByteOffset: 4, as: UInt16.self)
        }
        setBit(memory + 48, slot, false)
        return memory + 176
    }

    @inlinable @inline(__always)
    func setBit(_ bits: UnsafeMutableRawPointer, _ slot: Int, _ value: Bool) {
        let place = slot &>> 3
        let mask = UInt8(1) &<< UInt8(truncatingIfNeeded: slot & 7)
        let byte = bits.load(fromByteOffset: place, as: UInt8.self)
        bits.storeBytes(of: value ? byte | mask : byte & ~mask, toByteOffset: place, as: UInt8.self)
    }
}

/// The targets of all columns of a table for the leaf that new rows go to.
struct RowTargets: ~Copyable {
    private(set) var leaf = -1
    private(set) var targets: UnsafeMutablePointer<RowTarget>
    private var capacity = 0

    init() {
        targets = .allocate(capacity: 0)
    }

    deinit {
        targets.deallocate()
    }

    mutating func aim(at number: Int, _ columns: [Column], of table: Table) {
        reserve(columns.count)
        for (index, column) in columns.enumerated() {
            let leaf = column.kind == nil ? nil : column.write(number, of: table)
            (targets + index).initialize(to: RowTarget(column, leaf, isIndexed: column.isIndexed))
        }
        leaf = number
    }

    /// Aims at leaves for rows whose indexes are filled leaf by leaf.
    mutating func aim(at leaves: [WritableLeaf?], _ columns: [Column]) {
        reserve(columns.count)
        for (index, column) in columns.enumerated() {
            (targets + index).initialize(to: RowTarget(column, leaves[index], isIndexed: false))
        }
    }

    private mutating func reserve(_ count: Int) {
        guard count > capacity else { return }
        targets.deallocate()
        capacity = count + 8
        targets = .allocate(capacity: capacity)
    }

    /// Drops the targets, because the leaves are gone or the columns have changed.
    mutating func forget() {
        leaf = -1
    }
}
