/// Applies changes to the ordered trees by copy-on-write. One pass from left to right rewrites each touched page once.
struct TreeWriter {
    let space: PageSpace
    let output: any PageOutput
    /// Whether a change to an equal value still rewrites its page, to move it.
    let movesPages: Bool

    init(space: PageSpace, output: any PageOutput, movesPages: Bool = false) {
        self.space = space
        self.output = output
        self.movesPages = movesPages
    }

    /// The root of a tree with the changes.
    ///
    /// Frees the pages and runs of the old tree that are not part of the new one. Changes to equal values leave pages,
    /// and maybe the root, as they are. After an error the output must not be used any more.
    /// - Parameter changes: ascending by tree and key, one a key. Their bytes must stay until the commit is over.
    /// - Complexity: O(touched pages), at least one page for each level; O(k log n) at most for k changes among n
    ///   entries.
    func apply(
        _ changes: [TreeOverlay.Entry], to root: PagePointer
    ) throws(StorageError) -> PagePointer {
        guard !changes.isEmpty else { return root }
        // Typed throws do not pass through `withUnsafeBufferPointer`.
        let result = changes.withUnsafeBufferPointer { changes in
            var update = TreeUpdate(TreeAssembly(space: space, output: output), changes, movesPages: movesPages)
            return Result { () throws(StorageError) in try update.run(root) }
        }
        return try result.get()
    }
}

/// One application of changes.
private struct TreeUpdate {
    private let assembly: TreeAssembly
    private let changes: UnsafeBufferPointer<TreeOverlay.Entry>
    private let movesPages: Bool
    /// Counts the differences from the old pages. A page whose visit counts none is kept.
    private var edits = 0

    init(_ assembly: TreeAssembly, _ changes: UnsafeBufferPointer<TreeOverlay.Entry>, movesPages: Bool) {
        self.assembly = assembly
        self.changes = changes
        self.movesPages = movesPages
    }

    mutating func run(_ root: PagePointer) throws(StorageError) -> PagePointer {
        if root.isNone {
            let leaves = assembly.level(0)
            for change in changes where !change.isRemoval { try insert(change, leaves) }
        } else {
            let entry = assembly.joined(assembly.noBound, root)
            let visit = Visit(first: 0, end: changes.count, followingTree: nil, isRightmost: true)
            if try !update(entry, Int(root.level), visit) { return root }
        }
        return try assembly.finish()
    }

    /// The changes to apply below a page, and what comes after it.
    private struct Visit {
        var first: Int
        var end: Int
        /// The tree of the page's upper bound; nil at the end of all trees.
        var followingTree: UInt32?
        /// Whether no page of its level comes after it.
        var isRightmost: Bool
    }

    /// Gathers the entries of a page with its changes. Returns false when the page does not change and must be kept.
    private mutating func update(
        _ entry: TreeEntry, _ height: Int, _ visit: Visit
    ) throws(StorageError) -> Bool {
        let pointer = entry.child
        let node = try assembly.node(pointer)
        let level = assembly.level(height)
        let editsBefore = edits
        if level.gatheredCount > 0 {
            level.isMerged = true
            edits += 1
        }
        try assembly.open(entry, at: height, level)
        if height == 0 {
            try updateLeaf(node, level, visit)
        } else {
            try updateBranch(node, bound: entry, level, visit)
        }
        guard edits != editsBefore else {
            level.dropGathered()
            return false
        }
        if let tree = visit.followingTree { level.noteFollowing(tree) }
        assembly.output.free(pointer, kind: .tree)
        // At the right edge there is no next page to merge with.
        if !visit.isRightmost { try assembly.endPage(height) }
        return true
    }

    // MARK: - Branches

    private mutating func updateBranch(
        _ node: TreeNode, bound: TreeEntry, _ level: TreeLevel, _ visit: Visit
    ) throws(StorageError) {
        let height = node.level - 1
        let count = node.count
        var index = 0
        var first = visit.first
        while first < visit.end {
            let target = node.childIndex(changes[first].fullKey, from: index, assembly.space)
            try assembly.keep(index..<target, of: node, bound: bound)
            var below = visit
            below.first = first
            if target + 1 < count {
                guard let upper = node.slot(target + 1).key(assembly.space) else { throw assembly.damage() }
                below.end = firstChange(notBelow: upper, after: first, before: visit.end)
                below.followingTree = TreeKey.tree(of: upper)
                below.isRightmost = false
            }
            let entry = try assembly.entry(node, target, bound: bound)
            if try !update(entry, height, below) { try assembly.keep(entry, height) }
            index = target + 1
            first = below.end
        }
        try assembly.keep(index..<count, of: node, bound: bound)
        if !visit.isRightmost { try assembly.flush(height) }
    }

    /// The first change after `first` whose key is not below a bound. The change at `first` is below it.
    private func firstChange(notBelow bound: UnsafeRawBufferPointer, after first: Int, before end: Int) -> Int {
        // Galloping search: steps double, so a near change is found at once and a far one in logarithmic time.
        var low = first + 1
        var step = 1
        while low + step <= end, bytesOrder(changes[low + step - 1].fullKey, bound) < 0 {
            low += step
            step *= 2
        }
        var high = min(low + step - 1, end)
        while low < high {
            let middle = (low + high) / 2
            if bytesOrder(changes[middle].fullKey, bound) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: - Leaves

    private mutating func updateLeaf(
        _ node: TreeNode, _ level: TreeLevel, _ visit: Visit
    ) throws(StorageError) {
        var index = 0
        for number in visit.first..<visit.end {
            let change = changes[number]
            let found = node.position(of: change.fullKey, from: index, assembly.space)
            try gather(node, index..<found.index, level)
            index = found.index
            if found.isMatch {
                try replace(node.slot(index), change, level)
                index += 1
            } else if !change.isRemoval {
                try insert(change, level)
            }
        }
        try gather(node, index..<node.count, level)
    }

    private func gather(_ node: TreeNode, _ slots: Range<Int>, _ level: TreeLevel) throws(StorageError) {
        guard let first = slots.first else { return }
        level.noteFollowing(TreeNode.head(node.slot(first).inlineKey, at: 0))
        try assembly.gather(node, slots, bound: assembly.noBound, 0, level)
    }

    @inline(__always)
    private mutating func insert(_ change: TreeOverlay.Entry, _ level: TreeLevel) throws(StorageError) {
        edits += 1
        try assembly.append(try assembly.entry(change.fullKey, change.value), at: 0, level, isNew: true)
    }

    private mutating func replace(
        _ slot: TreeSlot, _ change: TreeOverlay.Entry, _ level: TreeLevel
    ) throws(StorageError) {
        let valueField = slot.valueField
        let isValueLong = valueField & TreeNode.longFlag != 0
        if !change.isRemoval, !isValueLong, change.value.count == Int(valueField),
            bytesOrder(change.value, UnsafeRawBufferPointer(start: slot.valueStart, count: Int(valueField))) == 0
        {
            // The new value equals the old one.
            if movesPages { edits += 1 }
            let old = try assembly.entry(slot)
            return try assembly.append(old, at: 0, level, isNew: false)
        }
        edits += 1
        if isValueLong { assembly.output.free(PagePointer.load(from: slot.valueStart), kind: .run) }
        guard slot.hasLongKey else {
            if change.isRemoval { return }
            let entry = try assembly.entry(change.fullKey, change.value)
            return try assembly.append(entry, at: 0, level, isNew: false)
        }
        let keyRun = PagePointer.load(from: slot.body + TreeNode.longKeyInlineCount)
        if change.isRemoval { return assembly.output.free(keyRun, kind: .run) }
        let entry = try assembly.composedEntry(change.fullKey, change.value, keyRun: keyRun)
        try assembly.append(entry, at: 0, level, isNew: false)
    }
}
