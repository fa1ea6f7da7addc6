/// The changes of one write transaction in memory, over the state it began on. Reads see the changes first, and
/// `commit` gets them in the order in which a file needs them.
///
/// It works over any store: it knows what changed, not where the store puts it. Like the transaction, it may be used by
/// one thread at a time.
package final class WriteChanges {
    /// The longest value or leaf.
    package static let maximumValueBytes = Int(Int32.max)

    private let base: any StorageReader
    private let path: String
    private let longestKeyBytes: Int
    private let arena = ByteArena()
    private var trees: [UInt32: TreeOverlay] = [:]
    /// The trees changed last, by the low bits of their numbers: bulk writing changes the few trees of one class in
    /// turn. Only `overlay` reads and replaces it, so accesses never overlap.
    @exclusivity(unchecked) private var recent = [TreeOverlay?](repeating: nil, count: 16)
    private var leaves: [LeafPlace: UnsafeRawBufferPointer?] = [:]

    /// Why these changes must not be committed: one of them was too large to be kept, so the others are incomplete.
    package private(set) var refusal: StorageError?

    /// - Parameters:
    ///   - base: the state below. The changes retain it.
    ///   - path: the path to name in a refusal.
    package init(over base: any StorageReader, path: String, longestKeyBytes: Int = maximumKeyBytes) {
        self.base = base
        self.path = path
        self.longestKeyBytes = longestKeyBytes
    }

    package var isEmpty: Bool { trees.isEmpty && leaves.isEmpty }

    /// The bytes that the changes take in memory, and about what they will take in the file.
    package var usedBytes: Int { arena.usedBytes }

    // MARK: - Changing

    package func put(tree: UInt32, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard accepts(keyBytes: key.count, valueBytes: value.count) else { return }
        overlay(tree).put(key, value)
    }

    package func remove(tree: UInt32, key: UnsafeRawBufferPointer) {
        guard accepts(keyBytes: key.count, valueBytes: 0) else { return }
        overlay(tree).remove(key)
    }

    package func replaceLeaf(column: UInt32, number: UInt32, _ bytes: UnsafeRawBufferPointer) {
        guard accepts(keyBytes: 0, valueBytes: bytes.count) else { return }
        leaves[LeafPlace(column: column, number: number)] = .some(arena.copyAligned(bytes))
    }

    package func removeLeaf(column: UInt32, number: UInt32) {
        leaves[LeafPlace(column: column, number: number)] = .some(nil)
    }

    private func overlay(_ tree: UInt32) -> TreeOverlay {
        let place = Int(tree & 15)
        if let known = recent[place], known.tree == tree { return known }
        let overlay = trees[tree] ?? TreeOverlay(tree: tree, arena: arena)
        trees[tree] = overlay
        recent[place] = overlay
        return overlay
    }

    @inline(__always)
    private func accepts(keyBytes: Int, valueBytes: Int) -> Bool {
        if keyBytes <= longestKeyBytes, valueBytes <= Self.maximumValueBytes { return true }
        refuse(isKey: keyBytes > longestKeyBytes)
        return false
    }

    private func refuse(isKey: Bool) {
        let message =
            isKey
            ? "Cannot write a tree: a key has more than \(longestKeyBytes) bytes. Use a shorter key."
            : "Cannot write a value: it has more than \(Self.maximumValueBytes) bytes. Split it into smaller ones."
        refusal = refusal ?? StorageError(.keyTooLong, message, path: path)
    }

    // MARK: - Reading

    package func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        if let change = leaves[LeafPlace(column: column, number: number)] { return change }
        return base.leaf(column: column, number: number)
    }

    package func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if let change = trees[tree]?.change(of: key) { return change.isRemoval ? nil : change.value }
        return base.get(tree: tree, key: key)
    }

    /// - Complexity: O(log n) for the state below, and O(log n) for every change in the range.
    package func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int {
        let count = base.count(tree: tree, from: from, upTo: upTo)
        guard let overlay = trees[tree], !overlay.isEmpty else { return count }
        var cursor = cursor(overlay, from: from, upTo: upTo, reversed: false)
        return count + cursor.difference { key in count > 0 && base.get(tree: tree, key: key) != nil }
    }

    package func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        guard let overlay = trees[tree], !overlay.isEmpty else {
            base.scan(tree: tree, from: from, upTo: upTo, reversed: reversed, body)
            return
        }
        var cursor = cursor(overlay, from: from, upTo: upTo, reversed: reversed)
        cursor.visit(over: ReaderScan(reader: base, tree: tree, from: from, upTo: upTo, reversed: reversed), body)
    }

    private func cursor(_ overlay: TreeOverlay, from: [UInt8], upTo: [UInt8]?, reversed: Bool) -> OverlayCursor {
        from.withUnsafeBytes { from in
            guard let upTo else { return overlay.cursor(from: from, upTo: nil, reversed: reversed) }
            return upTo.withUnsafeBytes { overlay.cursor(from: from, upTo: $0, reversed: reversed) }
        }
    }

    // MARK: - What a commit writes

    /// The newest change of every key, ascending by tree and key. The bytes are valid as long as this object lives.
    package func sortedTreeChanges() -> [TreeOverlay.Entry] {
        // A transaction that changes only one tree needs no copy.
        guard trees.count > 1 else { return trees.first?.value.sorted() ?? [] }
        var changes: [TreeOverlay.Entry] = []
        changes.reserveCapacity(trees.values.reduce(0) { $0 + $1.count })
        for overlay in sortedOverlays { changes += overlay.sorted() }
        return changes
    }

    private var sortedOverlays: [TreeOverlay] { trees.values.sorted { $0.tree < $1.tree } }

    /// The changes of leaves, ascending; nil bytes are a removal. Bytes begin at a multiple of 16 and are valid as long
    /// as this object lives.
    package func sortedLeafChanges() -> [(place: LeafPlace, bytes: UnsafeRawBufferPointer?)] {
        leaves.map { (place: $0.key, bytes: $0.value) }.sorted { $0.place < $1.place }
    }
}

private struct ReaderScan: ScanBelow {
    let reader: any StorageReader
    let tree: UInt32
    let from: [UInt8]
    let upTo: [UInt8]?
    let reversed: Bool

    func visit(_ body: (UnsafeRawBufferPointer, () -> UnsafeRawBufferPointer?) -> Bool) {
        reader.scan(tree: tree, from: from, upTo: upTo, reversed: reversed) { key, value in body(key) { value } }
    }
}
