/// A stable sort of rows by codes, least significant digits first. Linear: each pass counts the rows of every digit and
/// moves them to their places.
enum RadixSort {
    /// The rows' positions in order. The first column decides first; rows that are equal in all keep their order.
    ///
    /// - Complexity: O(n × bits / 11), and 16 bytes a row beside the columns.
    static func positions(_ columns: [SortCodes], count: Int) -> [UInt32] {
        // An entry is 32 bits of a code above the row's position.
        var entries = [UInt64](unsafeUninitializedCapacity: count) { entries, initialized in
            for row in 0..<count { entries.initializeElement(at: row, to: UInt64(row)) }
            initialized = count
        }
        var spare = [UInt64](unsafeUninitializedCapacity: count) { $1 = count }
        for column in columns.reversed() {
            let pieces = (column.bits + 31) / 32
            for piece in 0..<pieces {
                let bits = (column.bits + pieces - 1) / pieces
                take(column.codes, shift: piece * bits, mask: UInt64(1) << UInt64(bits) - 1, into: &entries)
                sort(&entries, &spare, bits: min(bits, column.bits - piece * bits))
            }
        }
        return [UInt32](unsafeUninitializedCapacity: count) { positions, initialized in
            for row in 0..<count {
                positions.initializeElement(at: row, to: UInt32(truncatingIfNeeded: entries[row]))
            }
            initialized = count
        }
    }

    private static func take(_ codes: [UInt64], shift: Int, mask: UInt64, into entries: inout [UInt64]) {
        let shift = UInt64(shift)
        codes.withUnsafeBufferPointer { codes in
            entries.withUnsafeMutableBufferPointer { entries in
                for index in entries.indices {
                    let position = entries[index] & 0xFFFF_FFFF
                    entries[index] = (codes[Int(position)] &>> shift & mask) << 32 | position
                }
            }
        }
    }

    /// Sorts entries by the lower `bits` of their codes.
    private static func sort(_ entries: inout [UInt64], _ spare: inout [UInt64], bits: Int) {
        // Wide digits save passes, and narrow ones cost less where there is little to count.
        let widest = entries.count < 4096 ? 8 : 11
        let passes = (bits + widest - 1) / widest
        for pass in 0..<passes {
            let width = (bits + passes - 1) / passes
            if scatter(entries, &spare, shift: UInt64(32 + pass * width), width: width) { swap(&entries, &spare) }
        }
    }

    /// False when all entries have the same digit, and nothing was moved.
    private static func scatter(_ entries: [UInt64], _ places: inout [UInt64], shift: UInt64, width: Int) -> Bool {
        let mask = UInt64(1) << UInt64(width) - 1
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << width) { starts in
            starts.initialize(repeating: 0)
            return entries.withUnsafeBufferPointer { entries in
                for entry in entries { starts[Int(truncatingIfNeeded: entry &>> shift & mask)] &+= 1 }
                var next = 0
                for digit in starts.indices {
                    if starts[digit] == entries.count { return false }
                    (starts[digit], next) = (next, next &+ starts[digit])
                }
                places.withUnsafeMutableBufferPointer { places in
                    for entry in entries {
                        let digit = Int(truncatingIfNeeded: entry &>> shift & mask)
                        places[starts[digit]] = entry
                        starts[digit] &+= 1
                    }
                }
                return true
            }
        }
    }
}
