import CausewayModel

/// A leaf while a transaction changes it: every slot at full width, so that setting a slot is one store.
///
/// All kinds but `bytes` keep the layout of a leaf (width 8, minimum 0, null bitmap present), so readers go on reading
/// through the same pointer. Slots never used are null, which keeps them out of minimum and maximum.
final class WritableLeaf {
    let kind: LeafKind
    /// In the layout of a leaf; nil for `bytes`.
    let memory: UnsafeMutableRawPointer?
    let strings: StringSlots?

    /// An empty leaf.
    init(_ kind: LeafKind) {
        self.kind = kind
        strings = kind == .bytes ? StringSlots() : nil
        memory = kind == .bytes ? nil : Self.emptyMemory(kind)
    }

    /// A writable copy of a packed leaf.
    init(_ kind: LeafKind, copying leaf: UnsafeRawPointer) {
        self.kind = kind
        strings = kind == .bytes ? StringSlots(copying: leaf) : nil
        memory = kind == .bytes ? nil : Self.emptyMemory(kind)
        memory.map { Self.expand(leaf, kind, to: $0) }
    }

    deinit {
        memory?.deallocate()
    }

    private static func emptyMemory(_ kind: LeafKind) -> UnsafeMutableRawPointer {
        let size = expandedBytes(kind)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        memory.storeBytes(of: kind.rawValue, toByteOffset: LeafLayout.kind, as: UInt8.self)
        memory.storeBytes(of: 8, toByteOffset: LeafLayout.width, as: UInt8.self)
        memory.storeBytes(of: UInt32(size), toByteOffset: LeafLayout.byteCount, as: UInt32.self)
        memory.storeBytes(
            of: UInt16(LeafLayout.payloadBehindNulls), toByteOffset: LeafLayout.payloadOffset, as: UInt16.self)
        if kind == .timestamp {
            memory.storeBytes(of: 4, toByteOffset: LeafLayout.secondWidth, as: UInt8.self)
            memory.storeBytes(
                of: UInt32(LeafLayout.payloadBehindNulls + 8 * slotsPerLeaf), toByteOffset: LeafLayout.secondOffset,
                as: UInt32.self)
        }
        (memory + LeafLayout.headerBytes)
            .initializeMemory(as: UInt8.self, repeating: 0xFF, count: LeafLayout.nullBitmapBytes)
        return memory
    }

    /// Empties the leaf. The memory stays.
    func reset() {
        strings?.reset()
        guard let memory else { return }
        memory.leafCount = 0
        (memory + LeafLayout.headerBytes)
            .initializeMemory(as: UInt8.self, repeating: 0xFF, count: LeafLayout.nullBitmapBytes)
    }

    private static func expandedBytes(_ kind: LeafKind) -> Int {
        LeafLayout.payloadBehindNulls
            + (kind == .bits ? LeafLayout.nullBitmapBytes : slotsPerLeaf * bytesPerSlot(kind))
    }

    static func bytesPerSlot(_ kind: LeafKind) -> Int {
        switch kind {
        case .bits, .bytes: 0
        case .float: 4
        case .integer, .double: 8
        case .timestamp, .fixed12: 12
        case .fixed16: 16
        }
    }

    // MARK: - Slots

    /// How many slots the leaf has so far.
    var count: Int {
        strings?.count ?? memory.map { Int($0.leafCount) } ?? 0
    }

    func isNull(_ slot: Int) -> Bool {
        if let strings { return strings.isNull(slot) }
        return memory.map { LeafHeader($0).isNull(slot) } ?? true
    }

    func setNull(_ slot: Int) {
        if let strings {
            strings.addNull(slot)
        } else if let memory {
            touch(memory, slot)
            (memory + LeafLayout.headerBytes).setBit(slot, true)
        }
    }

    /// Makes the leaf reach to a slot.
    @inline(__always)
    private func touch(_ memory: UnsafeMutableRawPointer, _ slot: Int) {
        if Int(memory.leafCount) <= slot { memory.leafCount = UInt16(slot + 1) }
    }

    /// Makes a slot present and not null, and returns the payload. Fixed layouts only.
    @inline(__always)
    private func present(_ slot: Int) -> UnsafeMutableRawPointer {
        guard let memory else { preconditionFailure("a value of fixed size was set in a leaf of strings") }
        touch(memory, slot)
        (memory + LeafLayout.headerBytes).setBit(slot, false)
        return memory + LeafLayout.payloadBehindNulls
    }

    func setInteger(_ slot: Int, _ value: Int64) {
        present(slot).storeBytes(of: value, toByteOffset: slot * 8, as: Int64.self)
    }

    func setBit(_ slot: Int, _ value: Bool) {
        present(slot).setBit(slot, value)
    }

    func setFloat(_ slot: Int, _ value: Float) {
        present(slot).storeBytes(of: value.storedBits, toByteOffset: slot * 4, as: UInt32.self)
    }

    func setDouble(_ slot: Int, _ value: Double) {
        present(slot).storeBytes(of: value.storedBits, toByteOffset: slot * 8, as: UInt64.self)
    }

    func setTimestamp(_ slot: Int, _ seconds: Int64, _ nanoseconds: Int32) {
        let payload = present(slot)
        payload.storeBytes(of: seconds, toByteOffset: slot * 8, as: Int64.self)
        payload.storeBytes(of: nanoseconds, toByteOffset: 8 * slotsPerLeaf + slot * 4, as: Int32.self)
    }

    func setFixed12(_ slot: Int, _ high: UInt64, _ low: UInt32) {
        let payload = present(slot)
        payload.storeBytes(of: high.bigEndian, toByteOffset: slot * 12, as: UInt64.self)
        payload.storeBytes(of: low.bigEndian, toByteOffset: slot * 12 + 8, as: UInt32.self)
    }

    func setFixed16(_ slot: Int, _ high: UInt64, _ low: UInt64) {
        let payload = present(slot)
        payload.storeBytes(of: high.bigEndian, toByteOffset: slot * 16, as: UInt64.self)
        payload.storeBytes(of: low.bigEndian, toByteOffset: slot * 16 + 8, as: UInt64.self)
    }

    func setBytes(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        guard let strings else { preconditionFailure("a string was set in a leaf of another kind") }
        strings.add(slot, bytes)
    }

    // MARK: - Values

    /// Sets a value of the leaf's kind. `Table.accepts` has checked that it fits.
    func set(_ slot: Int, _ value: Value) {
        switch (kind, value) {
        case (_, .null): setNull(slot)
        case (.integer, .int(let value)): setInteger(slot, value)
        case (.integer, .object(let key)): setInteger(slot, key.rawValue)
        case (.bits, .bool(let value)): setBit(slot, value)
        case (.float, .float(let value)): setFloat(slot, value)
        case (.double, .double(let value)): setDouble(slot, value)
        case (.bytes, .string(var value)): value.withUTF8 { setBytes(slot, UnsafeRawBufferPointer($0)) }
        case (.bytes, .bytes(let value)): value.withUnsafeBytes { setBytes(slot, $0) }
        case (.timestamp, .timestamp(let value)): setTimestamp(slot, value.seconds, value.nanoseconds)
        case (.fixed12, .objectId(let value)): setFixed12(slot, value.high, value.low)
        case (.fixed16, .uuid(let value)): setFixed16(slot, value.high, value.low)
        case (.fixed16, .decimal(let value)): setFixed16(slot, value.storedHigh, value.low)
        default: preconditionFailure("a value of another type than the property's was set; ask Table.accepts first")
        }
    }
}

extension UnsafeMutableRawPointer {
    var leafCount: UInt16 {
        get { load(fromByteOffset: LeafLayout.count, as: UInt16.self) }
        nonmutating set { storeBytes(of: newValue, toByteOffset: LeafLayout.count, as: UInt16.self) }
    }

    @inline(__always)
    func setBit(_ slot: Int, _ value: Bool) {
        let byte = (self + (slot >> 3)).assumingMemoryBound(to: UInt8.self)
        let mask = UInt8(1) << UInt8(slot & 7)
        byte.pointee = value ? byte.pointee | mask : byte.pointee & ~mask
    }
}
