/// What a walk through the trees visits.
enum TreeVisit {
    /// A node, before anything below it. `bound` is a lower bound of the stored keys below it.
    case node(PagePointer, bound: UnsafeRawBufferPointer)
    /// The run of a long key, which the walk has read. The tree is nil when the key is a bound between nodes.
    case keyRun(PagePointer, tree: UInt32?)
    /// The run of a long value, which the walk has not read.
    case valueRun(PagePointer, tree: UInt32, key: UnsafeRawBufferPointer)
    /// A node, or the run of a key, that cannot be read. Nothing below such a node is visited.
    case unreadable(PagePointer, PageKind, bound: UnsafeRawBufferPointer)
    /// A readable node breaks a rule of the format.
    case contradiction(PagePointer, TreeContradiction)
}

enum TreeContradiction: String {
    case order = "its keys are not in order"
    case bounds = "its keys lie outside of the bounds that its parent gives it"
    case heads = "the beginnings of its keys are noted wrongly"
    case count = "it has another number of entries below it than its parent says"
}

extension TreeReader {
    /// Visits all nodes and all runs in order, a node before its children. Checks the rules that a page's checksum and
    /// ``TreeNode/isSound(_:level:)`` do not cover.
    /// - Parameters:
    ///   - lettingGo: the walk is the only reader of the space and releases the nodes it has passed; see
    ///     ``PageSpace/letGo(_:)``.
    ///   - body: returns, for a node, whether to visit what is below it; its other results are ignored.
    func walk<Failure: Error>(
        lettingGo: Bool = false, _ body: (TreeVisit) throws(Failure) -> Bool
    ) throws(Failure) {
        guard !root.isNone else { return }
        let noBound = UnsafeRawBufferPointer(start: nil, count: 0)
        _ = try TreeWalk(space: space, letsGo: lettingGo).visit(root, noBound, nil, body)
    }
}

private struct TreeWalk {
    let space: PageSpace
    let letsGo: Bool

    /// Returns how many entries lie below the node; nil when that is not known.
    func visit<Failure: Error>(
        _ pointer: PagePointer, _ lower: UnsafeRawBufferPointer, _ upper: UnsafeRawBufferPointer?,
        _ body: (TreeVisit) throws(Failure) -> Bool
    ) throws(Failure) -> Int? {
        guard try body(.node(pointer, bound: lower)) else { return nil }
        guard let node = TreeNode.load(pointer, space) else {
            _ = try body(.unreadable(pointer, .tree, bound: lower))
            return nil
        }
        defer { if letsGo { space.letGo(pointer) } }
        guard let keys = try keys(of: node, pointer, lower, body) else { return nil }
        if let contradiction = contradiction(node, keys, lower, upper) {
            _ = try body(.contradiction(pointer, contradiction))
        }
        let count =
            node.level == 0
            ? try visitValues(node, keys, body)
            : try visitChildren(node, keys, lower, upper, body)
        if let count, count != Int(pointer.extent) { _ = try body(.contradiction(pointer, .count)) }
        return count
    }

    /// All keys of a node; nil when one cannot be read. A branch's first key is empty.
    private func keys<Failure: Error>(
        of node: TreeNode, _ pointer: PagePointer, _ lower: UnsafeRawBufferPointer,
        _ body: (TreeVisit) throws(Failure) -> Bool
    ) throws(Failure) -> [UnsafeRawBufferPointer]? {
        var keys: [UnsafeRawBufferPointer] = []
        keys.reserveCapacity(node.count)
        for index in 0..<node.count {
            let slot = node.slot(index)
            let key = slot.key(space)
            if slot.hasLongKey {
                let run = PagePointer.load(from: slot.body + TreeNode.longKeyInlineCount)
                let tree = node.level == 0 ? TreeNode.head(slot.inlineKey, at: 0) : nil
                _ = try body(.keyRun(run, tree: tree))
                if key == nil { _ = try body(.unreadable(run, .run, bound: lower)) }
            }
            guard let key else { return nil }
            keys.append(key)
        }
        return keys
    }

    private func contradiction(
        _ node: TreeNode, _ keys: [UnsafeRawBufferPointer], _ lower: UnsafeRawBufferPointer,
        _ upper: UnsafeRawBufferPointer?
    ) -> TreeContradiction? {
        let first = node.firstKeyed
        guard first < keys.count else { return nil }
        if node.level == 0, bytesOrder(keys[0], lower) < 0 { return .bounds }
        if node.level > 0, bytesOrder(keys[1], lower) <= 0 { return .bounds }
        if let upper, bytesOrder(keys[keys.count - 1], upper) >= 0 { return .bounds }
        for index in first..<keys.count {
            if index > first, bytesOrder(keys[index - 1], keys[index]) >= 0 { return .order }
            let inline = node.slot(index).inlineKey
            let common = TreeAssembly.commonCount(keys[first], keys[index])
            guard common >= node.prefixCount, node.head(index) == TreeNode.head(keys[index], at: node.prefixCount),
                TreeAssembly.commonCount(inline, keys[index]) == inline.count
            else { return .heads }
        }
        return nil
    }

    private func visitValues<Failure: Error>(
        _ node: TreeNode, _ keys: [UnsafeRawBufferPointer], _ body: (TreeVisit) throws(Failure) -> Bool
    ) throws(Failure) -> Int? {
        for (index, key) in keys.enumerated() {
            let slot = node.slot(index)
            guard slot.valueField & TreeNode.longFlag != 0 else { continue }
            let run = PagePointer.load(from: slot.valueStart)
            _ = try body(.valueRun(run, tree: TreeKey.tree(of: key), key: TreeKey.withoutTree(key)))
        }
        return node.count
    }

    private func visitChildren<Failure: Error>(
        _ node: TreeNode, _ keys: [UnsafeRawBufferPointer], _ lower: UnsafeRawBufferPointer,
        _ upper: UnsafeRawBufferPointer?, _ body: (TreeVisit) throws(Failure) -> Bool
    ) throws(Failure) -> Int? {
        var sum: Int? = 0
        for index in 0..<node.count {
            let below = try visit(
                node.child(index), index == 0 ? lower : keys[index], index + 1 < node.count ? keys[index + 1] : upper,
                body)
            sum = if let sum, let below { sum &+ below } else { nil }
        }
        return sum
    }
}
