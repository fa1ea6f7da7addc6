/// Applies changes to a directory. Writes every node that changes once, and no other.
struct LeafDirectoryWriter {
    /// A leaf's run, already in the output; nil removes the leaf.
    typealias Change = (place: LeafPlace, run: PagePointer?)

    private let space: PageSpace
    private let output: any PageOutput

    init(space: PageSpace, output: any PageOutput) {
        self.space = space
        self.output = output
    }

    /// - Parameter changes: ascending, at most one for a place.
    /// - Returns: the new root. Nodes and runs that it no longer contains are freed.
    func apply(_ changes: [Change], to root: PagePointer) throws(StorageError) -> PagePointer {
        try DirectoryRebuild(space: space, output: output, changes: changes)
            .root(.columns, root, changes.indices)
    }
}

private struct DirectoryRebuild {
    let space: PageSpace
    let output: any PageOutput
    let changes: [LeafDirectoryWriter.Change]

    /// Rebuilds the whole tree of a half, and makes it as low as its content allows.
    func root(_ half: DirectoryHalf, _ old: PagePointer, _ part: Range<Int>) throws(StorageError) -> PagePointer {
        guard half.canBeRoot(old) else { throw space.directoryIsUnsound(old) }
        var height = half.height(of: old)
        if let last = part.last(where: { changes[$0].run != nil }) {
            height = max(height, DirectoryHalf.height(for: half.index(changes[last].place)))
        }
        // Changes beyond this height remove leaves that do not exist.
        let end = part.partitioningIndex { DirectoryHalf.height(for: half.index(changes[$0].place)) > height }
        return try tree(half, old, height: height, part.lowerBound..<end, isRoot: true)
    }

    /// Rebuilds a tree of at most this height with a part of the changes. Returns a tree of exactly this height; for a
    /// root, one as low as its content allows. Returns `none` when it is empty.
    private func tree(
        _ half: DirectoryHalf, _ old: PagePointer, height: Int, _ part: Range<Int>, isRoot: Bool
    ) throws(StorageError) -> PagePointer {
        if part.isEmpty, !isRoot, old.isNone || half.height(of: old) == height { return old }
        guard height > 0 else {
            return half == .columns ? try root(.numbers, old, part) : replacement(of: old, part)
        }
        let children = try DirectoryChildren(of: old, half, height: height, space: space)
        var replaced: [(slot: Int, child: PagePointer)] = []
        let parts = self.parts(half, height: height, part)
        for (slot, part) in parts where slot != 0 {
            let child = try tree(half, children[slot], height: height - 1, part, isRoot: false)
            if child != children[slot] { replaced.append((slot, child)) }
        }
        // Slot 0 comes last: when no other slot is left, its child becomes the root.
        let first = parts.first.flatMap { $0.slot == 0 ? $0.part : nil } ?? part.lowerBound..<part.lowerBound
        if isRoot, !hasOthers(children, replaced) {
            if children.node != nil { output.free(old, kind: .directory) }
            return try tree(half, children[0], height: height - 1, first, isRoot: true)
        }
        let child = try tree(half, children[0], height: height - 1, first, isRoot: false)
        if child != children[0] { replaced.append((0, child)) }
        return try node(old, children, replaced, level: half.level(atHeight: height))
    }

    /// Rewrites a node if anything below it changed.
    private func node(
        _ old: PagePointer, _ children: DirectoryChildren, _ replaced: [(slot: Int, child: PagePointer)], level: UInt8
    ) throws(StorageError) -> PagePointer {
        if replaced.isEmpty, children.node != nil || old.isNone { return old }
        if children.node != nil { output.free(old, kind: .directory) }
        var slots = DirectorySlots(children)
        for (slot, child) in replaced { slots.set(slot, to: child) }
        return try slots.finish(into: output, level: level)
    }

    private func hasOthers(_ children: DirectoryChildren, _ replaced: [(slot: Int, child: PagePointer)]) -> Bool {
        var replaced = replaced[...]
        for slot in 1..<DirectoryNode.slotCount {
            var child = children[slot]
            if let first = replaced.first, first.slot == slot {
                child = first.child
                replaced.removeFirst()
            }
            if !child.isNone { return true }
        }
        return false
    }

    private func replacement(of old: PagePointer, _ part: Range<Int>) -> PagePointer {
        guard let change = part.last else { return old }
        if !old.isNone { output.free(old, kind: .run) }
        return changes[change].run ?? .none
    }

    /// The changes below each slot of a node.
    private func parts(_ half: DirectoryHalf, height: Int, _ part: Range<Int>) -> [(slot: Int, part: Range<Int>)] {
        var parts: [(slot: Int, part: Range<Int>)] = []
        var start = part.lowerBound
        while start < part.upperBound {
            let slot = DirectoryNode.slot(of: half.index(changes[start].place), atHeight: height)
            var end = start + 1
            while end < part.upperBound,
                DirectoryNode.slot(of: half.index(changes[end].place), atHeight: height) == slot
            {
                end += 1
            }
            parts.append((slot, start..<end))
            start = end
        }
        return parts
    }
}

extension Range<Int> {
    /// The first position at which a condition holds that, once true, stays true.
    fileprivate func partitioningIndex(_ belongsBehind: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if belongsBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
