package import CausewayStorage

/// What changed, found by comparing everything: the obvious way, which a quick one must agree with.
extension LMDBStorage {
    package func changedLeaves(
        between older: any StorageSnapshot, and newer: any StorageSnapshot
    ) throws(StorageError) -> [LeafPlace] {
        var before: [LeafPlace: UnsafeRawBufferPointer] = [:]
        Self.own(older).scanLeaves { before[$0] = $1 }
        var changed: [LeafPlace] = []
        Self.own(newer).scanLeaves { place, bytes in
            let old = before.removeValue(forKey: place)
            if old.map({ isSame($0, bytes) }) != true { changed.append(place) }
        }
        return (changed + before.keys).sorted()
    }

    /// One range for every key that was put, removed or given another value, holding nothing else.
    package func changedRanges(
        between older: any StorageSnapshot, and newer: any StorageSnapshot
    ) throws(StorageError) -> [TreeRange] {
        var before: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
        Self.own(older).scanTrees { key, value in
            before.append((key, value))
            return true
        }
        var changed: [TreeRange] = []
        var index = 0
        Self.own(newer).scanTrees { key, value in
            while index < before.count, bytesOrder(before[index].key, key) < 0 {
                changed.append(Self.range(before[index].key))
                index += 1
            }
            let isThere = index < before.count && bytesOrder(before[index].key, key) == 0
            if !isThere || !isSame(before[index].value, value) { changed.append(Self.range(key)) }
            if isThere { index += 1 }
            return true
        }
        for entry in before[index...] { changed.append(Self.range(entry.key)) }
        return changed
    }

    private static func range(_ fullKey: UnsafeRawBufferPointer) -> TreeRange {
        let key = Array(fullKey.dropFirst(4))
        return TreeRange(tree: treeNumber(fullKey), lower: key, upper: key + [0])
    }

    private static func own(_ snapshot: any StorageSnapshot) -> LMDBSnapshot {
        guard let own = snapshot as? LMDBSnapshot else {
            preconditionFailure("snapshots of this storage are compared, of no other")
        }
        return own
    }
}

private func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && bytesOrder(left, right) == 0
}
