import CausewayStorage

/// The strings of a leaf that is being changed. Each slot is a range of an arena that only grows: replaced strings stay
/// in it until the leaf is packed, or half of the arena is unused.
///
/// Slots that were copied from a dictionary share their ranges. So nothing below `sharedEnd` is ever overwritten.
final class StringSlots {
    // No call here leads back into this object, so accesses never overlap; checking costs more than what is done.
    @exclusivity(unchecked) var count = 0
    private let starts = UnsafeMutablePointer<Int>.allocate(capacity: slotsPerLeaf)
    /// Negative for null.
    private let lengths = UnsafeMutablePointer<Int>.allocate(capacity: slotsPerLeaf)
    @exclusivity(unchecked) private var arena: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var used = 0
    @exclusivity(unchecked) private var sharedEnd = 0
    /// The slots whose values lay outside of the leaf that was copied. They still do where `starts` is negative.
    private(set) var storedLong: SlotBitmap?
    private var source: Source?
    /// Where the values of `storedLong` are found. The transaction owns the leaf that owns this.
    private struct Source {
        unowned let transaction: Transaction
        let column: UInt32
        let isText: Bool
        let firstRow: Int64

        func bytes(_ slot: Int) -> UnsafeRawBufferPointer? {
            transaction.longValue(column, firstRow + Int64(slot), isText: isText)
        }
    }

    /// Bytes from `sharedEnd` on that no slot uses any more.
    @exclusivity(unchecked) private var wasted = 0

    init(reserving bytes: Int = 4096) {
        capacity = max(bytes, 16)
        arena = .allocate(byteCount: capacity, alignment: 16)
        starts.initialize(repeating: 0, count: slotsPerLeaf)
        lengths.initialize(repeating: -1, count: slotsPerLeaf)
    }

    deinit {
        starts.deallocate()
        lengths.deallocate()
        arena.deallocate()
    }

    /// Empties the slots. The memory stays for the next leaf.
    func reset() {
        lengths.update(repeating: -1, count: slotsPerLeaf)
        (count, used, sharedEnd, wasted) = (0, 0, 0, 0)
        (storedLong, source) = (nil, nil)
    }

    func isNull(_ slot: Int) -> Bool { lengths[checked(slot)] < 0 }

    func setNull(_ slot: Int) {
        discard(checked(slot))
        if starts[slot] < 0 { dropOutside(slot) }
        lengths[slot] = -1
        starts[slot] = 0
    }

    func set(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        discard(checked(slot))
        if starts[slot] < 0 { dropOutside(slot) }
        if bytes.count <= lengths[slot], starts[slot] >= sharedEnd {
            wasted -= bytes.count
        } else {
            if capacity - used < bytes.count { grow(by: bytes.count) }
            starts[slot] = used
            used += bytes.count
        }
        if let source = bytes.baseAddress { (arena + starts[slot]).copyMemory(from: source, byteCount: bytes.count) }
        lengths[slot] = bytes.count
        // More than 64 KiB and half of the arena are unused: a long transaction sets one string over and over.
        if wasted > 65536, wasted * 2 > used { compact() }
    }

    /// Sets a slot and makes the leaf reach to it.
    func add(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        set(slot, bytes)
        count = max(count, slot + 1)
    }

    func addNull(_ slot: Int) {
        setNull(slot)
        count = max(count, slot + 1)
    }

    func withBytes<Result>(_ slot: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        if starts[checked(slot)] < 0 { return try body(longBytes(slot)) }
        return try body(UnsafeRawBufferPointer(start: arena + starts[slot], count: max(lengths[slot], 0)))
    }

    @inline(__always)
    private func checked(_ slot: Int) -> Int {
        precondition(slot >= 0 && slot < slotsPerLeaf, "a leaf has \(slotsPerLeaf) slots")
        return slot
    }

    @inline(__always)
    private func discard(_ slot: Int) {
        if lengths[slot] > 0, starts[slot] >= sharedEnd { wasted += lengths[slot] }
    }

    private func grow(by bytes: Int) {
        capacity = max(capacity * 2, used + bytes)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: arena, byteCount: used)
        arena.deallocate()
        arena = larger
    }

    private func compact() {
        let total = totalLength
        let packed = UnsafeMutableRawPointer.allocate(byteCount: max(total, 16), alignment: 16)
        var end = 0
        for slot in 0..<slotsPerLeaf where lengths[slot] > 0 {
            (packed + end).copyMemory(from: arena + starts[slot], byteCount: lengths[slot])
            starts[slot] = end
            end += lengths[slot]
        }
        arena.deallocate()
        arena = packed
        capacity = max(total, 16)
        used = total
        sharedEnd = 0
        wasted = 0
    }

    private var totalLength: Int {
        var total = 0
        for slot in 0..<slotsPerLeaf { total += max(lengths[slot], 0) }
        return total
    }

    // MARK: - Long values

    /// The bytes of a long value that was not changed since the leaf was copied.
    private func longBytes(_ slot: Int) -> UnsafeRawBufferPointer {
        source?.bytes(slot)
            ?? UnsafeRawBufferPointer(start: arena, count: 0)
    }

    /// Whether a value lies outside of the leaf now.
    func isOutside(_ slot: Int) -> Bool { starts[checked(slot)] < 0 }

    private func dropOutside(_ slot: Int) {
        if let source, source.isText { source.transaction.texts.drop(source.column, source.firstRow + Int64(slot)) }
    }

    /// Whether a value is, or will be, outside of the leaf.
    func isLong(_ slot: Int) -> Bool { lengths[checked(slot)] > LongValues.shortMax || starts[slot] < 0 }

    /// Takes the long values of the copied leaf from the tree of long values, as long as they are not changed.
    func leaveOutside(_ long: SlotBitmap, _ transaction: Transaction, _ column: Column, number: Int) {
        storedLong = long
        findOutside(transaction, column, number)
        long.forEach { slot in
            guard slot < count, lengths[slot] >= 0 else { return }
            (starts[slot], lengths[slot]) = (-1, 0)
        }
    }

    /// Leaves a value to an open text of the transaction.
    func moveOutside(_ slot: Int, _ transaction: Transaction, _ column: Column, number: Int) {
        discard(checked(slot))
        findOutside(transaction, column, number)
        (starts[slot], lengths[slot]) = (-1, 0)
    }

    private func findOutside(_ transaction: Transaction, _ column: Column, _ number: Int) {
        source = Source(
            transaction: transaction, column: column.id, isText: column.isText, firstRow: Int64(number * slotsPerLeaf))
    }

    /// Writes new values that are too long for the leaf to the tree of long values, and removes those that are gone.
    /// Returns the slots whose values lie there now; nil when there are none.
    func moveLong(of column: Column, number: Int, to writer: any StorageWriter) -> SlotBitmap? {
        var long = SlotBitmap()
        for slot in 0..<count where isLong(slot) {
            long.insert(slot)
            if starts[slot] < 0 { continue }
            let row = Int64(number * slotsPerLeaf + slot)
            if column.isText, storedLong?.contains(slot) == true {
                LongValues.removeChunks(column.id, row, from: writer)
            }
            LongValues.key(column.id, row).withUnsafeBytes {
                writer.put(tree: FixedTree.longValues, key: $0, value: contents.bytes(slot))
            }
        }
        if let storedLong {
            storedLong.subtracting(long).forEach { slot in
                LongValues.remove(
                    column.id, Int64(number * slotsPerLeaf + slot), isText: column.isText, from: writer)
            }
        }
        return long.isEmpty ? nil : long
    }

    // MARK: - Whole leaves

    /// All values' bytes, for packing.
    var contents: Contents {
        Contents(count: count, starts: starts, lengths: lengths, arena: UnsafeRawPointer(arena))
    }

    /// Valid until the next change. `lengths` is negative for null.
    struct Contents {
        let count: Int
        let starts: UnsafePointer<Int>
        let lengths: UnsafePointer<Int>
        let arena: UnsafeRawPointer

        init(count: Int, starts: UnsafePointer<Int>, lengths: UnsafePointer<Int>, arena: UnsafeRawPointer) {
            self.count = count
            self.starts = starts
            self.lengths = lengths
            self.arena = arena
        }

        func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: arena + starts[slot], count: max(lengths[slot], 0))
        }
    }

    /// The values of a packed leaf: its arena in one piece, and where each slot's value lies in it.
    ///
    /// Ranges that leave the leaf are empty, as in its reader.
    convenience init(copying leaf: UnsafeRawPointer) {
        let strings = StringLeaf(leaf)
        let header = LeafHeader(leaf)
        let end = Int(leaf.leafField(LeafLayout.byteCount, UInt32.self))
        let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
        let second = Int(leaf.leafField(LeafLayout.secondOffset, UInt32.self))
        let first = min(second + (entries > 0 ? (entries + 1) * 4 : 0), end)
        self.init(reserving: end - first + 1024)
        arena.copyMemory(from: leaf + first, byteCount: end - first)
        used = end - first
        sharedEnd = used
        count = min(header.count, slotsPerLeaf)
        if entries > 0 {
            copyCoded(strings, first)
        } else {
            copyPlain(header, width: leaf.leafField(LeafLayout.width, UInt8.self))
        }
    }

    private func copyCoded(_ strings: StringLeaf, _ first: Int) {
        for slot in 0..<count where !strings.isNull(slot) {
            let bytes = strings.bytes(slot)
            lengths[slot] = bytes.count
            // An empty value may lie anywhere.
            if bytes.count > 0, let start = bytes.baseAddress { starts[slot] = start - strings.leaf - first }
        }
    }

    private func copyPlain(_ header: LeafHeader, width: UInt8) {
        let payload = header.payload
        let hasNulls = header.hasNulls
        var start = Int(IntegerLeaf.relative(payload, width, 0))
        for slot in 0..<count {
            let end = Int(IntegerLeaf.relative(payload, width, slot + 1))
            if !hasNulls || !header.isNull(slot) {
                let isInside = start >= 0 && start <= end && end <= used
                starts[slot] = isInside ? start : 0
                lengths[slot] = isInside ? end - start : 0
            }
            start = end
        }
    }
}
