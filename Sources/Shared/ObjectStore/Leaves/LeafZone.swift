/// The least and the greatest value of a leaf that is being packed, as the header holds them: bit patterns of Int64 or
/// Double.
struct LeafZone {
    var minimum: UInt64
    var maximum: UInt64

    /// The zone of integers at full width; nil when all slots are null.
    init?(integers memory: UnsafeRawPointer, _ count: Int) {
        let values = (memory + LeafLayout.payloadBehindNulls).assumingMemoryBound(to: Int64.self)
        var least = Int64.max
        var greatest = Int64.min
        Self.forEachRun(memory, count) { slots in
            for slot in slots {
                least = min(least, values[slot])
                greatest = max(greatest, values[slot])
            }
        }
        guard least <= greatest else { return nil }
        minimum = UInt64(bitPattern: least)
        maximum = UInt64(bitPattern: greatest)
    }

    /// Nil when all slots are null, or one is NaN, which has no order.
    init?(doubles memory: UnsafeRawPointer, _ count: Int) {
        let values = (memory + LeafLayout.payloadBehindNulls).assumingMemoryBound(to: Double.self)
        self.init(memory, count) { values[$0] }
    }

    init?(floats memory: UnsafeRawPointer, _ count: Int) {
        let values = (memory + LeafLayout.payloadBehindNulls).assumingMemoryBound(to: Float.self)
        self.init(memory, count) { Double(values[$0]) }
    }

    @inline(__always)
    private init?(_ memory: UnsafeRawPointer, _ count: Int, _ value: (Int) -> Double) {
        var least = Double.infinity
        var greatest = -Double.infinity
        var isNumber = true
        var isUsed = false
        Self.forEachRun(memory, count) { slots in
            isUsed = true
            for slot in slots {
                let value = value(slot)
                least = value < least ? value : least
                greatest = value >= greatest ? value : greatest
                isNumber = isNumber && value == value
            }
        }
        guard isUsed, isNumber else { return nil }
        minimum = least.bitPattern
        maximum = greatest.bitPattern
    }

    /// Calls the body with ranges of slots that are not null; without nulls, with the whole leaf.
    @inline(__always)
    private static func forEachRun(_ memory: UnsafeRawPointer, _ count: Int, _ body: (Range<Int>) -> Void) {
        let present = SlotBitmap(first: count).subtracting(SlotBitmap(nullsOf: memory))
        if present == SlotBitmap(first: count) {
            if count > 0 { body(0..<count) }
            return
        }
        for index in 0..<wordsPerLeaf {
            var word = present[index]
            while word != 0 {
                let start = word.trailingZeroBitCount
                let length = (~(word >> UInt64(start))).trailingZeroBitCount
                body(index * 64 + start..<index * 64 + start + length)
                word &= start + length == 64 ? 0 : .max << UInt64(start + length)
            }
        }
    }
}
