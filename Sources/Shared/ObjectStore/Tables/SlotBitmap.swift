import CScan

/// A set of slots of one leaf: sixteen words, the bits from 1,000 up always clear.
struct SlotBitmap: Equatable {
    /// Two halves of eight words; the compiler keeps them in vector registers.
    private var low: SIMD8<UInt64>
    private var high: SIMD8<UInt64>

    @inline(__always)
    init() {
        low = .zero
        high = .zero
    }

    private init(low: SIMD8<UInt64>, high: SIMD8<UInt64>) {
        self.low = low
        self.high = high
    }

    /// The first `count` slots.
    @inline(__always)
    init(first count: Int) {
        self = count >= slotsPerLeaf ? Self.full : Self.firstSlots(count)
    }

    private static var full: SlotBitmap {
        SlotBitmap(
            low: SIMD8(repeating: .max), high: SIMD8(.max, .max, .max, .max, .max, .max, .max, (1 << 40) - 1))
    }

    private static func firstSlots(_ count: Int) -> SlotBitmap {
        var bitmap = SlotBitmap()
        for index in 0..<wordsPerLeaf {
            let inWord = min(max(count - index * 64, 0), 64)
            bitmap[index] = inWord == 64 ? .max : (1 << UInt64(inWord)) - 1
        }
        return bitmap
    }

    /// The bitmap that a kernel writes. It must write all sixteen words.
    @inline(__always)
    init(_ kernel: (UnsafeMutablePointer<UInt64>) -> Void) {
        self.init()
        update(kernel)
    }

    /// Lets a kernel change the words.
    @inline(__always)
    mutating func update(_ kernel: (UnsafeMutablePointer<UInt64>) -> Void) {
        withUnsafeMutablePointer(to: &self) { bitmap in
            bitmap.withMemoryRebound(to: UInt64.self, capacity: wordsPerLeaf) { kernel($0) }
        }
    }

    /// The payload of a leaf of bits.
    @inline(__always)
    init(bits leaf: UnsafeRawPointer) {
        let payload = LeafHeader(leaf).payload
        low = payload.loadUnaligned(as: SIMD8<UInt64>.self)
        high = payload.loadUnaligned(fromByteOffset: 64, as: SIMD8<UInt64>.self)
    }

    /// A bitmap that stands in a leaf.
    init(at place: UnsafeRawPointer) {
        low = place.loadUnaligned(as: SIMD8<UInt64>.self)
        high = place.loadUnaligned(fromByteOffset: 64, as: SIMD8<UInt64>.self)
    }

    /// The null slots of a leaf, as far as it reaches.
    @inline(__always)
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

    /// Sets one bit where it lies in memory: many of these in a row must not go through vector registers.
    @inline(__always)
    mutating func insert(_ slot: Int) {
        precondition(slot >= 0 && slot < wordsPerLeaf * 64)
        update { $0[slot &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: slot & 63) }
    }

    @inline(__always)
    func contains(_ slot: Int) -> Bool { self[slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    @inline(__always)
    func intersection(_ other: SlotBitmap) -> SlotBitmap {
        var result = self
        result.low &= other.low
        result.high &= other.high
        return result
    }

    @inline(__always)
    func union(_ other: SlotBitmap) -> SlotBitmap {
        var result = self
        result.low |= other.low
        result.high |= other.high
        return result
    }

    @inline(__always)
    func subtracting(_ other: SlotBitmap) -> SlotBitmap {
        var result = self
        result.low &= ~other.low
        result.high &= ~other.high
        return result
    }

    @inline(__always)
    var isEmpty: Bool { (low | high).wrappedOr == 0 }

    var count: Int {
        withUnsafePointer(to: self) { bitmap in
            bitmap.withMemoryRebound(to: UInt64.self, capacity: wordsPerLeaf) { Int(causeway_scan_count($0)) }
        }
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

extension SIMD8<UInt64> {
    @inline(__always)
    fileprivate var wrappedOr: UInt64 {
        let four = lowHalf | highHalf
        let two = four.lowHalf | four.highHalf
        return two.x | two.y
    }
}
