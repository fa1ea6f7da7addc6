extension TreeNode {
    /// Whether readers and writers can use a page without leaving its bounds: every entry lies inside the page, every
    /// length is one that a writer makes, and all entries together fit into a page.
    ///
    /// Does not check the order of keys. In a page with a wrong order keys are not found, and `walk` reports it.
    static func isSound(_ page: UnsafeRawPointer, level: UInt8) -> Bool {
        let node = TreeNode(page)
        guard level <= levelMaximum, node.level == Int(level), node.count > 0,
            headerCount + node.count * slotCount <= Pages.sizeBytes
        else { return false }
        var cost = 0
        for index in 0..<node.count {
            let slot = node.slot(index)
            guard let bodyCount = slot.soundBodyCount(isFirst: index == 0, level: level) else { return false }
            guard index < node.firstKeyed || slot.inlineKey.count >= node.prefixCount else { return false }
            cost += TreeField.entryCost(bodyCount: bodyCount)
        }
        return cost <= capacity
    }
}

extension TreeSlot {
    fileprivate func soundBodyCount(isFirst: Bool, level: UInt8) -> Int? {
        let offset = body - page - 2
        guard offset >= TreeNode.headerCount, offset + 2 <= Pages.sizeBytes else { return nil }
        let bodyCount = TreeField.keyByteCount(keyField) + TreeField.valueByteCount(valueField)
        guard offset + 2 + bodyCount <= Pages.sizeBytes, isKeySound(isFirst: isFirst, level: level) else { return nil }
        return isValueSound(level: level) ? bodyCount : nil
    }

    private func isKeySound(isFirst: Bool, level: UInt8) -> Bool {
        if hasLongKey {
            return keyField == TreeNode.longFlag | UInt16(TreeNode.longKeyInlineCount)
                && PagePointer.load(from: body + TreeNode.longKeyInlineCount).isSoundRun(
                    longerThan: TreeNode.inlineKeyMaximum)
        }
        // A leaf's key begins with the number of its tree.
        if level == 0 { return keyField >= 4 && keyField <= UInt16(TreeNode.inlineKeyMaximum) }
        return isFirst ? keyField == 0 : keyField <= UInt16(TreeNode.inlineKeyMaximum)
    }

    private func isValueSound(level: UInt8) -> Bool {
        if level > 0 {
            guard valueField == UInt16(PagePointer.byteCount) else { return false }
            let child = PagePointer.load(from: valueStart)
            return !child.isNone && child.level == level - 1
        }
        if valueField & TreeNode.longFlag == 0 { return valueField <= UInt16(TreeNode.inlineValueMaximum) }
        return valueField == TreeNode.longFlag
            && PagePointer.load(from: valueStart).isSoundRun(longerThan: TreeNode.inlineValueMaximum)
    }
}

extension PagePointer {
    fileprivate func isSoundRun(longerThan count: Int) -> Bool { !isNone && level == 0 && Int(extent) > count }
}
