// Loops that turn a leaf's packed values into a bitmap, 64 slots a word. They work on the packed width: bytes and
// 16-bit values eight or four at a time inside one 64-bit register, wider ones singly without a branch.

/// A range of relative values: those that are at least `first` and at most `last`.
struct RelativeRange {
    var first: UInt64
    var last: UInt64
}

enum BitmapKernel {
    static func integers(_ payload: UnsafeRawPointer, width: UInt8, count: Int, _ range: RelativeRange) -> SlotBitmap {
        switch width {
        case 1: bytes(payload, count, range)
        case 2: shorts(payload, count, range)
        case 4:
            words(count) { slot in
                UInt64(payload.leafField(slot &* 4, UInt32.self)) &- range.first <= range.last &- range.first
            }
        case 8:
            words(count) { slot in
                payload.leafField(slot &* 8, UInt64.self) &- range.first <= range.last &- range.first
            }
        // All values equal the minimum.
        default: range.first == 0 ? SlotBitmap(first: count) : SlotBitmap()
        }
    }

    /// One test a slot, its outcome shifted in from the top.
    @inline(__always)
    static func words(_ count: Int, _ test: (Int) -> Bool) -> SlotBitmap {
        var bitmap = SlotBitmap()
        var start = 0
        while start < count {
            let end = min(start &+ 64, count)
            var word: UInt64 = 0
            var slot = start
            while slot < end {
                word = word &>> 1 | (test(slot) ? 1 << 63 : 0)
                slot &+= 1
            }
            bitmap[start &>> 6] = word &>> UInt64(truncatingIfNeeded: 64 &- (end &- start))
            start &+= 64
        }
        return bitmap
    }

    // MARK: - Inside a register

    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let everyByte: UInt64 = 0x0101_0101_0101_0101

    /// The high bit of each byte of `left` that is less than the same byte of `right`, unsigned.
    @inline(__always)
    private static func bytesBelow(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let difference = (left | highBits) &- (right & ~highBits)
        return (~left & right | ~(left ^ right) & ~difference) & highBits
    }

    private static func bytes(_ payload: UnsafeRawPointer, _ count: Int, _ range: RelativeRange) -> SlotBitmap {
        let first = everyByte &* min(range.first, 0xFF)
        let last = everyByte &* min(range.last, 0xFF)
        return packed(count, bytesPerSlot: 1, payload) { values in
            let outside = bytesBelow(values, first) | bytesBelow(last, values)
            // Gathers the eight high bits into one byte.
            return ((outside ^ highBits) &>> 7 &* 0x0102_0408_1020_4080) &>> 56
        }
    }

    private static let highBits16: UInt64 = 0x8000_8000_8000_8000
    private static let everyShort: UInt64 = 0x0001_0001_0001_0001

    @inline(__always)
    private static func shortsBelow(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let difference = (left | highBits16) &- (right & ~highBits16)
        return (~left & right | ~(left ^ right) & ~difference) & highBits16
    }

    private static func shorts(_ payload: UnsafeRawPointer, _ count: Int, _ range: RelativeRange) -> SlotBitmap {
        let first = everyShort &* min(range.first, 0xFFFF)
        let last = everyShort &* min(range.last, 0xFFFF)
        return packed(count, bytesPerSlot: 2, payload) { values in
            let outside = shortsBelow(values, first) | shortsBelow(last, values)
            // Gathers the four high bits into four bits.
            return ((outside ^ highBits16) &>> 15 &* 0x0001_0002_0004_0008) &>> 48 & 0xF
        }
    }

    /// Whole registers first, then what is left through a copy, so that nothing behind the leaf is read.
    @inline(__always)
    private static func packed(
        _ count: Int, bytesPerSlot: Int, _ payload: UnsafeRawPointer, _ test: (UInt64) -> UInt64
    ) -> SlotBitmap {
        let slotsPerRegister = 8 / bytesPerSlot
        var bitmap = SlotBitmap()
        var start = 0
        while start < count {
            let end = min(start &+ 64, count)
            var word: UInt64 = 0
            var slot = start
            while slot &+ slotsPerRegister <= end {
                let values = payload.leafField(slot &* bytesPerSlot, UInt64.self)
                word |= test(values) &<< UInt64(truncatingIfNeeded: slot &- start)
                slot &+= slotsPerRegister
            }
            if slot < end {
                var values: UInt64 = 0
                withUnsafeMutableBytes(of: &values) {
                    $0.copyMemory(from: .init(start: payload + slot * bytesPerSlot, count: (end - slot) * bytesPerSlot))
                }
                let bits = test(values) & ((1 << UInt64(end - slot)) - 1)
                word |= bits &<< UInt64(truncatingIfNeeded: slot &- start)
            }
            bitmap[start &>> 6] = word
            start &+= 64
        }
        return bitmap
    }
}
