import CScan

/// Leaves of packed integers: columns of ints and links, and the seconds of dates.
enum IntegerColumn {
    /// The slots whose value lies in a range, decided by the zone if possible. Null slots may be among them or not.
    static func slots(of leaf: UnsafeRawPointer, in range: ClosedRange<Int64>) -> SlotBitmap {
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        let width = leaf.leafField(LeafLayout.width, UInt8.self)
        let count = LeafHeader(leaf).count
        var first = range.lowerBound
        var last = range.upperBound
        if leaf.hasZone {
            let maximum = leaf.leafField(LeafLayout.maximum, Int64.self)
            if first > maximum || last < minimum { return SlotBitmap() }
            if first <= minimum, last >= maximum { return SlotBitmap(first: count) }
            first = max(first, minimum)
            last = min(last, maximum)
        } else if width != 8 {
            // Only leaves of full width, or of nothing but nulls, have no zone.
            return range.contains(minimum) ? SlotBitmap(first: count) : SlotBitmap()
        }
        let relative = RelativeRange(
            first: UInt64(bitPattern: first &- minimum), last: UInt64(bitPattern: last &- minimum))
        return BitmapKernel.integers(LeafHeader(leaf).payload, width: width, count: count, relative)
    }

    /// The values of a leaf at full width, with room for whole blocks of 64.
    static func withExpanded<Result>(
        _ leaf: UnsafeRawPointer, _ body: (UnsafeMutablePointer<Int64>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: wordsPerLeaf * 64) { values in
            guard let first = values.baseAddress else { preconditionFailure("an allocation has an address") }
            values.initialize(repeating: 0)
            let header = LeafHeader(leaf)
            causeway_scan_expand(
                header.payload, UInt32(leaf.leafField(LeafLayout.width, UInt8.self)), UInt32(header.count),
                leaf.leafField(LeafLayout.minimum, Int64.self), first)
            return body(first)
        }
    }
}
