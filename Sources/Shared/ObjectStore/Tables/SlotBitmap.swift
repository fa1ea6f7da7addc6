/// A set of slots of one leaf: sixteen words, the bits from 1,000 up always clear.
struct SlotBitmap: Equatable {
    /// Two halves of eight words; the compiler keeps them in vector registers.
    private var low: SIMD8<UInt64>
    private var high: SIMD8<UInt64>

    init() {
        low = .zero
        high = .zero
    }

    /// The first `count` slots.
    init(first count: Int) {
        self.init()
        for index in 0..<wordsPerLeaf {
            let inWord = min(max(count - index * 64, 0), 64)
            self[index] = inWord == 64 ? .max : (1 << UInt64(inWord)) - 1
        }
    }

    /// The payload of a leaf of bits.
    init(bits leaf: UnsafeRawPointer) {
        let payload = LeafHeader(leaf).payload
        low = payload.loadUnaligned(as: SIMD8<UInt64>.self)
        high = payload.loadUnaligned(fromByteOffset: 64, as: SIMD8<UInt64>.self)
    }

    /// The null slots of a leaf, as far as it reaches.
    init(nullsOf leaf: UnsafeRawPointer) {
        self.init()
        guard LeafHeader(leaf).hasNulls else { return }
        low = leaf.loadUnaligned(fromByteOffset: 48, as: SIMD8<UInt64>.self)
        high = leaf.loadUnaligned(fromByteOffset: 112, as: SIMD8<UInt64>.self)
        self = intersection(SlotBitmap(first: LeafHeader(leaf).count))
    }

    @inline(__always)
    subscript(word: Int) -> UInt64 {
        get { word < 8 ? low[word] : high[word - 8] }
        set { if word < 8 { low[word] = newValue } else { high[word - 8] = newValue } }
    }

    mutating func insert(_ slot: Int) { self[slot >> 6] |= 1 << UInt64(slot & 63) }
    func contains(_ slot: Int) -> Bool { self[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    func intersection(_ other: SlotBitmap) -> SlotBitmap {
        var result = self
        result.low &= other.low
        result.high &= other.high
        return result
    }

    func union(_ other: SlotBitmap) -> SlotBitmap {
        var result = self
        result.low |= other.low
        result.high |= other.high
        return result
    }

    func subtracting(_ other: SlotBitmap) -> SlotBitmap {
        var result = self
        result.low &= ~other.low
        result.high &= ~other.high
        return result
    }

    var isEmpty: Bool { (low | high) == .zero }

    var count: Int {
        var count = 0
        for word in 0..<wordsPerLeaf { count &+= self[word].nonzeroBitCount }
        return count
    }

    /// Visits the slots in ascending order.
    @inline(__always)
    func forEach(_ body: (Int) -> Void) {
        for index in 0..<wordsPerLeaf {
            var word = self[index]
            while word != 0 {
                body(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }
}
