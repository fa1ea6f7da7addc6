extension TreeNode {
    /// The child below which a key is or would be.
    @inline(__always)
    func childIndex(_ key: UnsafeRawBufferPointer, from first: Int = 0, _ space: PageSpace) -> Int {
        let found = position(of: key, from: max(1, first &+ 1), space)
        return found.isMatch ? found.index : found.index &- 1
    }

    /// The first slot from `first` on whose key is not less than `key`, and whether its key equals `key`.
    @inline(__always)
    func position(
        of key: UnsafeRawBufferPointer, from first: Int, _ space: PageSpace
    ) -> (index: Int, isMatch: Bool) {
        let count = count
        guard first < count else { return (count, false) }
        let shared = prefixCount
        if shared > 0 {
            let order = Self.prefixOrder(key, slot(first).body, shared)
            guard order == 0 else { return (order < 0 ? first : count, false) }
        }
        let target = Self.head(key, at: shared)
        var low = first
        var remaining = count &- first
        while remaining > 1 {
            let half = remaining >> 1
            low = head(low &+ half &- 1) < target ? low &+ half : low
            remaining &-= half
        }
        if head(low) < target { low &+= 1 }
        guard low < count, head(low) == target else { return (low, false) }
        let order = keyOrder(low, key, from: shared, space)
        if order >= 0 { return (low, order == 0) }
        return positionAmongEqualHeads(of: key, from: low &+ 1, target, space)
    }

    /// The position among keys whose heads are equal.
    @inline(never)
    private func positionAmongEqualHeads(
        of key: UnsafeRawBufferPointer, from first: Int, _ target: UInt32, _ space: PageSpace
    ) -> (index: Int, isMatch: Bool) {
        let shared = prefixCount
        var low = first
        var high = count
        while low < high {
            let middle = (low &+ high) >> 1
            let order = head(middle) == target ? keyOrder(middle, key, from: shared, space) : 1
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The order of a slot's key and another key. A slot's key that cannot be read counts as larger.
    @inline(__always)
    private func keyOrder(
        _ index: Int, _ key: UnsafeRawBufferPointer, from shared: Int, _ space: PageSpace
    ) -> Int {
        guard let own = slot(index).key(space) else { return 1 }
        let start = min(shared, own.count, key.count)
        return bytesOrder(
            UnsafeRawBufferPointer(rebasing: own[start...]), UnsafeRawBufferPointer(rebasing: key[start...]))
    }

    /// The order of a key's first bytes and the prefix that all keys of the node share. A shorter key is less.
    @inline(__always)
    private static func prefixOrder(
        _ key: UnsafeRawBufferPointer, _ prefix: UnsafeRawPointer, _ count: Int
    ) -> Int {
        // They are nearly always equal, which two overlapping words show.
        if let start = key.baseAddress, key.count >= count {
            if count >= 4, count <= 8 {
                let isSame =
                    start.loadUnaligned(as: UInt32.self) == prefix.loadUnaligned(as: UInt32.self)
                    && start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                        == prefix.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                if isSame { return 0 }
            } else if count > 8, count <= 16 {
                let isSame =
                    start.loadUnaligned(as: UInt64.self) == prefix.loadUnaligned(as: UInt64.self)
                    && start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                        == prefix.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                if isSame { return 0 }
            }
        }
        return prefixOrderInFull(key, prefix, count)
    }

    @inline(never)
    private static func prefixOrderInFull(
        _ key: UnsafeRawBufferPointer, _ prefix: UnsafeRawPointer, _ count: Int
    ) -> Int {
        bytesOrder(
            UnsafeRawBufferPointer(rebasing: key.prefix(count)), UnsafeRawBufferPointer(start: prefix, count: count))
    }

    /// Four bytes of a key, big-endian, as a number; zeros where the key has ended.
    @inline(__always)
    static func head(_ key: UnsafeRawBufferPointer, at position: Int) -> UInt32 {
        if position &+ 4 <= key.count {
            return UInt32(bigEndian: key.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        }
        var head: UInt32 = 0
        for index in 0..<4 {
            head = head << 8 | (position &+ index < key.count ? UInt32(key[position &+ index]) : 0)
        }
        return head
    }
}
