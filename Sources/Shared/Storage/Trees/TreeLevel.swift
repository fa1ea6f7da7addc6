/// The entries that wait, at one height of a tree being made, to become pages.
///
/// They are in two parts: entries *held* are enough for a page and wait only in case their right neighbour turns out
/// to need company; behind them, entries are *gathered* for the page being made.
final class TreeLevel {
    /// Below this a page is merged with a neighbour.
    static let costMinimum = TreeNode.capacity / 4
    /// A page that has entries of several old pages is closed at this; merging has room to be worth it.
    static let mergedCostMinimum = TreeNode.capacity * 5 / 8
    /// When more is gathered, full pages are made of it.
    static let costMaximum = TreeNode.capacity * 2
    /// Three pages of the smallest entries, and one to come from a neighbour: more never waits.
    private static let entryMaximum = 4 * TreeNode.capacity / TreeField.entryCost(bodyCount: TreeKey.treeByteCount) + 2

    /// Most levels of most commits have a few entries, so the room grows with them.
    private static let firstCapacity = 64
    // Nothing here calls out, so accesses never overlap; checking them costs more than gathering an entry.
    @exclusivity(unchecked) private(set) var entries = UnsafeMutablePointer<TreeEntry>.allocate(capacity: firstCapacity)
    @exclusivity(unchecked) private var capacity = firstCapacity
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var heldCount = 0
    /// What the gathered entries take of a page.
    @exclusivity(unchecked) private(set) var cost = 0
    @exclusivity(unchecked) private(set) var heldCost = 0

    /// Of leaves: the lower bounds of what is gathered and of what is held. A branch's is its first entry's key.
    @exclusivity(unchecked) var bound: TreeEntry?
    @exclusivity(unchecked) var heldBound: TreeEntry?
    /// Whether what is gathered comes from more than one old page.
    @exclusivity(unchecked) var isMerged = false

    /// Where the newest gathered entries end, and the tree of the last of them; -1 when there are none.
    @exclusivity(unchecked) private var newEnd = -1
    @exclusivity(unchecked) private var newTree: UInt32 = 0
    @exclusivity(unchecked) private var isNewFollowed = false

    deinit {
        entries.deallocate()
    }

    var gatheredCount: Int { count &- heldCount }

    /// Whether to look for a neighbour. What is appended to the end of a tree will be followed by more of it.
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

    /// Notes that an old entry, or the bound of what lies right of here, comes next.
    @inline(__always)
    func noteFollowing(_ tree: UInt32) {
        if newEnd == count, tree == newTree { isNewFollowed = true }
    }

    /// Whether new entries came behind all others of their tree, and nowhere else.
    var isAppending: Bool { newEnd >= 0 && !isNewFollowed }

    func removeLast() -> TreeEntry {
        count -= 1
        cost -= entries[count].cost
        return entries[count]
    }

    /// Forgets what is gathered.
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

    /// Holds what is gathered. Nothing is held before.
    func hold() {
        heldCount = count
        heldCost = cost
        heldBound = bound
        startGathering()
    }

    /// Gathers what is held together with what is gathered.
    func joinHeld() {
        cost += heldCost
        bound = heldBound
        heldCount = 0
        heldCost = 0
        heldBound = nil
        isMerged = true
    }

    // MARK: - Dividing

    /// How many gathered entries the next page should take, when they are too many for one. Nothing is held.
    func nextPageCount() -> Int {
        guard cost > TreeNode.capacity else { return count }
        let isFilling = isAppending || cost > Self.costMaximum
        let pages = (cost + TreeNode.capacity - 1) / TreeNode.capacity
        let target = isFilling ? TreeNode.capacity : cost / pages
        var taken = 0
        var takenCost = 0
        while taken < count, takenCost < target {
            // New entries at the end of a tree end their page: the next ones will find room there.
            if isAppending, taken == newEnd, taken > 0 { break }
            let next = takenCost + entries[taken].cost
            if next > TreeNode.capacity { break }
            takenCost = next
            taken += 1
        }
        return taken
    }

    /// Forgets the first entries, which became a page: all that is held, or else the first that are gathered.
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
