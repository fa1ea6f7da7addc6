extension PageStorage {
    /// How much one commit moves, so that it neither blocks other writers for long nor needs much memory.
    private static let bytesPerRound = 32 << 20
    private static let roundsMaximum = 10_000

    package func compact() throws(StorageError) {
        guard !file.isReadOnly else { return }
        file.shared.clearDeadProcesses()
        // Pages that the last states freed can be reused once a later state is durable.
        try synchronize()
        var progress = CompactingProgress()
        for _ in 0..<Self.roundsMaximum {
            let ticket = writerLock.takeTicket()
            try writerLock.wait(for: ticket)
            defer { writerLock.release() }
            if file.shared.committing != 0 { try Recovery.takeOver(file) }
            let base = try settled(pageSnapshot())
            let boundary = UInt32(FileHeader.slotCount) + base.header.state.livePages
            let changes = WriteChanges(over: base, path: path)
            var move = PagesBehind(boundary, of: base, limitBytes: Self.bytesPerRound)
            move.collect(into: changes)
            progress.note(move)
            // One more commit cuts off the end of the file.
            let isLast = changes.isEmpty || progress.isOver
            try commitMoved(isLast ? nil : changes, over: base)
            if isLast { return }
        }
    }

    private func commitMoved(_ changes: WriteChanges?, over base: PageSnapshot) throws(StorageError) {
        let view = try file.space.view()
        let committed = try file.commit(
            over: base.header, .durable, carrying: nil, versionStep: 0, isCompacting: true
        ) { output throws(StorageError) in
            guard let changes else { return (base.header.state.trees, base.header.state.directory) }
            return try PageStorage.apply(
                CommitChanges(changes), to: base.header.state, output, movesPages: true)
        }
        _ = finish(committed, .durable, view)
    }
}

/// Decides when the remaining pages cannot move further ahead.
///
/// A long run without a hole of its length ahead moves back and forth, because the room that it leaves can be used only
/// in the round after the next. Compacting ends where the file is shortest.
private struct CompactingProgress {
    private static let roundsInVainMaximum = 2
    /// The limit while others write, when the end may never return to its lowest place.
    private static let roundsInVainLimit = 8

    private var fewestPages = Int.max
    private var lowestEnd = Int.max
    private var lastEnd = Int.max
    private var roundsInVain = 0

    mutating func note(_ move: PagesBehind) {
        let isProgress = move.pagesFound < fewestPages || move.end < lowestEnd
        roundsInVain = isProgress ? 0 : roundsInVain + 1
        fewestPages = min(fewestPages, move.pagesFound)
        lowestEnd = min(lowestEnd, move.end)
        lastEnd = move.end
    }

    var isOver: Bool {
        roundsInVain >= Self.roundsInVainLimit || roundsInVain >= Self.roundsInVainMaximum && lastEnd == lowestEnd
    }
}

/// Finds the pages behind a page of the file, and rewrites their content unchanged, which moves them to free space.
private struct PagesBehind {
    private let boundary: Int
    private let base: PageSnapshot
    private var bytesLeft: Int
    /// How many pages lie behind, with those that are left for the next round.
    private(set) var pagesFound = 0
    /// Where the last of them ends.
    private(set) var end = 0

    init(_ boundary: UInt32, of base: PageSnapshot, limitBytes: Int) {
        self.boundary = Int(boundary)
        self.base = base
        bytesLeft = limitBytes
    }

    mutating func collect(into changes: WriteChanges) {
        collectLeaves(into: changes)
        collectEntries(base.header.state.trees, into: changes, depth: 0)
    }

    private mutating func isBehind(_ pointer: PagePointer, _ kind: PageKind) -> Bool {
        let pieceEnd = Int(pointer.page) + pointer.pageCount(kind)
        guard pieceEnd > boundary else { return false }
        pagesFound += pointer.pageCount(kind)
        end = max(end, pieceEnd)
        return true
    }

    private mutating func collectLeaves(into changes: WriteChanges) {
        // Rewriting any leaf below a node moves the node.
        var mustMoveNext = false
        base.directory.walk { visit in
            switch visit {
            case .node(let pointer, _):
                if isBehind(pointer, .directory) { mustMoveNext = true }
            case .leaf(let place, let pointer):
                guard isBehind(pointer, .run) || mustMoveNext, bytesLeft > 0 else { break }
                mustMoveNext = false
                guard let bytes = base.leaf(column: place.column, number: place.number) else { break }
                changes.replaceLeaf(column: place.column, number: place.number, bytes)
                bytesLeft -= bytes.count
            case .unsound: break
            }
            return true
        }
    }

    /// Rewrites one entry below each node that must move, and every entry whose own run must move.
    private mutating func collectEntries(_ pointer: PagePointer, into changes: WriteChanges, depth: Int) {
        guard !pointer.isNone, depth <= Int(TreeNode.levelMaximum),
            let node = TreeNode.load(pointer, base.space)
        else { return }
        if node.level > 0 {
            for index in 0..<node.count { collectEntries(node.child(index), into: changes, depth: depth + 1) }
            if isBehind(pointer, .tree) { rewriteFirst(below: node, into: changes) }
            return
        }
        if isBehind(pointer, .tree) { rewrite(node.slot(0), into: changes) }
        for index in 0..<node.count {
            let slot = node.slot(index)
            guard slot.valueField & TreeNode.longFlag != 0,
                isBehind(PagePointer.load(from: slot.valueStart), .run)
            else { continue }
            rewrite(slot, into: changes)
        }
    }

    private mutating func rewriteFirst(below node: TreeNode, into changes: WriteChanges) {
        var node = node
        while node.level > 0 {
            guard let child = TreeNode.load(node.child(0), base.space) else { return }
            node = child
        }
        rewrite(node.slot(0), into: changes)
    }

    private mutating func rewrite(_ slot: TreeSlot, into changes: WriteChanges) {
        guard bytesLeft > 0, let key = slot.key(base.space), key.count >= 4,
            let value = slot.value(base.space)
        else { return }
        let tree = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
        changes.put(tree: tree, key: UnsafeRawBufferPointer(rebasing: key[4...]), value: value)
        bytesLeft -= Pages.sizeBytes + value.count
    }
}
