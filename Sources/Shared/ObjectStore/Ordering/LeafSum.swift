/// Sums of some slots of a leaf, none of which is null.
///
/// Bytes are added eight at a time inside one register, whatever slots are wanted. For wider values, whole words of 64
/// slots are added by loops that the compiler vectorises, and all others one by one.
enum LeafSum {
    // MARK: - Integers

    static func integers(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap, count: Int) -> Int128 {
        let header = LeafHeader(leaf)
        let payload = header.payload
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        let base = Int128(minimum) * Int128(count)
        switch leaf.leafField(LeafLayout.width, UInt8.self) {
        case 1: return base + Int128(bytes(payload, header.count, slots))
        case 2:
            var sum: UInt64 = 0
            forEachWord(slots) {
                var word: UInt32 = 0
                for slot in $0..<$0 &+ 64 { word &+= UInt32(payload.leafField(slot &* 2, UInt16.self)) }
                sum &+= UInt64(word)
            } one: {
                sum &+= UInt64(payload.leafField($0 &* 2, UInt16.self))
            }
            return base + Int128(sum)
        case 4:
            var sum: UInt64 = 0
            forEachWord(slots) {
                for slot in $0..<$0 &+ 64 { sum &+= UInt64(payload.leafField(slot &* 4, UInt32.self)) }
            } one: {
                sum &+= UInt64(payload.leafField($0 &* 4, UInt32.self))
            }
            return base + Int128(sum)
        case 8: return words(payload, minimum, slots)
        default: return base
        }
    }

    /// Visits each word of which all slots are wanted by its first slot, and the slots of other words singly.
    @inline(__always)
    private static func forEachWord(_ slots: SlotBitmap, whole: (Int) -> Void, one: (Int) -> Void) {
        for index in 0..<wordsPerLeaf {
            var word = slots[index]
            if word == .max {
                whole(index &* 64)
                continue
            }
            while word != 0 {
                one(index &* 64 &+ word.trailingZeroBitCount)
                word &= word &- 1
            }
        }
    }

    private static let everyOtherByte: UInt64 = 0x00FF_00FF_00FF_00FF

    private static func bytes(_ payload: UnsafeRawPointer, _ count: Int, _ slots: SlotBitmap) -> UInt64 {
        // Four sums of 16 bits: at most 125 times 2 × 255 is added to each.
        var sums: UInt64 = 0
        for index in 0..<wordsPerLeaf {
            let word = slots[index]
            guard word != 0 else { continue }
            let first = index &* 64
            if word == .max {
                for eight in 0..<8 {
                    let values = payload.leafField(first &+ eight &* 8, UInt64.self)
                    sums &+= values & everyOtherByte &+ values &>> 8 & everyOtherByte
                }
                continue
            }
            var slot = first
            var wanted = word
            while wanted != 0, slot &+ 8 <= count {
                let values = payload.leafField(slot, UInt64.self) & wholeBytes(wanted & 0xFF)
                sums &+= values & everyOtherByte &+ values &>> 8 & everyOtherByte
                wanted &>>= 8
                slot &+= 8
            }
            // Eight bytes from here on may reach out of the leaf.
            while wanted != 0 {
                sums &+= wanted & 1 == 0 ? 0 : UInt64(payload.leafField(slot, UInt8.self))
                wanted &>>= 1
                slot &+= 1
            }
        }
        return sums & 0xFFFF &+ sums &>> 16 & 0xFFFF &+ sums &>> 32 & 0xFFFF &+ sums &>> 48
    }

    /// A byte of ones for every bit.
    @inline(__always)
    private static func wholeBytes(_ bits: UInt64) -> UInt64 {
        let spread = bits &* 0x0101_0101_0101_0101 & 0x8040_2010_0804_0201
        return ((spread &+ 0x7F7F_7F7F_7F7F_7F7F | spread) &>> 7 & 0x0101_0101_0101_0101) &* 0xFF
    }

    /// Eight-byte values. Their halves are added separately, so that no sum overflows its 64 bits, and with the sign
    /// bit flipped, so that both are unsigned.
    private static func words(_ payload: UnsafeRawPointer, _ minimum: Int64, _ slots: SlotBitmap) -> Int128 {
        var (low, high, count) = (UInt64(0), UInt64(0), 0)
        let offset = UInt64(bitPattern: minimum) ^ 1 << 63
        forEachWord(slots) {
            count &+= 64
            for slot in $0..<$0 &+ 64 {
                let value = payload.leafField(slot &* 8, UInt64.self) &+ offset
                low &+= value & 0xFFFF_FFFF
                high &+= value &>> 32
            }
        } one: {
            count &+= 1
            let value = payload.leafField($0 &* 8, UInt64.self) &+ offset
            low &+= value & 0xFFFF_FFFF
            high &+= value &>> 32
        }
        return Int128(high) << 32 + Int128(low) - Int128(count) << 63
    }

    // MARK: - Floats and doubles

    static func doubles(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap, _ lanes: inout SIMD8<Double>) {
        let payload = LeafHeader(leaf).payload
        var sums = lanes
        var (one, other) = (0.0, 0.0)
        forEachWord(slots) {
            for eight in 0..<8 { sums += payload.leafField(($0 &+ eight &* 8) &* 8, SIMD8<Double>.self) }
        } one: {
            // There are two sums, so that an addition need not wait for the one before it.
            (one, other) = (other, one + payload.leafField($0 &* 8, Double.self))
        }
        sums[0] += one
        sums[1] += other
        lanes = sums
    }

    static func floats(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap, _ lanes: inout SIMD8<Double>) {
        let payload = LeafHeader(leaf).payload
        var sums = lanes
        var (one, other) = (0.0, 0.0)
        forEachWord(slots) {
            for eight in 0..<8 {
                sums += SIMD8<Double>(payload.leafField(($0 &+ eight &* 8) &* 4, SIMD8<Float>.self))
            }
        } one: {
            (one, other) = (other, one + Double(payload.leafField($0 &* 4, Float.self)))
        }
        sums[0] += one
        sums[1] += other
        lanes = sums
    }
}
