/// The entries that wait to become pages, at one height of a tree being made.
///
/// They have two parts. *Held* entries are enough for a page and wait in case the page right of them is underfull and
/// must be merged with them. Behind them, entries are *gathered* for the page being made.
final class TreeLevel {
    /// Below this a page is merged with a neighbour.
    static let costMinimum = TreeNode.capacity / 4
    /// A page with entries of several old pages is closed at this, so that a merged page is well filled.
    static let mergedCostMinimum = TreeNode.capacity * 5 / 8
    /// When more than this is gathered, full pages are made of it.
    static let costMaximum = TreeNode.capacity * 2
    /// At most three pages of the smallest entries, and one from a neighbour, wait at once.
    private static let entryMaximum = 4 * TreeNode.capacity / TreeField.entryCost(bodyCount: TreeKey.treeByteCount) + 2

    /// Most levels of most commits have few entries, so the capacity grows on demand.
    private static let firstCapacity = 64
    // Nothing here calls out, so accesses never overlap; checking them costs more than gathering an entry.
    @exclusivity(unchecked) private(set) var entries = UnsafeMutablePointer<TreeEntry>.allocate(capacity: firstCapacity)
    @exclusivity(unchecked) private var capacity = firstCapacity
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var heldCount = 0
    /// The bytes that the gathered entries take in a page.
    @exclusivity(unchecked) private(set) var cost = 0
    @exclusivity(unchecked) private(set) var heldCost = 0

    /// On the level of leaves, the lower bounds of the gathered and of the held entries. A branch's is its first key.
    @exclusivity(unchecked) var bound: TreeEntry?
    @exclusivity(unchecked) var heldBound: TreeEntry?
    /// Whether the gathered entries come from more than one old page.
    @exclusivity(unchecked) var isMerged = false

    /// Where the last new entry ends (-1: there is none), and its tree.
    @exclusivity(unchecked) private var newEnd = -1
    @exclusivity(unchecked) private var newTree: UInt32 = 0
    @exclusivity(unchecked) private var isNewFollowed = false

    deinit {
        entries.deallocate()
    }

    var gatheredCount: Int { count &- heldCount }

    /// Whether to merge with a neighbour. Not when appending to the end of a tree: more entries will follow there.
    var isUnderfull: Bool { gatheredCount > 0 && cost < Self.costMinimum && !isAppending }

    // MARK: - Gathering

    @inline(__always)
    func append(_ entry: TreeEntry) {
        if count == capacity { grow() }
        entries[count] = entry
        count &+= 1
        cost &+= entry.cost
    }

    @inline(never)
    private func grow() {
        precondition(capacity < Self.entryMaximum, "entries wait for at most four pages")
        capacity = min(4 * capacity, Self.entryMaximum)
        let larger = UnsafeMutablePointer<TreeEntry>.allocate(capacity: capacity)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
    }

    /// Notes that the last entry is new.
    @inline(__always)
    func noteNew() {
        newEnd = count
        newTree = TreeKey.tree(of: entries[count &- 1].key)
    }

    /// Notes that an old entry, or the bound of the page on the right, comes next.
    @inline(__always)
    func noteFollowing(_ tree: UInt32) {
        if newEnd == count, tree == newTree { isNewFollowed = true }
    }

    /// Whether new entries came only behind all other entries of their tree.
    var isAppending: Bool { newEnd >= 0 && !isNewFollowed }

    func removeLast() -> TreeEntry {
        count -= 1
        cost -= entries[count].cost
        return entries[count]
    }

    /// Forgets the gathered entries.
    func dropGathered() {
        count = heldCount
        startGathering()
    }

    private func startGathering() {
        cost = 0
        bound = nil
        isMerged = false
        newEnd = -1
        isNewFollowed = false
    }

    // MARK: - Holding

    /// Holds the gathered entries. Nothing may be held before the call.
    func hold() {
        heldCount = count
        heldCost = cost
        heldBound = bound
        startGathering()
    }

    /// Joins the held entries to the gathered ones.
    func joinHeld() {
        cost += heldCost
        bound = heldBound
        heldCount = 0
        heldCost = 0
        heldBound = nil
        isMerged = true
    }

    // MARK: - Dividing

    /// How many gathered entries the next page takes: all, if they fit into one page. Nothing may be held.
    func nextPageCount() -> Int {
        guard cost > TreeNode.capacity else { return count }
        let isFilling = isAppending || cost > Self.costMaximum
        let pages = (cost + TreeNode.capacity - 1) / TreeNode.capacity
        let target = isFilling ? TreeNode.capacity : cost / pages
        var taken = 0
        var takenCost = 0
        while taken < count, takenCost < target {
            // New entries at the end of a tree end their page, which leaves room for the next ones.
            if isAppending, taken == newEnd, taken > 0 { break }
            let next = takenCost + entries[taken].cost
            if next > TreeNode.capacity { break }
            takenCost = next
            taken += 1
        }
        return taken
    }

    /// Forgets the first entries, which became a page: all held ones, or else the first gathered ones.
    func removeFirst(_ removed: Int) {
        if heldCount > 0 {
            heldCount = 0
            heldCost = 0
            heldBound = nil
        } else {
            for index in 0..<removed { cost -= entries[index].cost }
        }
        count -= removed
        entries.update(from: entries + removed, count: count)
        newEnd = newEnd > removed ? newEnd - removed : -1
        if count == 0 { startGathering() }
    }
}
