// The first change of a slot copies its leaf, so a leaf is copied whole and not slot by slot.

extension WritableLeaf {
    /// Fills the empty memory of a leaf from a packed one of the kind. What null slots hold is not specified.
    static func expand(_ leaf: UnsafeRawPointer, _ kind: LeafKind, to memory: UnsafeMutableRawPointer) {
        let header = LeafHeader(leaf)
        let count = min(header.count, slotsPerLeaf)
        memory.leafCount = UInt16(count)
        copyNulls(header, count, to: memory + LeafLayout.headerBytes)
        let payload = memory + LeafLayout.payloadBehindNulls
        switch kind {
        case .integer: widen(leaf, count, to: payload)
        case .timestamp:
            widen(leaf, count, to: payload)
            if leaf.leafField(LeafLayout.secondWidth, UInt8.self) == 4 {
                let second = leaf + Int(leaf.leafField(LeafLayout.secondOffset, UInt32.self))
                (payload + 8 * slotsPerLeaf).copyMemory(from: second, byteCount: count * 4)
            }
        case .float, .double, .fixed12, .fixed16:
            payload.copyMemory(from: header.payload, byteCount: count * bytesPerSlot(kind))
        case .bits: store(SlotBitmap(bits: leaf).intersection(SlotBitmap(first: count)), to: payload)
        case .bytes: preconditionFailure("strings are copied elsewhere")
        }
    }

    /// Slots that the leaf does not reach are null.
    private static func copyNulls(_ header: LeafHeader, _ count: Int, to bitmap: UnsafeMutableRawPointer) {
        let present = SlotBitmap(first: count).subtracting(SlotBitmap(nullsOf: header.leaf))
        for index in 0..<wordsPerLeaf {
            bitmap.storeBytes(of: (~present[index]).littleEndian, toByteOffset: index * 8, as: UInt64.self)
        }
    }

    private static func store(_ bits: SlotBitmap, to payload: UnsafeMutableRawPointer) {
        for index in 0..<wordsPerLeaf {
            payload.storeBytes(of: bits[index].littleEndian, toByteOffset: index * 8, as: UInt64.self)
        }
    }

    /// The integers of a leaf, or its seconds, at full width.
    private static func widen(_ leaf: UnsafeRawPointer, _ count: Int, to payload: UnsafeMutableRawPointer) {
        let minimum = leaf.leafField(LeafLayout.minimum, UInt64.self)
        let source = LeafHeader(leaf).payload
        switch leaf.leafField(LeafLayout.width, UInt8.self) {
        case 8: widen(source, UInt64.self, count, minimum, to: payload)
        case 4: widen(source, UInt32.self, count, minimum, to: payload)
        case 2: widen(source, UInt16.self, count, minimum, to: payload)
        case 1: widen(source, UInt8.self, count, minimum, to: payload)
        default:
            payload.assumingMemoryBound(to: UInt64.self).update(repeating: minimum, count: count)
        }
    }

    @inline(__always)
    private static func widen<T: FixedWidthInteger & BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ type: T.Type, _ count: Int, _ minimum: UInt64,
        to payload: UnsafeMutableRawPointer
    ) {
        let target = payload.assumingMemoryBound(to: UInt64.self)
        for slot in 0..<count {
            let relative = source.loadUnaligned(fromByteOffset: slot &* MemoryLayout<T>.size, as: T.self)
            target[slot] = minimum &+ UInt64(truncatingIfNeeded: relative)
        }
    }
}
