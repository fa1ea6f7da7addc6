/// Turns a writable leaf into the bytes that are stored: integers at the least width, bitmap only where there are
/// nulls, repeated strings once.
struct LeafPacker {
    private var buffer: [UInt8] = []

    /// The packed bytes, until the next call.
    mutating func pack(_ leaf: WritableLeaf, _ body: (UnsafeRawBufferPointer) -> Void) {
        buffer.removeAll(keepingCapacity: true)
        if let strings = leaf.strings {
            packStrings(strings)
        } else if let memory = leaf.memory {
            packFixed(leaf.kind, UnsafeRawPointer(memory), count: leaf.count)
        }
        store(UInt32(buffer.count), at: LeafLayout.byteCount)
        buffer.withUnsafeBytes(body)
    }

    // MARK: - Header

    private mutating func begin(_ kind: LeafKind, count: Int, nullCount: Int, payloadBytes: Int) -> Int {
        let payload = nullCount > 0 ? LeafLayout.payloadBehindNulls : LeafLayout.headerBytes
        buffer.append(contentsOf: repeatElement(0, count: payload + payloadBytes))
        buffer[LeafLayout.kind] = kind.rawValue
        store(UInt16(count), at: LeafLayout.count)
        store(UInt16(nullCount), at: LeafLayout.nullCount)
        store(UInt16(payload), at: LeafLayout.payloadOffset)
        return payload
    }

    private mutating func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        buffer.withUnsafeMutableBytes { $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self) }
    }

    private mutating func setZone(_ minimum: UInt64, _ maximum: UInt64) {
        buffer[LeafLayout.flags] |= LeafLayout.flagZone
        store(minimum, at: LeafLayout.minimum)
        store(maximum, at: LeafLayout.maximum)
    }

    /// The bytes that hold the smaller numbers up to `range`.
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

    private mutating func packFixed(_ kind: LeafKind, _ memory: UnsafeRawPointer, count: Int) {
        let header = LeafHeader(memory)
        var nullCount = 0
        for slot in 0..<count where header.isNull(slot) { nullCount += 1 }
        switch kind {
        case .integer: packIntegers(memory, count, nullCount)
        case .timestamp: packTimestamps(memory, count, nullCount)
        case .float, .double:
            let size = WritableLeaf.bytesPerSlot(kind)
            let payload = begin(kind, count: count, nullCount: nullCount, payloadBytes: count * size)
            copyPayload(memory, payload, count * size)
            zoneOfDoubles(kind, memory, count)
        case .fixed12, .fixed16:
            let size = WritableLeaf.bytesPerSlot(kind)
            let payload = begin(kind, count: count, nullCount: nullCount, payloadBytes: count * size)
            copyPayload(memory, payload, count * size)
        case .bits:
            let payload = begin(kind, count: count, nullCount: nullCount, payloadBytes: LeafLayout.nullBitmapBytes)
            copyPayload(memory, payload, LeafLayout.nullBitmapBytes)
        case .bytes:
            preconditionFailure("strings are packed elsewhere")
        }
        if nullCount > 0 { copy(memory, LeafLayout.headerBytes, LeafLayout.headerBytes, LeafLayout.nullBitmapBytes) }
    }

    private mutating func copyPayload(_ memory: UnsafeRawPointer, _ payload: Int, _ count: Int) {
        copy(memory, LeafLayout.payloadBehindNulls, payload, count)
    }

    private mutating func copy(_ memory: UnsafeRawPointer, _ from: Int, _ to: Int, _ count: Int) {
        buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { ($0 + to).copyMemory(from: memory + from, byteCount: count) }
        }
    }

    private mutating func packIntegers(_ memory: UnsafeRawPointer, _ count: Int, _ nullCount: Int) {
        guard let zone = integerZone(memory, count, hasNulls: nullCount > 0) else {
            _ = begin(.integer, count: count, nullCount: nullCount, payloadBytes: 0)
            return
        }
        let width = Self.width(zone.range)
        let payload = begin(.integer, count: count, nullCount: nullCount, payloadBytes: count * width)
        buffer[LeafLayout.width] = UInt8(width)
        setZone(UInt64(bitPattern: zone.minimum), UInt64(bitPattern: zone.maximum))
        packRelative(memory, payload, count, zone.minimum, width)
    }

    private struct IntegerZone {
        var minimum: Int64
        var maximum: Int64
        var range: UInt64 { UInt64(bitPattern: maximum) &- UInt64(bitPattern: minimum) }
    }

    private func integerZone(_ memory: UnsafeRawPointer, _ count: Int, hasNulls: Bool) -> IntegerZone? {
        let header = LeafHeader(memory)
        let values = (memory + LeafLayout.payloadBehindNulls).assumingMemoryBound(to: Int64.self)
        var minimum = Int64.max
        var maximum = Int64.min
        for slot in 0..<count where !hasNulls || !header.isNull(slot) {
            minimum = min(minimum, values[slot])
            maximum = max(maximum, values[slot])
        }
        return minimum <= maximum ? IntegerZone(minimum: minimum, maximum: maximum) : nil
    }

    private mutating func packRelative(
        _ memory: UnsafeRawPointer, _ payload: Int, _ count: Int, _ minimum: Int64, _ width: Int
    ) {
        let values = (memory + LeafLayout.payloadBehindNulls).assumingMemoryBound(to: Int64.self)
        buffer.withUnsafeMutableBytes { bytes in
            switch width {
            case 1:
                for slot in 0..<count {
                    bytes[payload + slot] = UInt8(truncatingIfNeeded: values[slot] &- minimum)
                }
            case 2:
                for slot in 0..<count {
                    bytes.storeBytes(
                        of: UInt16(truncatingIfNeeded: values[slot] &- minimum), toByteOffset: payload + slot * 2,
                        as: UInt16.self)
                }
            case 4:
                for slot in 0..<count {
                    bytes.storeBytes(
                        of: UInt32(truncatingIfNeeded: values[slot] &- minimum), toByteOffset: payload + slot * 4,
                        as: UInt32.self)
                }
            case 8:
                for slot in 0..<count {
                    bytes.storeBytes(of: values[slot] &- minimum, toByteOffset: payload + slot * 8, as: Int64.self)
                }
            default: break
            }
        }
    }

    private mutating func packTimestamps(_ memory: UnsafeRawPointer, _ count: Int, _ nullCount: Int) {
        guard let zone = integerZone(memory, count, hasNulls: nullCount > 0) else {
            _ = begin(.timestamp, count: count, nullCount: nullCount, payloadBytes: 0)
            return
        }
        let leaf = TimestampLeaf(memory)
        let hasNanoseconds = (0..<count).contains { !leaf.isNull($0) && leaf.nanoseconds($0) != 0 }
        let width = Self.width(zone.range)
        let payload = begin(
            .timestamp, count: count, nullCount: nullCount, payloadBytes: count * (width + (hasNanoseconds ? 4 : 0)))
        buffer[LeafLayout.width] = UInt8(width)
        setZone(UInt64(bitPattern: zone.minimum), UInt64(bitPattern: zone.maximum))
        packRelative(memory, payload, count, zone.minimum, width)
        guard hasNanoseconds else { return }
        buffer[LeafLayout.secondWidth] = 4
        store(UInt32(payload + count * width), at: LeafLayout.secondOffset)
        copy(memory, LeafLayout.payloadBehindNulls + 8 * slotsPerLeaf, payload + count * width, count * 4)
    }

    /// A leaf with a NaN has no zone: no order covers it.
    private mutating func zoneOfDoubles(_ kind: LeafKind, _ memory: UnsafeRawPointer, _ count: Int) {
        let header = LeafHeader(memory)
        var minimum = Double.infinity
        var maximum = -Double.infinity
        var isUsed = false
        for slot in 0..<count where !header.isNull(slot) {
            let value = kind == .double ? DoubleLeaf(memory).value(slot) : Double(FloatLeaf(memory).value(slot))
            if value.isNaN { return }
            minimum = min(minimum, value)
            maximum = max(maximum, value)
            isUsed = true
        }
        if isUsed { setZone(minimum.bitPattern, maximum.bitPattern) }
    }
}

// MARK: - Strings

extension LeafPacker {
    /// Up to this many distinct strings, each is kept once and slots hold one-byte codes.
    private static let dictionaryLimit = 255

    private mutating func packStrings(_ strings: StringSlots) {
        let count = strings.count
        let nullCount = (0..<count).count { strings.isNull($0) }
        strings.withContents { starts, lengths, arena in
            let total = lengths[0..<count].reduce(0) { $0 + max($1, 0) }
            if let dictionary = Self.dictionary(starts, lengths, arena, count: count, total: total) {
                packDictionary(dictionary, lengths, arena, count, nullCount)
            } else {
                packPlain(starts, lengths, arena, count, nullCount, total)
            }
        }
        if nullCount > 0 {
            for slot in 0..<count where strings.isNull(slot) {
                buffer[LeafLayout.headerBytes + slot / 8] |= 1 << UInt8(slot % 8)
            }
        }
    }

    private mutating func packPlain(
        _ starts: [Int], _ lengths: [Int], _ arena: UnsafeRawBufferPointer, _ count: Int, _ nullCount: Int,
        _ total: Int
    ) {
        let width = total <= 0xFFFF ? 2 : 4
        let payload = begin(
            .bytes, count: count, nullCount: nullCount, payloadBytes: (count + 1) * width + total)
        buffer[LeafLayout.width] = UInt8(width)
        let second = payload + (count + 1) * width
        store(UInt32(second), at: LeafLayout.secondOffset)
        buffer.withUnsafeMutableBytes { bytes in
            var offset = 0
            for slot in 0..<count {
                let length = max(lengths[slot], 0)
                if length > 0, let source = arena.baseAddress, let target = bytes.baseAddress {
                    (target + second + offset).copyMemory(from: source + starts[slot], byteCount: length)
                }
                offset += length
                if width == 2 {
                    bytes.storeBytes(of: UInt16(offset), toByteOffset: payload + (slot + 1) * 2, as: UInt16.self)
                } else {
                    bytes.storeBytes(of: UInt32(offset), toByteOffset: payload + (slot + 1) * 4, as: UInt32.self)
                }
            }
        }
    }

    private struct StringDictionary {
        var codes: [UInt8]
        /// The first slot that has each value.
        var ranges: [Range<Int>]
    }

    /// The distinct values, when they are few enough to be worth it.
    private static func dictionary(
        _ starts: [Int], _ lengths: [Int], _ arena: UnsafeRawBufferPointer, count: Int, total: Int
    ) -> StringDictionary? {
        guard count >= 16 else { return nil }
        var codes = [UInt8](repeating: 0, count: count)
        var ranges: [Range<Int>] = []
        var table = [UInt16](repeating: 0, count: 1024)
        var used = 0
        for slot in 0..<count where lengths[slot] >= 0 {
            let range = starts[slot]..<starts[slot] + lengths[slot]
            let bytes = UnsafeRawBufferPointer(rebasing: arena[range])
            var place = Int(truncatingIfNeeded: hash(bytes) >> 54)
            while table[place] != 0 {
                let other = UnsafeRawBufferPointer(rebasing: arena[ranges[Int(table[place]) - 1]])
                if other.count == bytes.count, other.elementsEqual(bytes) { break }
                place = (place + 1) & 1023
            }
            if table[place] == 0 {
                ranges.append(range)
                used += bytes.count
                // Nearly every value so far is new: not worth looking on.
                if ranges.count > dictionaryLimit || (slot == 127 && ranges.count > 96) { return nil }
                table[place] = UInt16(ranges.count)
            }
            codes[slot] = UInt8(table[place] - 1)
        }
        let plain = (count + 1) * 2 + total
        let coded = count + (ranges.count + 1) * 4 + used
        return coded < plain && !ranges.isEmpty ? StringDictionary(codes: codes, ranges: ranges) : nil
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
        var position = 0
        while position + 8 <= bytes.count {
            state = (state ^ bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 29
            position += 8
        }
        while position < bytes.count {
            state = (state ^ UInt64(bytes[position])) &* 0x9E37_79B9_7F4A_7C15
            position += 1
        }
        return (state ^ state >> 32) &* 0x9E37_79B9_7F4A_7C15
    }

    private mutating func packDictionary(
        _ dictionary: StringDictionary, _ lengths: [Int], _ arena: UnsafeRawBufferPointer, _ count: Int,
        _ nullCount: Int
    ) {
        let entries = dictionary.ranges.count
        let arenaBytes = dictionary.ranges.reduce(0) { $0 + $1.count }
        let payload = begin(
            .bytes, count: count, nullCount: nullCount, payloadBytes: count + (entries + 1) * 4 + arenaBytes)
        buffer[LeafLayout.width] = 1
        buffer[LeafLayout.secondWidth] = 4
        buffer[LeafLayout.flags] |= LeafLayout.flagDictionary
        store(UInt16(entries), at: LeafLayout.dictionaryCount)
        buffer.replaceSubrange(payload..<payload + count, with: dictionary.codes)
        let second = payload + count
        store(UInt32(second), at: LeafLayout.secondOffset)
        var offset = 0
        let arenaStart = second + (entries + 1) * 4
        for (code, range) in dictionary.ranges.enumerated() {
            buffer.replaceSubrange(arenaStart + offset..<arenaStart + offset + range.count, with: arena[range])
            offset += range.count
            store(UInt32(offset), at: second + (code + 1) * 4)
        }
    }
}
