extension PageStorage {
    package func changedLeaves(
        between older: any StorageSnapshot, and newer: any StorageSnapshot
    ) throws(StorageError) -> [LeafPlace] {
        let (older, newer) = try ours(older, newer)
        let written = try file.space.withView { view throws(StorageError) in
            try LeafDirectory.changedLeaves(
                from: older.header.state.directory, to: newer.header.state.directory, space: view)
        }
        let carried = [older, newer].flatMap { $0.header.carried?.leaves ?? [] }.map(\.place)
        guard !carried.isEmpty else { return written }
        let changed = carried.filter { place in
            !areEqual(
                older.leaf(column: place.column, number: place.number),
                newer.leaf(column: place.column, number: place.number))
        }
        return Set(written + changed).sorted()
    }

    package func changedRanges(
        between older: any StorageSnapshot, and newer: any StorageSnapshot
    ) throws(StorageError) -> [TreeRange] {
        let (older, newer) = try ours(older, newer)
        let written = try file.space.withView { view throws(StorageError) in
            try TreeDifference.ranges(from: older.header.state.trees, to: newer.header.state.trees, in: view)
        }
        let carried = [older, newer].flatMap { $0.header.carried?.entries ?? [] }
        guard !carried.isEmpty else { return written }
        let changed = carried.filter { entry in
            !areEqual(older.get(tree: entry.tree, key: entry.key), newer.get(tree: entry.tree, key: entry.key))
        }
        return TreeRange.joined(
            written + changed.map { TreeRange(tree: $0.tree, lower: Array($0.key), upper: Array($0.key) + [0]) })
    }

    private func ours(
        _ older: any StorageSnapshot, _ newer: any StorageSnapshot
    ) throws(StorageError) -> (PageSnapshot, PageSnapshot) {
        guard let older = older as? PageSnapshot, let newer = newer as? PageSnapshot,
            older.file.space === file.space, newer.file.space === file.space
        else {
            throw StorageError(.closed, "A snapshot of another file cannot be compared with this one's.", path: path)
        }
        return (older, newer)
    }
}

private func areEqual(_ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.count == right.count && bytesOrder(left, right) == 0
}

extension TreeRange {
    /// The same keys as ascending ranges that do not overlap.
    fileprivate static func joined(_ ranges: [TreeRange]) -> [TreeRange] {
        let sorted = ranges.sorted { left, right in
            left.tree == right.tree ? left.lower.lexicographicallyPrecedes(right.lower) : left.tree < right.tree
        }
        var joined: [TreeRange] = []
        for range in sorted {
            guard let last = joined.last, last.tree == range.tree, last.reaches(range.lower) else {
                joined.append(range)
                continue
            }
            joined[joined.count - 1].upper = last.upper.flatMap { upper in
                range.upper.map { $0.lexicographicallyPrecedes(upper) ? upper : $0 }
            }
        }
        return joined
    }

    private func reaches(_ key: [UInt8]) -> Bool { upper.map { !$0.lexicographicallyPrecedes(key) } ?? true }
}
