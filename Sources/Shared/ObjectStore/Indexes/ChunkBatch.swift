/// Changes of many prefixes that enter a ``ChunkTree`` together. Prefixes ascend, and so do the keys of each, with at most
/// one change for a key.
///
/// All of them lie in two arrays. A write that links a million objects has a million prefixes of one change each, and
/// an array for each would take longer than entering it.
struct ChunkBatch {
    private(set) var prefixes: [UInt8] = []
    private(set) var changes: [ChunkTree.Change] = []
    private var ends: [(prefix: Int, changes: Int)] = []

    init() {}

    init(_ prefix: [UInt8], _ changes: [ChunkTree.Change]) {
        prefixes = prefix
        self.changes = changes
        ends = [(prefix.count, changes.count)]
    }

    var count: Int { ends.count }
    var isEmpty: Bool { ends.isEmpty }

    func prefix(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1].prefix)..<ends[index].prefix }

    func changes(_ index: Int) -> ArraySlice<ChunkTree.Change> {
        changes[(index == 0 ? 0 : ends[index - 1].changes)..<ends[index].changes]
    }

    mutating func reserve(changes count: Int) {
        changes.reserveCapacity(count)
    }

    /// Adds a change of the prefix that the next ``end(_:isAscending:)`` names.
    mutating func append(_ change: ChunkTree.Change) {
        changes.append(change)
    }

    /// Ends the changes of a prefix, which were appended since the last one ended. If `isAscending` is false they may be
    /// in any order, with several of one key; these are folded in the order made.
    mutating func end(_ prefix: UnsafeRawBufferPointer, isAscending: Bool) {
        if !isAscending {
            let start = ends.last?.changes ?? 0
            let folded = PendingChanges.folded(changes[start...])
            changes.replaceSubrange(start..., with: folded)
        }
        prefixes.append(contentsOf: prefix)
        ends.append((prefixes.count, changes.count))
    }
}
