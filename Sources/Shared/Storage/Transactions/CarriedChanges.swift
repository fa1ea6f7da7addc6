/// Changes that the header of a state carries, so that a small commit writes its header and no page. They lie over what
/// the state's pages say, as the changes of a transaction lie over its snapshot.
///
/// Immutable, so any thread may read. All bytes that it hands out are valid as long as it lives.
///
///     0  2  leaves
///     2  2  changes of trees
///     for each leaf, ascending:
///         4 column, 4 number, 2 length or 0xFFFF for a removal, the bytes
///     for each change of a tree, ascending:
///         2 length of tree number and key, 2 length of the value or 0xFFFF for a removal, tree number, key, value
final class CarriedChanges: Sendable {
    struct Leaf {
        let place: LeafPlace
        /// Nil for a removal. Begins at a multiple of 16.
        let bytes: UnsafeRawBufferPointer?
    }

    private struct Tree {
        let number: UInt32
        /// Its changes among all.
        let range: Range<Int>
    }

    private static let countsBytes = 4
    private static let leafBytes = 10
    private static let entryBytes = 4
    private static let removal = UInt16.max

    // nonisolated(unsafe): never written, and the memory that they point to is not written after `init`.
    nonisolated(unsafe) let leaves: [Leaf]
    nonisolated(unsafe) let entries: [TreeOverlay.Entry]
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer
    private let trees: [Tree]
    /// How many bytes they take in a header.
    let byteCount: Int

    /// Copies changes. Both lists ascend, and have one change of each leaf and key.
    init(_ changes: CommitChanges) {
        let leafBytes = changes.leaves.reduce(0) { $0 + Self.alignedCount($1.bytes?.count ?? 0) }
        let entryBytes = changes.entries.reduce(0) { $0 + $1.fullKey.count + $1.value.count }
        memory = .allocate(byteCount: max(leafBytes + entryBytes, 1), alignment: 16)
        byteCount = Self.byteCount(changes)
        var free = memory
        leaves = changes.leaves.map { leaf in
            guard let bytes = leaf.bytes else { return Leaf(place: leaf.place, bytes: nil) }
            let start = free
            if let base = bytes.baseAddress { start.copyMemory(from: base, byteCount: bytes.count) }
            free += Self.alignedCount(bytes.count)
            return Leaf(place: leaf.place, bytes: UnsafeRawBufferPointer(start: start, count: bytes.count))
        }
        entries = changes.entries.map { entry in
            let (start, count) = (free, entry.fullKey.count + entry.value.count)
            start.copyMemory(from: entry.start, byteCount: count)
            free += count
            return entry.moved(to: start)
        }
        trees = Self.trees(entries)
    }

    deinit {
        memory.deallocate()
    }

    private static func alignedCount(_ count: Int) -> Int { (count + 15) / 16 * 16 }

    private static func trees(_ entries: [TreeOverlay.Entry]) -> [Tree] {
        var trees: [Tree] = []
        var first = 0
        while first < entries.count {
            let number = entries[first].tree
            let end = entries[first...].firstIndex { $0.tree != number } ?? entries.count
            trees.append(Tree(number: number, range: first..<end))
            first = end
        }
        return trees
    }

    // MARK: - Reading

    /// The change of a leaf; nil when there is none.
    func leaf(_ place: LeafPlace) -> Leaf? { leaves.first { $0.place == place } }

    /// The change of a key; nil when there is none.
    func change(tree: UInt32, key: UnsafeRawBufferPointer) -> TreeOverlay.Entry? {
        guard let range = range(of: tree) else { return nil }
        let place = position(of: key, in: range)
        guard place < range.upperBound, bytesOrder(entries[place].key, key) == 0 else { return nil }
        return entries[place]
    }

    /// The changes in a range of a tree; nil when there are none in the tree.
    func cursor(
        tree: UInt32, from: UnsafeRawBufferPointer, upTo: UnsafeRawBufferPointer?, reversed: Bool
    ) -> OverlayCursor? {
        guard let range = range(of: tree) else { return nil }
        let start = position(of: from, in: range)
        let end = upTo.map { position(of: $0, in: range) } ?? range.upperBound
        return OverlayCursor(runs: [start < end ? entries[start..<end] : []], reversed: reversed)
    }

    private func range(of tree: UInt32) -> Range<Int>? { trees.first { $0.number == tree }?.range }

    /// The first change of a tree that is not below a key.
    private func position(of key: UnsafeRawBufferPointer, in range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if bytesOrder(entries[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: - Bytes

    /// How many bytes changes take in a header. Those that do not fit into its fields take more than any header has.
    static func byteCount(_ changes: CommitChanges) -> Int {
        countsBytes + changes.leaves.reduce(0) { $0 + leafBytes + ($1.bytes?.count ?? 0) }
            + byteCount(changes.entries)
    }

    static func byteCount(_ entries: [TreeOverlay.Entry]) -> Int {
        entries.reduce(0) { $0 + entryBytes + $1.fullKey.count + $1.value.count }
    }

    /// - Parameter start: has room for ``byteCount``.
    func encode(to start: UnsafeMutableRawPointer) {
        var writer = ByteCursor(start)
        writer.put(UInt16(leaves.count))
        writer.put(UInt16(entries.count))
        for leaf in leaves {
            writer.put(leaf.place.column)
            writer.put(leaf.place.number)
            writer.put(leaf.bytes.map { UInt16($0.count) } ?? Self.removal)
            if let bytes = leaf.bytes { writer.put(bytes) }
        }
        for entry in entries {
            writer.put(UInt16(entry.fullKey.count))
            writer.put(entry.isRemoval ? Self.removal : UInt16(entry.value.count))
            writer.put(entry.fullKey)
            writer.put(entry.value)
        }
    }

    /// Nil when the bytes contradict themselves.
    convenience init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = CarriedReader(bytes)
        guard let leafCount: UInt16 = reader.take(), let entryCount: UInt16 = reader.take() else { return nil }
        var changes = CommitChanges()
        for _ in 0..<leafCount {
            guard let column: UInt32 = reader.take(), let number: UInt32 = reader.take(),
                let count: UInt16 = reader.take()
            else { return nil }
            let place = LeafPlace(column: column, number: number)
            if let last = changes.leaves.last, last.place >= place { return nil }
            guard count != Self.removal else {
                changes.leaves.append((place, nil))
                continue
            }
            guard let bytes = reader.take(count: Int(count)) else { return nil }
            changes.leaves.append((place, bytes))
        }
        for _ in 0..<entryCount {
            guard let keyCount: UInt16 = reader.take(), let valueCount: UInt16 = reader.take(), keyCount >= 4,
                let key = reader.take(count: Int(keyCount)),
                let value = reader.take(count: valueCount == Self.removal ? 0 : Int(valueCount)),
                let start = key.baseAddress
            else { return nil }
            let entry = TreeOverlay.Entry(
                start: start, keyCount: key.count - 4,
                valueCount: valueCount == Self.removal ? nil : value.count, sequence: 0)
            if let last = changes.entries.last, TreeOverlay.Entry.orderAcrossTrees(last, entry) >= 0 { return nil }
            changes.entries.append(entry)
        }
        guard reader.isAtEnd else { return nil }
        self.init(changes)
    }
}

/// Reads fields one after the other, as long as there are bytes.
private struct CarriedReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take<Number: FixedWidthInteger>() -> Number? {
        guard let bytes = take(count: MemoryLayout<Number>.size) else { return nil }
        return Number(littleEndian: bytes.loadUnaligned(as: Number.self))
    }

    mutating func take(count: Int) -> UnsafeRawBufferPointer? {
        guard count <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}
