import CausewayEnvironment

extension PageStorage {
    package func statistics() throws(StorageError) -> StorageStatistics {
        let snapshot = try pageSnapshot()
        let header = snapshot.header
        let carried = ChangeEffect(
            CommitChanges().over(header.carried), trees: snapshot.trees, directory: snapshot.directory)
        let free = try FreeSpace(record: header.freeSpace, space: snapshot.space)
        // Pages of snapshots, and of states that a power loss may bring back, wait. The rest of the file is free.
        let size = file.disk.size()
        // Pages that carried changes replace wait, too: until the changes become pages.
        let replacedPages = min(carried.replacedPages, Int(header.state.livePages))
        let usedPages = FileHeader.slotCount + Int(header.state.livePages) - replacedPages
        let waitingPages = replacedPages + free.pinnedPages(file.protectedStates(newest: header.transaction))
        return StorageStatistics(
            sizeBytes: size, usedBytes: usedPages * Pages.sizeBytes, pageBytes: Pages.sizeBytes,
            treeEntries: Int(header.state.trees.extent) + carried.entries,
            leaves: Int(header.state.directory.leafCount) + carried.leaves,
            freeBytes: size - (usedPages + waitingPages) * Pages.sizeBytes,
            pinnedBytes: waitingPages * Pages.sizeBytes, oldestSnapshot: oldest(header),
            isEncrypted: file.seal != nil)
    }

    /// The snapshot that this call itself holds counts only when it is the only one.
    private func oldest(_ header: FileHeader) -> StorageStatistics.Pin? {
        file.shared.clearDeadProcesses()
        return file.shared.oldestPin.map { pin in
            StorageStatistics.Pin(
                commitsBehind: header.transaction - min(pin.transaction, header.transaction),
                processID: pin.processID)
        }
    }
}

extension FreeSpace {
    /// The number of waiting pages that a protected state contains. Releases the others.
    func pinnedPages(_ protected: ProtectedStates) -> Int {
        waiting.release(protected) { _ in }
        return waiting.pageCount
    }
}
