// A range of keys is a range of children. Only the first child is compared with the lower bound, and only the last
// with the upper one. For all others, scanning and counting pass nil as the bound.

extension TreeReader {
    /// Passes the entries of a tree from `from` up to, not including, `upTo` to `body`, until it returns false.
    func scan(
        tree: UInt32, from: UnsafeRawBufferPointer, upTo: UnsafeRawBufferPointer?, reversed: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        scanSlots(tree: tree, from: from, upTo: upTo, reversed: reversed) { handOut($0, body) }
    }

    /// The same with the slots of the entries: long values are not read.
    func scanSlots(
        tree: UInt32, from: UnsafeRawBufferPointer, upTo: UnsafeRawBufferPointer?, reversed: Bool,
        _ body: (TreeSlot) -> Bool
    ) {
        guard !root.isNone else { return }
        TreeKey.withRange(tree, from, upTo) { lower, upper in
            if let upper, bytesOrder(lower, upper) >= 0 { return }
            _ = reversed ? backwards(root, lower, upper, body) : forwards(root, lower, upper, body)
        }
    }

    /// Passes the entries of all trees to `body`, until it returns false.
    func scanAll(_ body: (_ tree: UInt32, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool) {
        guard !root.isNone else { return }
        _ = forwards(root, nil, nil) { slot in
            handOut(slot) { key, value in
                // The tree number lies before the key, in pages and in runs alike.
                let tree = key.baseAddress.map { ($0 - TreeKey.treeByteCount).loadUnaligned(as: UInt32.self) } ?? 0
                return body(UInt32(bigEndian: tree), key, value)
            }
        }
    }

    /// Returns false when `body` has stopped the scan.
    private func forwards(
        _ pointer: PagePointer, _ lower: UnsafeRawBufferPointer?, _ upper: UnsafeRawBufferPointer?,
        _ body: (TreeSlot) -> Bool
    ) -> Bool {
        guard let node = TreeNode.load(pointer, space) else { return true }
        var (index, last) = node.range(lower, upper, space)
        if node.level == 0 {
            while index < last {
                if !body(node.slot(index)) { return false }
                index &+= 1
            }
            return true
        }
        var lower = lower
        while index <= last {
            if !forwards(node.child(index), lower, index == last ? upper : nil, body) { return false }
            lower = nil
            index &+= 1
        }
        return true
    }

    private func backwards(
        _ pointer: PagePointer, _ lower: UnsafeRawBufferPointer?, _ upper: UnsafeRawBufferPointer?,
        _ body: (TreeSlot) -> Bool
    ) -> Bool {
        guard let node = TreeNode.load(pointer, space) else { return true }
        let (first, last) = node.range(lower, upper, space)
        var index = last
        if node.level == 0 {
            while index > first {
                index &-= 1
                if !body(node.slot(index)) { return false }
            }
            return true
        }
        var upper = upper
        while index >= first {
            if !backwards(node.child(index), index == first ? lower : nil, upper, body) { return false }
            upper = nil
            index &-= 1
        }
        return true
    }

    @inline(__always)
    private func handOut(
        _ slot: TreeSlot, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard let key = slot.key(space), let value = slot.value(space) else { return true }
        return body(TreeKey.withoutTree(key), value)
    }

    // MARK: - Counting

    /// How many keys of a tree lie from `from` up to, not including, `upTo`.
    /// - Complexity: O(log n).
    func count(tree: UInt32, from: UnsafeRawBufferPointer, upTo: UnsafeRawBufferPointer?) -> Int {
        guard !root.isNone else { return 0 }
        return TreeKey.withRange(tree, from, upTo) { lower, upper in
            if let upper, bytesOrder(lower, upper) >= 0 { return 0 }
            return count(root, lower, upper)
        }
    }

    private func count(
        _ pointer: PagePointer, _ lower: UnsafeRawBufferPointer?, _ upper: UnsafeRawBufferPointer?
    ) -> Int {
        if lower == nil, upper == nil { return Int(pointer.extent) }
        guard let node = TreeNode.load(pointer, space) else { return 0 }
        let (first, last) = node.range(lower, upper, space)
        guard node.level > 0 else { return max(0, last &- first) }
        guard first < last else { return first == last ? count(node.child(first), lower, upper) : 0 }
        var result = count(node.child(first), lower, nil) &+ count(node.child(last), nil, upper)
        for index in first &+ 1..<last { result &+= Int(node.child(index).extent) }
        return result
    }
}

extension TreeNode {
    /// In a leaf the slots from `first` up to, not including, `last`; in a branch the children from `first` to `last`.
    @inline(__always)
    fileprivate func range(
        _ lower: UnsafeRawBufferPointer?, _ upper: UnsafeRawBufferPointer?, _ space: PageSpace
    ) -> (first: Int, last: Int) {
        if level == 0 {
            return (
                lower.map { position(of: $0, from: 0, space).index } ?? 0,
                upper.map { position(of: $0, from: 0, space).index } ?? count
            )
        }
        return (lower.map { childIndex($0, space) } ?? 0, upper.map { childIndex($0, space) } ?? count &- 1)
    }
}
