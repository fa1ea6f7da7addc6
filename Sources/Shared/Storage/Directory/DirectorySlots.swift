/// The pointers of a node that is being made, in slot order, without empty slots.
struct DirectorySlots {
    private var pointers: [(slot: Int, pointer: PagePointer)] = []

    init() {}

    init(_ children: DirectoryChildren) {
        for slot in 0..<DirectoryNode.slotCount where !children[slot].isNone {
            pointers.append((slot, children[slot]))
        }
    }

    /// Puts a pointer into a slot; `none` empties the slot. Cheap at the end, where most are put.
    mutating func set(_ slot: Int, to pointer: PagePointer) {
        let place = pointers.lastIndex { $0.slot < slot }.map { $0 + 1 } ?? 0
        if place < pointers.count, pointers[place].slot == slot { pointers.remove(at: place) }
        if !pointer.isNone { pointers.insert((slot, pointer), at: place) }
    }

    /// Takes out the only pointer.
    mutating func removeFirst() -> PagePointer { pointers.removeFirst().pointer }

    /// Writes the node and empties the slots. Returns `none` when all slots are empty.
    mutating func finish(into output: any PageOutput, level: UInt8) throws(StorageError) -> PagePointer {
        guard !pointers.isEmpty else { return .none }
        let page = output.makePage()
        var leaves: UInt32 = 0
        for (slot, pointer) in pointers {
            pointer.store(to: page + slot * PagePointer.byteCount)
            // A file cannot hold more leaves than that. Only a damaged one claims to, and that is no reason for a trap.
            leaves = UInt32(clamping: UInt64(leaves) + UInt64(pointer.leafCount))
        }
        pointers.removeAll(keepingCapacity: true)
        return try output.finish(page, kind: .directory, level: level, extent: leaves)
    }
}
