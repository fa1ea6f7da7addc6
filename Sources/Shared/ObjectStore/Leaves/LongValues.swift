import CausewayStorage

/// Values of strings, data and mixed values that are too long for their leaf. Each is an entry of a tree, with pages of
/// its own, so a change of one value does not rewrite its neighbours.
enum LongValues {
    /// The most bytes of a value that lies in its leaf: a page of the file.
    static let shortMax = 4096

    static func key(_ column: UInt32, _ row: Int64) -> [UInt8] {
        withUnsafeBytes(of: column.bigEndian) { Array($0) }
            + withUnsafeBytes(of: UInt64(bitPattern: row).bigEndian) { Array($0) }
    }

    /// A key behind the last one of a column.
    static func end(_ column: UInt32) -> [UInt8] { key(column, -1) }

    /// The bytes of a value; nil when they are missing, which is damage.
    static func bytes(_ column: UInt32, _ row: Int64, in reader: any StorageReader) -> UnsafeRawBufferPointer? {
        reader.get(FixedTree.longValues, key(column, row))
    }

    /// Removes the long values of the rows of one leaf.
    static func remove(_ column: UInt32, leaf number: Int, from writer: any StorageWriter) {
        let first = Int64(number) * Int64(slotsPerLeaf)
        let end = first + Int64(slotsPerLeaf)
        writer.removeRange(FixedTree.longValues, from: key(column, first), upTo: key(column, end))
    }

    /// Removes all long values of a column.
    static func remove(_ column: UInt32, from writer: any StorageWriter) {
        writer.removeRange(FixedTree.longValues, from: key(column, 0), upTo: end(column))
    }

    /// The slots of a stored leaf whose values lie elsewhere; nil when it has none.
    static func slots(of leaf: UnsafeRawPointer) -> SlotBitmap? {
        guard leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagLong != 0 else { return nil }
        let end = Int(leaf.leafField(LeafLayout.byteCount, UInt32.self))
        return SlotBitmap(at: leaf + end - LeafLayout.nullBitmapBytes)
            .intersection(SlotBitmap(first: LeafHeader(leaf).count)).subtracting(SlotBitmap(nullsOf: leaf))
    }
}

/// A leaf with long values, as readers see it: for each slot the address of its value. It is in memory only, and
/// belongs to the column that made it.
final class LongLeaf {
    private static let unknown = -1

    let memory: UnsafeMutableRawPointer
    private unowned let transaction: Transaction
    private let column: UInt32
    private let isText: Bool
    private let number: Int
    /// The slots whose values lie outside of the leaf.
    private let long: SlotBitmap

    init(_ leaf: UnsafeRawPointer, _ long: SlotBitmap, _ transaction: Transaction, _ column: Column, number: Int) {
        self.transaction = transaction
        self.column = column.id
        isText = column.isText
        self.number = number
        self.long = long
        let stored = StringLeaf(leaf)
        let header = LeafHeader(leaf)
        let payload = LeafLayout.payloadBehindNulls
        let byteCount = payload + slotsPerLeaf * 16
        memory = .allocate(byteCount: byteCount, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        memory.storeBytes(of: LeafKind.bytes.rawValue, toByteOffset: LeafLayout.kind, as: UInt8.self)
        memory.storeBytes(of: StringLeaf.longWidth, toByteOffset: LeafLayout.width, as: UInt8.self)
        memory.storeBytes(of: UInt16(header.count), toByteOffset: LeafLayout.count, as: UInt16.self)
        memory.storeBytes(of: UInt16(payload), toByteOffset: LeafLayout.payloadOffset, as: UInt16.self)
        memory.storeBytes(of: UInt32(byteCount), toByteOffset: LeafLayout.byteCount, as: UInt32.self)
        memory.storeBytes(
            of: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()), toByteOffset: LeafLayout.longLeaf,
            as: UInt.self)
        var nullCount = 0
        for slot in 0..<min(header.count, slotsPerLeaf) {
            if header.isNull(slot) {
                (memory + LeafLayout.headerBytes).setBit(slot, true)
                nullCount += 1
            } else if long.contains(slot) {
                store(slot, nil, Self.unknown)
            } else {
                let bytes = stored.bytes(slot)
                store(slot, bytes.baseAddress, bytes.count)
            }
        }
        memory.storeBytes(of: UInt16(nullCount), toByteOffset: LeafLayout.nullCount, as: UInt16.self)
    }

    deinit {
        memory.deallocate()
    }

    /// Whether the value of a slot lies outside of the leaf, or will once the leaf is written: format 4 kept all in
    /// their leaves.
    static func isLong(_ leaf: UnsafeRawPointer, _ slot: Int) -> Bool {
        if LeafHeader(leaf).isNull(slot) { return false }
        return isOutside(leaf, slot) || StringLeaf(leaf).bytes(slot).count > LongValues.shortMax
    }

    /// Whether the value of a slot lies outside of the leaf.
    static func isOutside(_ leaf: UnsafeRawPointer, _ slot: Int) -> Bool {
        StringLeaf(leaf).hasLongValues && !LeafHeader(leaf).isNull(slot) && owner(of: leaf)?.long.contains(slot) == true
    }

    /// Makes the next reader look up the value of a slot again.
    static func forget(_ leaf: UnsafeRawPointer, _ slot: Int) {
        if isOutside(leaf, slot) { owner(of: leaf)?.store(slot, nil, unknown) }
    }

    private static func owner(of leaf: UnsafeRawPointer) -> LongLeaf? {
        UnsafeRawPointer(bitPattern: leaf.leafField(LeafLayout.longLeaf, UInt.self)).map {
            Unmanaged<LongLeaf>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Whether the value of a slot lies outside of the leaf and was not read yet.
    static func isOutstanding(_ leaf: UnsafeRawPointer, _ slot: Int) -> Bool {
        StringLeaf(leaf).hasLongValues && length(leaf, slot) == unknown
    }

    @inline(__always)
    private static func length(_ leaf: UnsafeRawPointer, _ slot: Int) -> Int {
        LeafHeader(leaf).payload.leafField(slot &* 16 &+ 8, Int.self)
    }

    private func store(_ slot: Int, _ address: UnsafeRawPointer?, _ count: Int) {
        let place = LeafLayout.payloadBehindNulls + slot * 16
        memory.storeBytes(of: UInt(bitPattern: address), toByteOffset: place, as: UInt.self)
        memory.storeBytes(of: count, toByteOffset: place + 8, as: Int.self)
    }

    /// The value of a slot. It is looked up when it is first read.
    static func bytes(_ leaf: UnsafeRawPointer, _ slot: Int) -> UnsafeRawBufferPointer {
        let payload = LeafHeader(leaf).payload
        let count = payload.leafField(slot &* 16 &+ 8, Int.self)
        if count >= 0 {
            let address = UnsafeRawPointer(bitPattern: payload.leafField(slot &* 16, UInt.self))
            return UnsafeRawBufferPointer(start: address ?? leaf, count: address == nil ? 0 : count)
        }
        return owner(of: leaf)?.find(slot) ?? UnsafeRawBufferPointer(start: leaf, count: 0)
    }

    private func find(_ slot: Int) -> UnsafeRawBufferPointer {
        guard let found = transaction.longValue(column, Int64(number * slotsPerLeaf + slot), isText: isText) else {
            return UnsafeRawBufferPointer(start: memory, count: 0)
        }
        store(slot, found.baseAddress, found.count)
        return found
    }
}
