extension TreeAssembly {
    /// Makes a page of the first entries of a level: of all held ones, or else of some gathered ones.
    func makePage(_ height: Int, of count: Int) throws(StorageError) {
        let level = level(height)
        let entries = UnsafeBufferPointer(start: level.entries, count: count)
        let wasHeld = level.heldCount > 0
        let bound = height > 0 ? entries[0] : (wasHeld ? level.heldBound : level.bound) ?? noBound
        let page = output.makePage()
        let extent = Self.fill(page, with: entries, height)
        let pointer = try output.finish(
            page, kind: .tree, level: UInt8(height), extent: UInt32(clamping: extent))
        if height == 0, !wasHeld, count < level.count {
            level.bound = try separator(entries[count - 1].key, level.entries[count].key)
        }
        level.removeFirst(count)
        let above = self.level(height + 1)
        above.noteFollowing(TreeKey.tree(of: bound.key))
        try append(joined(bound, pointer), at: height + 1, above, isNew: true)
    }

    /// Writes entries to a zeroed page. Returns how many leaf entries lie below it.
    private static func fill(
        _ page: UnsafeMutableRawPointer, with entries: UnsafeBufferPointer<TreeEntry>, _ height: Int
    ) -> Int {
        let count = entries.count
        let firstKeyed = height > 0 ? 1 : 0
        let prefixCount = prefixCount(UnsafeBufferPointer(rebasing: entries[firstKeyed...]))
        page.storeBytes(of: UInt16(height).littleEndian, as: UInt16.self)
        page.storeBytes(of: UInt16(count).littleEndian, toByteOffset: 2, as: UInt16.self)
        page.storeBytes(of: UInt16(prefixCount).littleEndian, toByteOffset: 4, as: UInt16.self)
        var slot = page + TreeNode.headerCount
        var offset = TreeNode.headerCount &+ count &* TreeNode.slotCount
        var extent = height > 0 ? 0 : count
        for index in 0..<count {
            var entry = entries[index]
            var head: UInt32 = 0
            if index >= firstKeyed {
                head = TreeNode.head(entry.key, at: prefixCount)
            } else {
                entry = TreeEntry(body: entry.body + entry.keyByteCount, keyField: 0, valueField: entry.valueField)
            }
            let word = UInt64(head) | UInt64(offset) << 32 | UInt64(entry.keyField) << 48
            slot.storeBytes(of: word.littleEndian, as: UInt64.self)
            slot += TreeNode.slotCount
            let place = page + offset
            place.storeBytes(of: entry.valueField.littleEndian, as: UInt16.self)
            (place + 2).copyMemory(from: entry.body, byteCount: Int(entry.bodyCount))
            if height > 0 { extent &+= Int(entry.child.extent) }
            offset &+= 2 &+ Int(entry.bodyCount)
        }
        return extent
    }

    /// How many first bytes all keys share, but no more than every entry has in the page: the rest of a long key is in
    /// a run, and keys from a damaged page may be in any order.
    private static func prefixCount(_ entries: UnsafeBufferPointer<TreeEntry>) -> Int {
        guard let first = entries.first, let last = entries.last else { return 0 }
        let common = commonCount(first.key, last.key)
        var inlineMinimum = UInt16.max
        for entry in entries { inlineMinimum = min(inlineMinimum, entry.keyField & ~TreeNode.longFlag) }
        return min(common, Int(inlineMinimum))
    }

    @inline(__always)
    static func commonCount(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let limit = min(left.count, right.count)
        var count = 0
        while count &+ 8 <= limit,
            left.loadUnaligned(fromByteOffset: count, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: count, as: UInt64.self)
        { count &+= 8 }
        while count < limit, left[count] == right[count] { count &+= 1 }
        return count
    }

    // MARK: - New entries

    /// The shortest bound between two keys.
    private func separator(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) throws(StorageError) -> TreeEntry {
        let count = min(Self.commonCount(left, right) + 1, right.count)
        let key = UnsafeRawBufferPointer(rebasing: right[..<count])
        guard let start = key.baseAddress, count > TreeNode.inlineKeyMaximum else {
            return TreeEntry(body: key.baseAddress ?? space.base, keyField: UInt16(key.count), valueField: 0)
        }
        let body = noted(key, bodyCount: TreeNode.longKeyInlineCount + PagePointer.byteCount)
        body.copyMemory(from: start, byteCount: TreeNode.longKeyInlineCount)
        try output.add(run: key).store(to: body + TreeNode.longKeyInlineCount)
        return TreeEntry(
            body: body, keyField: TreeNode.longFlag | UInt16(TreeNode.longKeyInlineCount), valueField: 0)
    }

    /// A branch's entry: the key of `bound`, and the child as its value.
    func joined(_ bound: TreeEntry, _ child: PagePointer) -> TreeEntry {
        let keyCount = bound.keyByteCount
        let body =
            bound.hasLongKey
            ? noted(bound.key, bodyCount: keyCount + PagePointer.byteCount)
            : scratch.allocate(keyCount + PagePointer.byteCount)
        body.copyMemory(from: bound.body, byteCount: keyCount)
        child.store(to: body + keyCount)
        return TreeEntry(body: body, keyField: bound.keyField, valueField: UInt16(PagePointer.byteCount))
    }

    /// A new entry of a leaf. Key and value must stay where they are until the commit is over.
    @inline(__always)
    func entry(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(StorageError) -> TreeEntry {
        if let start = key.baseAddress, key.count <= TreeNode.inlineKeyMaximum,
            value.count <= TreeNode.inlineValueMaximum, value.isEmpty || value.baseAddress == start + key.count
        {
            return TreeEntry(body: start, keyField: UInt16(key.count), valueField: UInt16(value.count))
        }
        return try composedEntry(key, value, keyRun: nil)
    }

    /// A new entry of a leaf whose key and value do not lie next to each other, or do not fit into the page.
    /// - Parameter keyRun: the run of a long key that is already in the tree.
    @inline(never)
    func composedEntry(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, keyRun: PagePointer?
    ) throws(StorageError) -> TreeEntry {
        let isKeyLong = key.count > TreeNode.inlineKeyMaximum
        let isValueLong = value.count > TreeNode.inlineValueMaximum
        let keyField = isKeyLong ? TreeNode.longFlag | UInt16(TreeNode.longKeyInlineCount) : UInt16(key.count)
        let valueField = isValueLong ? TreeNode.longFlag : UInt16(value.count)
        let bodyCount = TreeField.keyByteCount(keyField) + TreeField.valueByteCount(valueField)
        let body = isKeyLong ? noted(key, bodyCount: bodyCount) : scratch.allocate(bodyCount)
        if let start = key.baseAddress {
            body.copyMemory(from: start, byteCount: isKeyLong ? TreeNode.longKeyInlineCount : key.count)
        }
        if isKeyLong {
            let run = if let keyRun { keyRun } else { try output.add(run: key) }
            run.store(to: body + TreeNode.longKeyInlineCount)
        }
        let place = body + TreeField.keyByteCount(keyField)
        if isValueLong {
            try output.add(run: value).store(to: place)
        } else if let start = value.baseAddress {
            place.copyMemory(from: start, byteCount: value.count)
        }
        return TreeEntry(body: body, keyField: keyField, valueField: valueField)
    }

    /// Allocates an entry with a long key, behind a note with the address and length of the whole key.
    func noted(_ key: UnsafeRawBufferPointer, bodyCount: Int) -> UnsafeMutableRawPointer {
        let note = scratch.allocate(TreeEntry.longKeyNoteCount + bodyCount)
        note.storeBytes(of: UInt(bitPattern: key.baseAddress), as: UInt.self)
        note.storeBytes(of: key.count, toByteOffset: 8, as: Int.self)
        return note + TreeEntry.longKeyNoteCount
    }
}
