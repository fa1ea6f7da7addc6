import CausewayStorage

/// The changes of a write to an index or to backlinks that are not in the tree yet, for each prefix in the order made.
///
/// A change costs a hash of the prefix and an append. The changes of a prefix are a chain through one array, so
/// changing a thousand prefixes in turn costs as much as changing one.
final class PendingChanges {
    /// The most changes that are held. They go to the tree before there can be more.
    static let limit = 1 << 22

    enum Kind: UInt8 {
        /// The key is there, once.
        case present
        case absent
        /// The key is there once more, or once less.
        case oneMore
        case oneLess
    }

    private struct Group {
        /// The first and the last eight bytes of the prefix. They are all of a prefix of up to sixteen bytes, so
        /// comparing it reads nothing but the group.
        var head: UInt64
        var tail: UInt64
        var start: Int
        var count: Int32
        /// The first and the last change that was not taken out, or -1.
        var first: Int32 = -1
        var last: Int32
        var changeCount: Int32
        /// Whether the changes ascend, as those of new objects do.
        var isAscending: Bool
        var lastKey: Int64

        /// The first eight bytes as a number that orders as prefixes do, with zeros behind the end.
        var orderedHead: UInt64 {
            if count >= 8 { return UInt64(bigEndian: head) }
            return count == 0 ? 0 : head << UInt64(64 - 8 * Int(count))
        }
    }

    private struct Entry {
        var key: Int64
        var previous: Int32
        private var groupAndKind: UInt32

        @inline(__always)
        init(_ key: Int64, _ kind: Kind, group: Int, previous: Int32) {
            self.key = key
            self.previous = previous
            groupAndKind = UInt32(truncatingIfNeeded: group) << 2 | UInt32(kind.rawValue)
        }

        var group: Int { Int(groupAndKind >> 2) }

        var change: ChunkTree.Change {
            // Two bits hold four kinds, and the initialiser was given one of them.
            ChunkTree.Change(key, Kind(rawValue: UInt8(groupAndKind & 3)) ?? .present)
        }
    }

    // Nothing here calls out while it changes these, so accesses never overlap.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var groups: [Group] = []
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// Open addressing: a group's index plus 1, or 0.
    @exclusivity(unchecked) private var slots: [UInt32] = []
    @exclusivity(unchecked) private(set) var openGroupCount = 0

    var isEmpty: Bool { openGroupCount == 0 }
    var isFull: Bool { entries.count >= Self.limit }

    func removeAll() {
        guard !groups.isEmpty else { return }
        bytes = []
        groups = []
        entries = []
        slots = []
        openGroupCount = 0
    }

    // MARK: - Changing

    func append(_ prefix: UnsafeRawBufferPointer, _ key: Int64, _ kind: Kind) {
        append(findOrMake(prefix), key, kind)
    }

    /// Notes that keys are there now, ascending.
    func append(_ prefix: UnsafeRawBufferPointer, _ keys: UnsafeBufferPointer<Int64>) {
        let index = findOrMake(prefix)
        for key in keys { append(index, key, .present) }
    }

    @inline(__always)
    private func append(_ index: Int, _ key: Int64, _ kind: Kind) {
        let position = Int32(truncatingIfNeeded: entries.count)
        let last = groups[index].last
        entries.append(Entry(key, kind, group: index, previous: last))
        if last < 0 {
            groups[index].first = position
            openGroupCount += 1
            groups[index].changeCount = 1
            groups[index].isAscending = true
        } else {
            groups[index].changeCount += 1
            if groups[index].lastKey >= key { groups[index].isAscending = false }
        }
        groups[index].last = position
        groups[index].lastKey = key
    }

    @inline(__always)
    private static func ends(_ prefix: UnsafeRawBufferPointer) -> (head: UInt64, tail: UInt64) {
        if prefix.count >= 8 {
            return (
                prefix.loadUnaligned(as: UInt64.self),
                prefix.loadUnaligned(fromByteOffset: prefix.count - 8, as: UInt64.self)
            )
        }
        var head: UInt64 = 0
        for byte in prefix { head = head << 8 | UInt64(byte) }
        return (head, 0)
    }

    private func findOrMake(_ prefix: UnsafeRawBufferPointer) -> Int {
        if groups.count * 2 >= slots.count { growSlots() }
        let ends = Self.ends(prefix)
        let slot = slot(of: prefix, ends)
        if slots[slot] != 0 { return Int(slots[slot]) - 1 }
        groups.append(
            Group(
                head: ends.head, tail: ends.tail, start: bytes.count, count: Int32(prefix.count), last: -1,
                changeCount: 0, isAscending: true, lastKey: 0))
        bytes.append(contentsOf: prefix)
        slots[slot] = UInt32(groups.count)
        return groups.count - 1
    }

    private func find(_ prefix: UnsafeRawBufferPointer) -> Int? {
        guard !slots.isEmpty else { return nil }
        let slot = slot(of: prefix, Self.ends(prefix))
        return slots[slot] != 0 ? Int(slots[slot]) - 1 : nil
    }

    /// Where the prefix is, or the empty slot where it would be.
    @inline(__always)
    private func slot(of prefix: UnsafeRawBufferPointer, _ ends: (head: UInt64, tail: UInt64)) -> Int {
        let mask = slots.count - 1
        var slot = Self.hash(prefix) & mask
        while slots[slot] != 0, !isEqual(Int(slots[slot]) - 1, prefix, ends) { slot = (slot + 1) & mask }
        return slot
    }

    @inline(__always)
    private func isEqual(
        _ index: Int, _ prefix: UnsafeRawBufferPointer, _ ends: (head: UInt64, tail: UInt64)
    ) -> Bool {
        let group = groups[index]
        guard group.head == ends.head, group.tail == ends.tail, Int(group.count) == prefix.count else { return false }
        if prefix.count <= 16 { return true }
        return bytes.withUnsafeBytes { bytes in
            bytesOrder(UnsafeRawBufferPointer(rebasing: bytes[group.start..<group.start + prefix.count]), prefix) == 0
        }
    }

    private func growSlots() {
        let size = max(64, slots.count * 2)
        slots = [UInt32](repeating: 0, count: size)
        for (index, group) in groups.enumerated() {
            var slot = bytes.withUnsafeBytes { bytes in
                Self.hash(UnsafeRawBufferPointer(rebasing: bytes[group.start..<group.start + Int(group.count)]))
            }
            slot &= size - 1
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    @inline(__always)
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        var hash = UInt64(bytes.count) &* factor
        var offset = 0
        while offset &+ 8 <= bytes.count {
            hash = (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* factor
            hash ^= hash >> 29
            offset &+= 8
        }
        var tail: UInt64 = 0
        while offset < bytes.count {
            tail = tail << 8 | UInt64(bytes[offset])
            offset &+= 1
        }
        hash = (hash ^ tail) &* factor
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0x7FFF_FFFF)
    }

    // MARK: - Taking out

    /// Takes out the net changes of one prefix, ascending and one a key.
    func take(_ prefix: UnsafeRawBufferPointer) -> [ChunkTree.Change]? {
        guard openGroupCount > 0, let index = find(prefix), groups[index].last >= 0 else { return nil }
        return take(index)
    }

    /// Takes out the net changes of all prefixes, ascending by prefix.
    func takeAll() -> ChunkBatch {
        let together = entriesByGroup()
        var order: [(head: UInt64, index: Int, start: Int)] = []
        order.reserveCapacity(openGroupCount)
        var start = 0
        for (index, group) in groups.enumerated() where group.last >= 0 {
            order.append((group.orderedHead, index, start))
            start += Int(group.changeCount)
        }
        bytes.withUnsafeBytes { bytes in
            order.sort { left, right in
                if left.head != right.head { return left.head < right.head }
                return bytesOrder(self.prefix(left.index, bytes), self.prefix(right.index, bytes)) < 0
            }
        }
        var batch = ChunkBatch()
        batch.reserve(changes: together.count)
        bytes.withUnsafeBytes { bytes in
            for (_, index, start) in order {
                for entry in together[start..<start + Int(groups[index].changeCount)] { batch.append(entry.change) }
                batch.end(prefix(index, bytes), isAscending: groups[index].isAscending)
            }
        }
        removeAll()
        return batch
    }

    private func prefix(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let group = groups[index]
        return UnsafeRawBufferPointer(rebasing: bytes[group.start..<group.start + Int(group.count)])
    }

    /// The entries that were not taken out, group by group, in the order made. This is one pass over all of them:
    /// following the chain of each group would miss the cache once an entry.
    private func entriesByGroup() -> [Entry] {
        struct Place {
            var next: Int
            var first: Int32
        }
        var places: [Place] = []
        places.reserveCapacity(groups.count)
        var total = 0
        for group in groups {
            let isOpen = group.last >= 0
            places.append(Place(next: total, first: isOpen ? group.first : .max))
            if isOpen { total += Int(group.changeCount) }
        }
        return [Entry](unsafeUninitializedCapacity: total) { together, count in
            count = total
            entries.withUnsafeBufferPointer { entries in
                places.withUnsafeMutableBufferPointer { places in
                    for (position, entry) in entries.enumerated() where position >= Int(places[entry.group].first) {
                        together.initializeElement(at: places[entry.group].next, to: entry)
                        places[entry.group].next &+= 1
                    }
                }
            }
        }
    }

    private func take(_ index: Int) -> [ChunkTree.Change] {
        let group = groups[index]
        let count = Int(group.changeCount)
        var position = Int(group.last)
        var changes = [ChunkTree.Change](repeating: .init(key: 0, value: 0), count: count)
        for place in (0..<count).reversed() {
            let entry = entries[position]
            changes[place] = entry.change
            position = Int(entry.previous)
        }
        groups[index].last = -1
        openGroupCount -= 1
        if openGroupCount == 0 { entries.removeAll(keepingCapacity: true) }
        return group.isAscending ? changes : Self.folded(changes[...])
    }

    /// The changes in ascending order, those of one key folded into one.
    static func folded(_ changes: ArraySlice<ChunkTree.Change>) -> [ChunkTree.Change] {
        let order = changes.indices.sorted { (changes[$0].key, $0) < (changes[$1].key, $1) }
        var result: [ChunkTree.Change] = []
        result.reserveCapacity(changes.count)
        for index in order {
            let change = changes[index]
            guard let last = result.last, last.key == change.key else {
                result.append(change)
                continue
            }
            if change.isRelative {
                result[result.count - 1].value += change.value
            } else {
                result[result.count - 1] = change
            }
        }
        return result
    }
}

extension ChunkTree.Change {
    init(_ key: Int64, _ kind: PendingChanges.Kind) {
        self.key = key
        switch kind {
        case .present: (value, isRelative) = (1, false)
        case .absent: (value, isRelative) = (0, false)
        case .oneMore: (value, isRelative) = (1, true)
        case .oneLess: (value, isRelative) = (-1, true)
        }
    }
}
