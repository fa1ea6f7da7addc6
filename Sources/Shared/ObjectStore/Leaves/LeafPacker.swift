import CausewayStorage

/// Turns a writable leaf into the bytes that are stored: integers at the least width, bitmap only where there are
/// nulls, repeated strings once.
///
/// A commit packs thousands of leaves: the packer works in memory of its own, which it only ever makes larger.
final class LeafPacker {
    private var target: UnsafeMutableRawPointer
    private var capacity: Int
    /// The lengths of strings in a leaf of which some strings are too long.
    private let shortLengths = UnsafeMutablePointer<Int>.allocate(capacity: slotsPerLeaf)
    /// Bytes of the leaf being packed, so far as it was laid out.
    private var used = 0
    /// What comes behind the payload of the leaf being packed.
    private var tailBytes = 0
    let dictionary = StringDictionary()
    init() {
        // Room for any leaf but one of many or long strings.
        capacity = LeafLayout.payloadBehindNulls + 16 * slotsPerLeaf
        target = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        target.deallocate()
        shortLengths.deallocate()
    }

    /// Packs a leaf and hands the bytes to the body. They are valid until the next call.
    ///
    /// - Parameter long: the slots whose values lie elsewhere. All others are short enough for a leaf.
    func pack(_ leaf: WritableLeaf, without long: SlotBitmap? = nil, _ body: (UnsafeRawBufferPointer) -> Void) {
        if let strings = leaf.strings {
            guard let long else { return pack(strings.contents, body) }
            pack(strings.contents, without: long, body)
        } else if let memory = leaf.memory {
            packFixed(leaf.kind, UnsafeRawPointer(memory), count: leaf.count)
            finish(body)
        }
    }

    /// Packs strings, or data, in the same way.
    func pack(_ strings: StringSlots.Contents, _ body: (UnsafeRawBufferPointer) -> Void) {
        packStrings(strings)
        finish(body)
    }

    private func pack(
        _ strings: StringSlots.Contents, without long: SlotBitmap, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        for slot in 0..<strings.count { shortLengths[slot] = long.contains(slot) ? 0 : strings.lengths[slot] }
        let short = StringSlots.Contents(
            count: strings.count, starts: strings.starts, lengths: shortLengths, arena: strings.arena)
        tailBytes = LeafLayout.nullBitmapBytes
        defer { tailBytes = 0 }
        packStrings(short)
        let end = used
        used += tailBytes
        for index in 0..<wordsPerLeaf {
            (target + end).storeBytes(of: long[index].littleEndian, toByteOffset: index * 8, as: UInt64.self)
        }
        store(target.load(fromByteOffset: LeafLayout.flags, as: UInt8.self) | LeafLayout.flagLong, at: LeafLayout.flags)
        finish(body)
    }

    private func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
        store(UInt32(used), at: LeafLayout.byteCount)
        body(UnsafeRawBufferPointer(start: target, count: used))
    }

    // MARK: - Header

    /// Writes the header of a leaf and returns the offset of its payload, which is still to be written.
    private func begin(_ kind: LeafKind, count: Int, nullCount: Int, payloadBytes: Int) -> Int {
        let payload = nullCount > 0 ? LeafLayout.payloadBehindNulls : LeafLayout.headerBytes
        used = payload + payloadBytes
        if used + tailBytes > capacity { grow() }
        target.initializeMemory(as: UInt8.self, repeating: 0, count: payload)
        store(kind.rawValue, at: LeafLayout.kind)
        store(UInt16(count), at: LeafLayout.count)
        store(UInt16(nullCount), at: LeafLayout.nullCount)
        store(UInt16(payload), at: LeafLayout.payloadOffset)
        return payload
    }

    private func grow() {
        target.deallocate()
        capacity = max(used + tailBytes, capacity * 2)
        target = .allocate(byteCount: capacity, alignment: 16)
    }

    @inline(__always)
    private func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        target.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    private func setZone(_ minimum: UInt64, _ maximum: UInt64) {
        store(LeafLayout.flagZone, at: LeafLayout.flags)
        store(minimum, at: LeafLayout.minimum)
        store(maximum, at: LeafLayout.maximum)
    }

    /// The fewest bytes that hold every number up to `range`.
    static func width(_ range: UInt64) -> Int {
        switch range {
        case 0: 0
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    // MARK: - Values of fixed size

    private func packFixed(_ kind: LeafKind, _ memory: UnsafeRawPointer, count: Int) {
        let nullCount = SlotBitmap(nullsOf: memory).count
        switch kind {
        case .integer: packIntegers(memory, count, nullCount)
        case .timestamp: packTimestamps(memory, count, nullCount)
        case .float, .double:
            let size = WritableLeaf.bytesPerSlot(kind)
            let payload = begin(kind, count: count, nullCount: nullCount, payloadBytes: count * size)
            copy(memory, LeafLayout.payloadBehindNulls, payload, count * size)
            if let zone = kind == .double ? LeafZone(doubles: memory, count) : LeafZone(floats: memory, count) {
                setZone(zone.minimum, zone.maximum)
            }
        case .fixed12, .fixed16:
            let size = WritableLeaf.bytesPerSlot(kind)
            let payload = begin(kind, count: count, nullCount: nullCount, payloadBytes: count * size)
            copy(memory, LeafLayout.payloadBehindNulls, payload, count * size)
        case .bits:
            let payload = begin(kind, count: count, nullCount: nullCount, payloadBytes: LeafLayout.nullBitmapBytes)
            copy(memory, LeafLayout.payloadBehindNulls, payload, LeafLayout.nullBitmapBytes)
        case .bytes:
            preconditionFailure("strings are packed elsewhere")
        }
        if nullCount > 0 { copy(memory, LeafLayout.headerBytes, LeafLayout.headerBytes, LeafLayout.nullBitmapBytes) }
    }

    private func copy(_ memory: UnsafeRawPointer, _ from: Int, _ to: Int, _ count: Int) {
        (target + to).copyMemory(from: memory + from, byteCount: count)
    }

    private func packIntegers(_ memory: UnsafeRawPointer, _ count: Int, _ nullCount: Int) {
        guard let zone = LeafZone(integers: memory, count) else {
            _ = begin(.integer, count: count, nullCount: nullCount, payloadBytes: 0)
            return
        }
        let width = Self.width(zone.maximum &- zone.minimum)
        let payload = begin(.integer, count: count, nullCount: nullCount, payloadBytes: count * width)
        store(UInt8(width), at: LeafLayout.width)
        setZone(zone.minimum, zone.maximum)
        packRelative(memory, payload, count, zone.minimum, width)
    }

    private func packTimestamps(_ memory: UnsafeRawPointer, _ count: Int, _ nullCount: Int) {
        guard let zone = LeafZone(integers: memory, count) else {
            _ = begin(.timestamp, count: count, nullCount: nullCount, payloadBytes: 0)
            return
        }
        let leaf = TimestampLeaf(memory)
        let hasNanoseconds = (0..<count).contains { leaf.nanoseconds($0) != 0 && !leaf.isNull($0) }
        let width = Self.width(zone.maximum &- zone.minimum)
        let payload = begin(
            .timestamp, count: count, nullCount: nullCount, payloadBytes: count * (width + (hasNanoseconds ? 4 : 0)))
        store(UInt8(width), at: LeafLayout.width)
        setZone(zone.minimum, zone.maximum)
        packRelative(memory, payload, count, zone.minimum, width)
        guard hasNanoseconds else { return }
        store(UInt8(4), at: LeafLayout.secondWidth)
        store(UInt32(payload + count * width), at: LeafLayout.secondOffset)
        copy(memory, LeafLayout.payloadBehindNulls + 8 * slotsPerLeaf, payload + count * width, count * 4)
    }

    private func packRelative(
        _ memory: UnsafeRawPointer, _ payload: Int, _ count: Int, _ minimum: UInt64, _ width: Int
    ) {
        switch width {
        case 1: narrow(memory, payload, count, minimum, UInt8.self)
        case 2: narrow(memory, payload, count, minimum, UInt16.self)
        case 4: narrow(memory, payload, count, minimum, UInt32.self)
        case 8: narrow(memory, payload, count, minimum, UInt64.self)
        default: break
        }
    }

    @inline(__always)
    private func narrow<T: FixedWidthInteger & BitwiseCopyable>(
        _ memory: UnsafeRawPointer, _ payload: Int, _ count: Int, _ minimum: UInt64, _ type: T.Type
    ) {
        let values = (memory + LeafLayout.payloadBehindNulls).assumingMemoryBound(to: UInt64.self)
        let place = target + payload
        for slot in 0..<count {
            place.storeBytes(
                of: T(truncatingIfNeeded: values[slot] &- minimum), toByteOffset: slot &* MemoryLayout<T>.size,
                as: T.self)
        }
    }
}

// MARK: - Strings

extension LeafPacker {
    private func packStrings(_ strings: StringSlots.Contents) {
        let count = strings.count
        var nullCount = 0
        var total = 0
        for slot in 0..<count {
            let length = strings.lengths[slot]
            nullCount += length < 0 ? 1 : 0
            total += max(length, 0)
        }
        let isCoded = dictionary.find(strings, total: total)
        if isCoded { packCoded(strings, nullCount) } else { packPlain(strings, nullCount, total) }
        guard nullCount > 0 else { return }
        for slot in 0..<count where strings.lengths[slot] < 0 {
            (target + LeafLayout.headerBytes).setBit(slot, true)
        }
    }

    private func packPlain(_ strings: StringSlots.Contents, _ nullCount: Int, _ total: Int) {
        let width = total <= 0xFFFF ? 2 : 4
        let offsetBytes = (strings.count + 1) * width
        let payload = begin(
            .bytes, count: strings.count, nullCount: nullCount, payloadBytes: offsetBytes + total)
        let second = payload + offsetBytes
        store(UInt8(width), at: LeafLayout.width)
        store(UInt32(second), at: LeafLayout.secondOffset)
        let isInOrder =
            width == 2
            ? packOffsets(strings, payload, UInt16.self) : packOffsets(strings, payload, UInt32.self)
        let arena = target + second
        if isInOrder {
            if total > 0 { arena.copyMemory(from: strings.arena, byteCount: total) }
            return
        }
        var offset = 0
        for slot in 0..<strings.count where strings.lengths[slot] > 0 {
            let length = strings.lengths[slot]
            (arena + offset).copyMemory(from: strings.arena + strings.starts[slot], byteCount: length)
            offset += length
        }
    }

    /// Writes where each value ends. Returns whether the arena holds the values in this order already, without a gap.
    @inline(__always)
    private func packOffsets<T: FixedWidthInteger & BitwiseCopyable>(
        _ strings: StringSlots.Contents, _ payload: Int, _ type: T.Type
    ) -> Bool {
        let place = target + payload
        place.storeBytes(of: 0, as: T.self)
        var offset = 0
        var isInOrder = true
        for slot in 0..<strings.count {
            let length = max(strings.lengths[slot], 0)
            isInOrder = isInOrder && (length == 0 || strings.starts[slot] == offset)
            offset &+= length
            place.storeBytes(
                of: T(truncatingIfNeeded: offset), toByteOffset: (slot &+ 1) &* MemoryLayout<T>.size, as: T.self)
        }
        return isInOrder
    }

    private func packCoded(_ strings: StringSlots.Contents, _ nullCount: Int) {
        let entries = dictionary.count
        let payload = begin(
            .bytes, count: strings.count, nullCount: nullCount,
            payloadBytes: strings.count + (entries + 1) * 4 + dictionary.bytes)
        let second = payload + strings.count
        store(UInt8(1), at: LeafLayout.width)
        store(UInt8(4), at: LeafLayout.secondWidth)
        store(LeafLayout.flagDictionary, at: LeafLayout.flags)
        store(UInt16(entries), at: LeafLayout.dictionaryCount)
        store(UInt32(second), at: LeafLayout.secondOffset)
        (target + payload).copyMemory(from: dictionary.codes, byteCount: strings.count)
        store(UInt32(0), at: second)
        var offset = 0
        let arena = target + second + (entries + 1) * 4
        for code in 0..<entries {
            let bytes = strings.bytes(Int(dictionary.slots[code]))
            if let source = bytes.baseAddress {
                (arena + offset).copyMemory(from: source, byteCount: bytes.count)
            }
            offset += bytes.count
            store(UInt32(offset), at: second + (code + 1) * 4)
        }
    }
}
