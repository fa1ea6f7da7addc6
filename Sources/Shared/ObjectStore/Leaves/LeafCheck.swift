/// Checks that a leaf's header agrees with its bytes, so that no reader leaves it. The values may still be wrong.
enum LeafCheck {
    static func isSound(_ bytes: UnsafeRawBufferPointer, _ kind: LeafKind) -> Bool {
        guard bytes.count >= LeafLayout.headerBytes, let leaf = bytes.baseAddress else { return false }
        let header = LeafHeader(leaf)
        let payload = Int(leaf.leafField(LeafLayout.payloadOffset, UInt16.self))
        guard leaf.leafField(LeafLayout.kind, UInt8.self) == kind.rawValue, header.count <= slotsPerLeaf,
            Int(leaf.leafField(LeafLayout.byteCount, UInt32.self)) == bytes.count,
            payload == LeafLayout.headerBytes || payload == LeafLayout.payloadBehindNulls, payload <= bytes.count
        else { return false }
        let room = bytes.count - payload
        let width = Int(leaf.leafField(LeafLayout.width, UInt8.self))
        let secondWidth = Int(leaf.leafField(LeafLayout.secondWidth, UInt8.self))
        let second = Int(leaf.leafField(LeafLayout.secondOffset, UInt32.self))
        let isWidth = [0, 1, 2, 4, 8].contains(width)
        switch kind {
        case .integer: return isWidth && header.count * width <= room
        case .bits: return room >= LeafLayout.nullBitmapBytes
        case .float, .double, .fixed12, .fixed16:
            return header.count * WritableLeaf.bytesPerSlot(kind) <= room
        case .timestamp:
            let fitsSecond = secondWidth != 4 || second + header.count * 4 <= bytes.count
            return isWidth && header.count * width <= room && fitsSecond
        case .bytes:
            let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
            let slots = entries > 0 ? header.count : header.count + 1
            let directory = entries > 0 ? (entries + 1) * 4 : 0
            let isLong = leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagLong != 0
            let end = bytes.count - (isLong ? LeafLayout.nullBitmapBytes : 0)
            // Offsets never have eight bytes: as numbers they could be negative.
            return isWidth && width < 8 && slots * width <= room && second + directory <= end
        }
    }

    /// Stands for a leaf that a column does not have: all slots exist, and are empty. Lives as long as the process.
    static func blank(_ kind: LeafKind, isNull: Bool) -> UnsafeRawPointer {
        (isNull ? blankNull : blankZero)[Int(kind.rawValue)].pointer
    }

    /// A leaf of bits, all of them set. Lives as long as the process.
    static var fullBits: UnsafeRawPointer { full.pointer }

    /// @unchecked: written once, before anybody can read it.
    private struct Blank: @unchecked Sendable {
        let pointer: UnsafeRawPointer
    }

    private static let blankNull = blanks(isNull: true)
    private static let blankZero = blanks(isNull: false)

    private static let full = {
        let leaf = WritableLeaf(.bits)
        for slot in 0..<slotsPerLeaf { leaf.setBit(slot, true) }
        return packed(leaf)
    }()

    private static func blanks(isNull: Bool) -> [Blank] {
        (UInt8(0)...8).map { raw in
            let leaf = WritableLeaf(LeafKind(rawValue: raw) ?? .integer)
            for slot in 0..<slotsPerLeaf {
                if isNull { leaf.setNull(slot) } else { leaf.setZero(slot) }
            }
            return packed(leaf)
        }
    }

    private static func packed(_ leaf: WritableLeaf) -> Blank {
        let packer = LeafPacker()
        var copy: UnsafeMutableRawPointer?
        packer.pack(leaf) { bytes in
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
            memory.copyMemory(from: bytes)
            copy = memory.baseAddress
        }
        guard let copy else { preconditionFailure("packing a leaf answers its bytes") }
        return Blank(pointer: UnsafeRawPointer(copy))
    }
}

extension WritableLeaf {
    /// The value of a property that was never set and cannot be null.
    func setZero(_ slot: Int) {
        switch kind {
        case .integer: setInteger(slot, 0)
        case .bits: setBit(slot, false)
        case .float: setFloat(slot, 0)
        case .double: setDouble(slot, 0)
        case .bytes: setBytes(slot, UnsafeRawBufferPointer(start: nil, count: 0))
        case .timestamp: setTimestamp(slot, 0, 0)
        case .fixed12: setFixed12(slot, 0, 0)
        case .fixed16: setFixed16(slot, 0, 0)
        }
    }
}
