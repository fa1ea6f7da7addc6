/// A stable sort of rows by codes, least significant digits first. Linear: each pass counts the rows of every digit and
/// moves them to their places.
enum RadixSort {
    /// The rows in order, a position in the lower 32 bits of each entry. The first column decides first; rows that are
    /// equal in all keep their order.
    ///
    /// - Complexity: O(n × bits / 11), and 16 bytes a row beside the columns.
    static func entries(_ columns: [SortCodes]) -> [Entry] {
        let count = columns.first?.codes.count ?? 0
        var entries: [Entry] = []
        var spare = [Entry](unsafeUninitializedCapacity: count) { $1 = count }
        for column in columns.reversed() {
            let pieces = (column.bits + 31) / 32
            let bits = (column.bits + pieces - 1) / max(pieces, 1)
            for piece in 0..<pieces {
                let shift = UInt64(piece * bits)
                if entries.isEmpty {
                    entries = first(column.codes, shift, mask: 1 << UInt64(bits) - 1)
                } else {
                    take(column.codes, shift, mask: 1 << UInt64(bits) - 1, into: &entries)
                }
                sort(&entries, &spare, bits: min(bits, column.bits - piece * bits))
            }
        }
        return entries
    }

    /// 32 bits of a code above the row's position.
    typealias Entry = UInt64

    @inline(__always)
    static func position(_ entry: Entry) -> Int { Int(entry & 0xFFFF_FFFF) }

    private static func first(_ codes: [UInt64], _ shift: UInt64, mask: UInt64) -> [Entry] {
        codes.withUnsafeBufferPointer { codes in
            [Entry](unsafeUninitializedCapacity: codes.count) { entries, count in
                count = codes.count
                for row in codes.indices {
                    entries.initializeElement(at: row, to: (codes[row] &>> shift & mask) << 32 | UInt64(row))
                }
            }
        }
    }

    private static func take(_ codes: [UInt64], _ shift: UInt64, mask: UInt64, into entries: inout [Entry]) {
        codes.withUnsafeBufferPointer { codes in
            entries.withUnsafeMutableBufferPointer { entries in
                for index in entries.indices {
                    let position = position(entries[index])
                    entries[index] = (codes[position] &>> shift & mask) << 32 | UInt64(position)
                }
            }
        }
    }

    /// Sorts entries by the lower `bits` of their codes.
    private static func sort(_ entries: inout [Entry], _ spare: inout [Entry], bits: Int) {
        // Wide digits save passes, and narrow ones cost less where there is little to count.
        let widest = entries.count < 4096 ? 8 : 11
        let passes = (bits + widest - 1) / widest
        for pass in 0..<passes {
            let width = (bits + passes - 1) / passes
            if scatter(entries, &spare, shift: UInt64(32 + pass * width), width: width) { swap(&entries, &spare) }
        }
    }

    /// False when all entries have the same digit, and nothing was moved.
    private static func scatter(_ entries: [Entry], _ places: inout [Entry], shift: UInt64, width: Int) -> Bool {
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
