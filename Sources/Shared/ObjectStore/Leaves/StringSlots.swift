/// The strings of a leaf that is being changed: each slot a range of an arena that only grows; what was replaced is
/// left behind and dropped when the leaf is packed.
final class StringSlots {
    // No call here leads back into this object, so accesses never overlap; checking costs more than what is done.
    @exclusivity(unchecked) var count = 0
    @exclusivity(unchecked) private var starts = [Int](repeating: 0, count: slotsPerLeaf)
    /// Negative for null.
    @exclusivity(unchecked) private var lengths = [Int](repeating: -1, count: slotsPerLeaf)
    @exclusivity(unchecked) private var arena: [UInt8] = []
    @exclusivity(unchecked) private var wasted = 0

    func isNull(_ slot: Int) -> Bool { lengths[slot] < 0 }

    func setNull(_ slot: Int) {
        wasted += max(lengths[slot], 0)
        lengths[slot] = -1
    }

    func set(_ slot: Int, _ bytes: UnsafeRawBufferPointer) {
        wasted += max(lengths[slot], 0)
        if bytes.count <= lengths[slot] {
            arena.replaceSubrange(starts[slot]..<starts[slot] + bytes.count, with: bytes)
            wasted -= bytes.count
        } else {
            starts[slot] = arena.count
            arena.append(contentsOf: bytes)
        }
        lengths[slot] = bytes.count
        // Half of the arena and more than a page is rubbish: a long transaction that sets one string over and over.
        if wasted > 65536, wasted * 2 > arena.count { compact() }
    }

    func withBytes<Result>(_ slot: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try arena.withUnsafeBytes { arena in
            let start = starts[slot]
            return try body(UnsafeRawBufferPointer(rebasing: arena[start..<start + max(lengths[slot], 0)]))
        }
    }

    private func compact() {
        var packed: [UInt8] = []
        packed.reserveCapacity(arena.count - wasted)
        for slot in 0..<slotsPerLeaf where lengths[slot] > 0 {
            let start = packed.count
            packed.append(contentsOf: arena[starts[slot]..<starts[slot] + lengths[slot]])
            starts[slot] = start
        }
        arena = packed
        wasted = 0
    }

    /// All values' bytes, for packing: starts, lengths, arena.
    func withContents<Result>(_ body: ([Int], [Int], UnsafeRawBufferPointer) -> Result) -> Result {
        arena.withUnsafeBytes { body(starts, lengths, $0) }
    }
}
