import Glibc

/// Finds the distinct values of a leaf of strings, when they are few enough that codes take less room.
final class StringDictionary {
    /// Up to this many distinct strings, each is kept once and slots hold one-byte codes.
    private static let limit = 255
    /// If the first so many slots have more distinct values than this, nearly every value is new and the search ends.
    private static let sample = (slots: 128, values: 96)
    private static let places = 1024

    /// By slot: the code of its value. Null slots have code 0.
    let codes = UnsafeMutablePointer<UInt8>.allocate(capacity: slotsPerLeaf)
    /// By code: a slot that has the value.
    let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: limit + 1)
    private(set) var count = 0
    /// The bytes of all distinct values together.
    private(set) var bytes = 0
    /// Open addressing: code + 1, or 0.
    private let table = UnsafeMutablePointer<UInt16>.allocate(capacity: places)

    deinit {
        codes.deallocate()
        slots.deallocate()
        table.deallocate()
    }

    /// Whether the leaf should have a dictionary. If so, `codes` and `slots` hold it.
    func find(_ strings: StringSlots.Contents, total: Int) -> Bool {
        guard strings.count >= 16 else { return false }
        table.initialize(repeating: 0, count: Self.places)
        codes.initialize(repeating: 0, count: strings.count)
        count = 0
        bytes = 0
        for slot in 0..<strings.count where strings.lengths[slot] >= 0 {
            guard let code = code(slot, strings) else { return false }
            codes[slot] = code
        }
        let plain = (strings.count + 1) * 2 + total
        return count > 0 && strings.count + (count + 1) * 4 + bytes < plain
    }

    /// Nil when there are too many values.
    @inline(__always)
    private func code(_ slot: Int, _ strings: StringSlots.Contents) -> UInt8? {
        let value = strings.bytes(slot)
        var place = Int(truncatingIfNeeded: Self.hash(value) >> 54)
        while table[place] != 0 {
            let code = Int(table[place]) - 1
            if Self.areEqual(value, strings.bytes(Int(slots[code]))) { return UInt8(code) }
            place = (place + 1) & (Self.places - 1)
        }
        slots[count] = UInt16(slot)
        bytes += value.count
        count += 1
        if count > Self.limit || (slot == Self.sample.slots - 1 && count > Self.sample.values) { return nil }
        table[place] = UInt16(count)
        return UInt8(count - 1)
    }

    @inline(__always)
    private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let left = one.baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, one.count) == 0
    }

    /// Words of eight bytes; the last one overlaps the one before it, so that few values need single bytes.
    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
        var state: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(bytes.count)
        if bytes.count >= 8 {
            var position = 0
            while position + 8 < bytes.count {
                state = (state ^ bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* prime
                state ^= state >> 29
                position += 8
            }
            state ^= bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { state = (state ^ UInt64(byte)) &* prime }
        }
        state = (state ^ state >> 32) &* prime
        return (state ^ state >> 29) &* prime
    }
}
