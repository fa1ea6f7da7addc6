// Leaf readers: a pointer and functions that inline to a few loads, for scans and for property getters. They are
// public, unlike the rest of this module, because the getters of `@Persisted` inline into the app.
//
// A slot at or behind the leaf's count reads as zero: a row may be asked for after it was deleted, and no read may
// leave the leaf. What a null slot reads as is not specified: ask `isNull` first.

/// The leaf pointers of one column, by leaf number. Nil where the leaf was not read yet, or is being written in a form
/// without a layout. Then `Table.value` finds the value.
@frozen
public struct LeafArray {
    public var leaves: UnsafeMutablePointer<UnsafeRawPointer?>
    public var count: Int

    @inlinable
    public init(leaves: UnsafeMutablePointer<UnsafeRawPointer?>, count: Int) {
        self.leaves = leaves
        self.count = count
    }
}

extension UnsafeRawPointer {
    @inlinable @inline(__always)
    public func leafField<T: BitwiseCopyable>(_ offset: Int, _ type: T.Type) -> T {
        loadUnaligned(fromByteOffset: offset, as: type)
    }
}

/// The header that all leaves have.
@frozen
public struct LeafHeader {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public var count: Int { Int(leaf.leafField(4, UInt16.self)) }

    @inlinable @inline(__always)
    public var payload: UnsafeRawPointer { leaf + Int(leaf.leafField(28, UInt16.self)) }

    @inlinable @inline(__always)
    public var hasNulls: Bool { leaf.leafField(28, UInt16.self) != 48 }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool {
        if slot >= count { return true }
        return hasNulls && leaf.leafField(48 &+ slot &>> 3, UInt8.self) &>> UInt8(truncatingIfNeeded: slot & 7) & 1 != 0
    }
}

/// Integers, and links as the raw keys of their targets.
@frozen
public struct IntegerLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable @inline(__always)
    public func value(_ slot: Int) -> Int64 {
        let header = LeafHeader(leaf)
        guard slot < header.count else { return 0 }
        let minimum = leaf.leafField(8, Int64.self)
        return minimum &+ Self.relative(header.payload, leaf.leafField(1, UInt8.self), slot)
    }

    @inlinable @inline(__always)
    public static func relative(_ payload: UnsafeRawPointer, _ width: UInt8, _ slot: Int) -> Int64 {
        switch width {
        case 8: payload.leafField(slot &* 8, Int64.self)
        case 4: Int64(payload.leafField(slot &* 4, UInt32.self))
        case 2: Int64(payload.leafField(slot &* 2, UInt16.self))
        case 1: Int64(payload.leafField(slot, UInt8.self))
        default: 0
        }
    }
}

@frozen
public struct BoolLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable @inline(__always)
    public func value(_ slot: Int) -> Bool {
        let header = LeafHeader(leaf)
        guard slot < header.count else { return false }
        return header.payload.leafField(slot &>> 3, UInt8.self) &>> UInt8(truncatingIfNeeded: slot & 7) & 1 != 0
    }
}

@frozen
public struct FloatLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable @inline(__always)
    public func value(_ slot: Int) -> Float {
        let header = LeafHeader(leaf)
        return slot < header.count ? header.payload.leafField(slot &* 4, Float.self) : 0
    }
}

@frozen
public struct DoubleLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable @inline(__always)
    public func value(_ slot: Int) -> Double {
        let header = LeafHeader(leaf)
        return slot < header.count ? header.payload.leafField(slot &* 8, Double.self) : 0
    }
}

@frozen
public struct TimestampLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable @inline(__always)
    public func seconds(_ slot: Int) -> Int64 { IntegerLeaf(leaf).value(slot) }

    @inlinable @inline(__always)
    public func nanoseconds(_ slot: Int) -> Int32 {
        guard slot < LeafHeader(leaf).count, leaf.leafField(2, UInt8.self) == 4 else { return 0 }
        return leaf.leafField(Int(leaf.leafField(32, UInt32.self)) &+ slot &* 4, Int32.self)
    }
}

/// Strings and data, each value a range of the leaf's arena; a dictionary-coded leaf holds every distinct value once.
@frozen
public struct StringLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable @inline(__always)
    public func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
        let header = LeafHeader(leaf)
        guard slot < header.count else { return UnsafeRawBufferPointer(start: leaf, count: 0) }
        let width = leaf.leafField(1, UInt8.self)
        if width == Self.longWidth { return longBytes(slot) }
        let second = leaf + Int(leaf.leafField(32, UInt32.self))
        let entries = Int(leaf.leafField(30, UInt16.self))
        guard entries == 0 else {
            let code = Int(IntegerLeaf.relative(header.payload, width, slot))
            return entry(code)
        }
        let start = Int(IntegerLeaf.relative(header.payload, width, slot))
        let end = Int(IntegerLeaf.relative(header.payload, width, slot &+ 1))
        return clamped(second, start, end)
    }

    /// Stands in place of the width of offsets in a leaf that is in memory only and belongs to one transaction.
    @inlinable static var longWidth: UInt8 { 16 }

    /// Whether the leaf has values that are too long for it.
    package var hasLongValues: Bool { leaf.leafField(1, UInt8.self) == Self.longWidth }

    /// The value of a slot in a leaf that has values too long for it.
    @usableFromInline
    func longBytes(_ slot: Int) -> UnsafeRawBufferPointer { LongLeaf.bytes(leaf, slot) }

    /// A value of the dictionary, by its code.
    @inlinable
    public func entry(_ code: Int) -> UnsafeRawBufferPointer {
        let entries = Int(leaf.leafField(30, UInt16.self))
        let offsets = leaf + Int(leaf.leafField(32, UInt32.self))
        guard code < entries else { return UnsafeRawBufferPointer(start: leaf, count: 0) }
        return clamped(
            offsets + 4 &* (entries &+ 1), Int(offsets.leafField(code &* 4, UInt32.self)),
            Int(offsets.leafField(code &* 4 &+ 4, UInt32.self)))
    }

    /// Offsets come from the file: whatever they say, nothing outside the leaf is read.
    @inlinable @inline(__always)
    public func clamped(_ arena: UnsafeRawPointer, _ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        let limit = Int(leaf.leafField(24, UInt32.self)) &- (arena - leaf)
        guard start <= end, end <= limit else { return UnsafeRawBufferPointer(start: leaf, count: 0) }
        return UnsafeRawBufferPointer(start: arena + start, count: end &- start)
    }
}

/// ObjectIds: twelve bytes, big-endian.
@frozen
public struct ObjectIdLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable
    public func high(_ slot: Int) -> UInt64 {
        let header = LeafHeader(leaf)
        return slot < header.count ? UInt64(bigEndian: header.payload.leafField(slot &* 12, UInt64.self)) : 0
    }

    @inlinable
    public func low(_ slot: Int) -> UInt32 {
        let header = LeafHeader(leaf)
        return slot < header.count ? UInt32(bigEndian: header.payload.leafField(slot &* 12 &+ 8, UInt32.self)) : 0
    }
}

/// UUIDs: sixteen bytes, big-endian. The ids of embedded objects have the same form.
@frozen
public struct UUIDLeaf {
    public let leaf: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ leaf: UnsafeRawPointer) {
        self.leaf = leaf
    }

    @inlinable @inline(__always)
    public func isNull(_ slot: Int) -> Bool { LeafHeader(leaf).isNull(slot) }

    @inlinable
    public func high(_ slot: Int) -> UInt64 {
        let header = LeafHeader(leaf)
        return slot < header.count ? UInt64(bigEndian: header.payload.leafField(slot &* 16, UInt64.self)) : 0
    }

    @inlinable
    public func low(_ slot: Int) -> UInt64 {
        let header = LeafHeader(leaf)
        return slot < header.count ? UInt64(bigEndian: header.payload.leafField(slot &* 16 &+ 8, UInt64.self)) : 0
    }
}
