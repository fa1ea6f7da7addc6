extension PageStorage {
    package func changedLeaves(
        between older: any StorageSnapshot, and newer: any StorageSnapshot
    ) throws(StorageError) -> [LeafPlace] {
        let (older, newer) = try ours(older, newer)
        return try file.space.withView { view throws(StorageError) in
            try LeafDirectory.changedLeaves(
                from: older.header.state.directory, to: newer.header.state.directory, space: view)
        }
    }

    package func changedRanges(
        between older: any StorageSnapshot, and newer: any StorageSnapshot
    ) throws(StorageError) -> [TreeRange] {
        let (older, newer) = try ours(older, newer)
        return try file.space.withView { view throws(StorageError) in
            try TreeDifference.ranges(from: older.header.state.trees, to: newer.header.state.trees, in: view)
        }
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
