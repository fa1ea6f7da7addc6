import CausewayEnvironment
import Glibc

/// One commit, in order: pages, then the header, then the sync, then everybody sees it.
extension PageFile {
    /// Commits with more pages than this sync them before the header, so that whoever opens the file after a crash
    /// has only so much to look at.
    static let unprovenBytesMaximum = 1 << 20
    /// Clearing up after processes that died costs a system call for each process, so it waits for so many commits.
    static let commitsBetweenClearings: UInt64 = 64

    struct Committed {
        var header: FileHeader
        var isDurable: Bool
    }

    /// Writes what a body makes of a state. The caller holds the writer's right, and the state is the newest.
    ///
    /// When it throws, the newest state is what it was; when not even that is certain, the file is poisoned.
    func commit(
        over base: FileHeader, _ durability: Durability, versionStep: UInt64 = 1, isCompacting: Bool = false,
        isVouching: Bool = false,
        _ body: (CommitOutput) throws(StorageError) -> (trees: PagePointer, directory: PagePointer)
    ) throws(StorageError) -> Committed {
        try throwFailure()
        try secureRecovered(base)
        let freeSpace = try freeSpace(of: base)
        let birth = shared.takeBirth()
        guard birth < PagePointer.birthLimit else {
            throw StorageError(.mapFull, "The file has run out of transaction numbers. Copy it.", path: path)
        }
        shared.beginCommitting(birth)
        protect(freeSpace, transaction: birth, newest: base.transaction)
        freeSpace.takesLowest = isCompacting
        freeSpace.fileEndPage = UInt32(clamping: writing.sizeBytes / Pages.sizeBytes)
        if isCompacting { freeSpace.cutEnd() }
        let output = CommitOutput(self, freeSpace: freeSpace, birth: birth)
        // The header is the last that is written out of it.
        defer { writing.pageMemory.reset() }
        var header = base
        do {
            let roots = try body(output)
            header.transaction = birth
            header.version = base.version + versionStep
            header.durableTransaction = shared.durable
            header.state.trees = roots.trees
            header.state.directory = roots.directory
            header.sessions = try writeSessions(base, output)
            header.freeSpace = try freeSpace.encode(into: output, inlineLimit: HeaderLayout.inlineLimit)
            header.state.livePages = UInt32(clamping: Int(base.state.livePages) + output.pageBalance)
            try output.finishWriting()
            header.syncedTransaction = try proofPoint(base, output, durability, isVouching: isVouching)
        } catch {
            freeSpace.abort()
            shared.endCommitting()
            throw error
        }
        freeSpace.commit()
        writing.transaction = birth
        writing.unsyncedBytes += output.writtenBytes
        try publish(header, durability)
        if durability == .durable { shrinkFile(freeSpace, isCompacting: isCompacting) }
        return Committed(header: header, isDurable: durability == .durable || isInMemory)
    }

    /// The state found at opening may have been promised to be durable by a process that is gone, and no header says
    /// so yet: it is synced before the first commit after it, so that from then on one durable state is known.
    private func secureRecovered(_ base: FileHeader) throws(StorageError) {
        guard shared.recovered != 0, !isInMemory else { return }
        shared.lockSyncing()
        defer { shared.unlockSyncing() }
        let result = disk.synchronizeWhole()
        guard result == 0 else { throw syncFailed(result) }
        shared.setDurable(base.transaction)
    }

    /// The free space as the newest state has it, read from the file when another process committed last.
    private func freeSpace(of base: FileHeader) throws(StorageError) -> FreeSpace {
        if let known = writing.freeSpace, writing.transaction == base.transaction { return known }
        let loaded = try FreeSpace(record: base.freeSpace, space: space)
        writing.freeSpace = loaded
        writing.transaction = base.transaction
        writing.sizeBytes = disk.size()
        return loaded
    }

    private func protect(_ freeSpace: FreeSpace, transaction: UInt64, newest: UInt64) {
        if transaction % Self.commitsBetweenClearings == 0 { shared.clearDeadProcesses() }
        let pinned = shared.pinnedStates()
        freeSpace.begin(
            transaction: transaction, protected: protected(pinned, newest: newest), ranges: pinned.ranges)
    }

    /// Rule 1 of the file: whose pages must not be written.
    func protectedStates(newest: UInt64) -> ProtectedStates {
        let pinned = shared.pinnedStates()
        return ProtectedStates(protected(pinned, newest: newest), ranges: pinned.ranges)
    }

    private func protected(_ pinned: SharedState.PinnedStates, newest: UInt64) -> [UInt64] {
        var states = pinned.exact
        for state in fallbacks where state != 0 { states.append(state) }
        if newest != 0 { states.append(newest) }
        states.sort()
        return states
    }

    /// The table of encryption sessions, written anew by the first commit of each session.
    private func writeSessions(_ base: FileHeader, _ output: CommitOutput) throws(StorageError) -> PagePointer {
        guard let seal, let table = seal.tableToWrite(insteadOf: base.sessions) else { return base.sessions }
        if !base.sessions.isNone { output.free(base.sessions, kind: .run) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: table.count, alignment: 8)
        bytes.copyBytes(from: table)
        output.keep(bytes)
        return try output.add(run: UnsafeRawBufferPointer(bytes))
    }

    /// Up to which birth pages can be believed without being looked at, once the header is there.
    private func proofPoint(
        _ base: FileHeader, _ output: CommitOutput, _ durability: Durability, isVouching: Bool
    ) throws(StorageError) -> UInt64 {
        let known = max(base.syncedTransaction, shared.durable)
        guard durability == .durable, !isInMemory else { return known }
        if isVouching, known >= base.transaction, output.writtenBytes == 0 { return output.birth }
        guard isVouching || writing.unsyncedBytes + output.writtenBytes > Self.unprovenBytesMaximum else {
            return known
        }
        let result = disk.synchronizeWhole()
        guard result == 0 else { throw syncFailed(result) }
        writing.unsyncedBytes = 0
        return output.birth
    }

    /// Gives the end of the file back to the system, once no state that could come back reaches there.
    ///
    /// A file that could not be cut is only longer than it has to be, so a failure means nothing.
    private func shrinkFile(_ freeSpace: FreeSpace, isCompacting: Bool) {
        let needed = Int(freeSpace.endPage) * Pages.sizeBytes
        let wanted = isCompacting ? needed : FileGrowth.size(for: needed)
        guard writing.sizeBytes > wanted, isCompacting || writing.sizeBytes - wanted > needed / 4 + (1 << 20) else {
            return
        }
        if disk.truncateWhole(wanted) == 0 { writing.sizeBytes = wanted }
    }

    /// Writes the header, syncs if asked, and lets everybody see the new state.
    private func publish(_ header: FileHeader, _ durability: Durability) throws(StorageError) {
        let slot = HeaderSlots.next(
            transactions: shared.slotTransactions, fallbacks: shared.fallbacks, newest: shared.newest)
        shared.setTransaction(0, inSlot: slot)
        let page = writing.pageMemory.takePage()
        let result = HeaderSlots.write(header, to: slot, of: disk, seal: seal, in: page)
        writing.pageMemory.giveBack(page)
        guard result == 0 else { throw headerFailed(result, slot: slot) }
        shared.setTransaction(header.transaction, inSlot: slot)
        if isInMemory {
            shared.setDurable(header.transaction)
        } else if durability == .durable {
            try synchronize(header)
        }
        shared.publish(header.transaction, slot: slot)
        shared.endCommitting()
    }

    private func synchronize(_ header: FileHeader) throws(StorageError) {
        shared.lockSyncing()
        // A sync by somebody else may have failed meanwhile, and then the kernel tells nobody a second time.
        let result = shared.isPoisoned ? -Int(EIO) : disk.synchronizeWhole()
        if result == 0 { shared.setDurable(header.transaction) }
        shared.unlockSyncing()
        guard result == 0 else { throw syncFailed(result) }
        writing.unsyncedBytes = 0
    }
}

// MARK: - Syncing

extension PageFile {
    /// Syncs the newest state, and everything before it. Answers its version.
    ///
    /// The right to write is held only while the state is chosen, not while the disk works.
    func synchronize(_ writerLock: WriterLock) throws(StorageError) -> UInt64 {
        let header = try beginSyncing(writerLock)
        guard header.transaction > shared.durable, !isInMemory else {
            shared.unlockSyncing()
            return header.version
        }
        let result = disk.synchronizeWhole()
        if result == 0 { shared.setDurable(header.transaction) } else { shared.poison() }
        shared.setSyncing(0)
        shared.unlockSyncing()
        guard result == 0 else {
            // Nobody commits any more, and whoever is committing finds the poison; his turn ends before the clearing.
            try writerLock.wait(for: writerLock.takeTicket())
            defer { writerLock.release() }
            throw syncFailed(result)
        }
        return header.version
    }

    /// Chooses the newest state, which from here on is kept until the sync is done, and takes the syncing lock.
    private func beginSyncing(_ writerLock: WriterLock) throws(StorageError) -> FileHeader {
        try writerLock.wait(for: writerLock.takeTicket())
        defer { writerLock.release() }
        try throwFailure()
        if shared.committing != 0 { try Recovery.takeOver(self) }
        // In this order, as a commit takes them.
        shared.lockSyncing()
        guard let header = header(of: shared.newest) else {
            shared.unlockSyncing()
            throw .isPoisoned(path: path)
        }
        shared.setSyncing(header.transaction)
        writing.unsyncedBytes = 0
        return header
    }

    /// Makes the file unusable until everybody has closed it: a slot may hold the new header or not. What came before
    /// is untouched.
    private func headerFailed(_ result: Int, slot: Int) -> StorageError {
        let error = StorageError(errno: Int32(-result), doing: "write to the disk", path: path)
        poison(error)
        HeaderSlots.clear(slot, of: disk)
        return error
    }

    /// Makes the file unusable until everybody has closed it. The right to write is held.
    ///
    /// The kernel may have dropped what it could not write, and goes on showing it from memory. So that whoever opens
    /// the file next does not take that for the disk's content, headers of states that no sync has confirmed go.
    func syncFailed(_ result: Int) -> StorageError {
        let error = StorageError(errno: Int32(-result), doing: "write to the disk", path: path)
        poison(error)
        // The state found at opening stays: it may have been durable since long before.
        let kept = max(shared.durable, shared.recovered)
        for slot in 0..<FileHeader.slotCount where shared.transaction(inSlot: slot) > kept {
            HeaderSlots.clear(slot, of: disk)
        }
        return error
    }
}
