import CScan

// Loops that turn a leaf's packed values into a bitmap. They are vector code in C, see `kernels`, called from here.

/// A range of relative values: those that are at least `first` and at most `last`.
struct RelativeRange {
    var first: UInt64
    var last: UInt64
}

enum BitmapKernel {
    static func integers(_ payload: UnsafeRawPointer, width: UInt8, count: Int, _ range: RelativeRange) -> SlotBitmap {
        // Without a width all values equal the minimum.
        guard width > 0 else { return range.first == 0 ? SlotBitmap(first: count) : SlotBitmap() }
        return SlotBitmap { words in
            causeway_scan_range(payload, UInt32(width), UInt32(count), range.first, range.last &- range.first, words)
        }
    }

    /// The slots of one-byte values for which the table has something other than zero.
    static func lookUp(_ payload: UnsafeRawPointer, count: Int, in table: UnsafePointer<UInt8>) -> SlotBitmap {
        SlotBitmap { words in
            causeway_scan_table(payload.assumingMemoryBound(to: UInt8.self), UInt32(count), table, words)
        }
    }

    static func doubles(_ payload: UnsafeRawPointer, count: Int, _ range: ClosedRange<Double>) -> SlotBitmap {
        SlotBitmap { causeway_scan_doubles(payload, UInt32(count), range.lowerBound, range.upperBound, $0) }
    }

    static func floats(_ payload: UnsafeRawPointer, count: Int, _ range: ClosedRange<Float>) -> SlotBitmap {
        SlotBitmap { causeway_scan_floats(payload, UInt32(count), range.lowerBound, range.upperBound, $0) }
    }

    /// The slots whose values of `size` bytes, 12 or 16, are these.
    static func ids(_ payload: UnsafeRawPointer, size: Int, count: Int, equal wanted: UnsafeRawPointer) -> SlotBitmap {
        SlotBitmap { causeway_scan_equal_bytes(payload, UInt32(size), UInt32(count), wanted, $0) }
    }
}
