import CausewayEnvironment
import Glibc

/// Commits, in this order: write the pages, write the header, sync, publish the state to all readers.
extension PageFile {
    /// Commits with more unsynced bytes than this sync them before the header. So whoever opens the file after a crash
    /// has at most this much to check.
    static let unprovenBytesMaximum = 1 << 20
    /// Dead processes are cleared once in this many commits, because that costs a system call for each process.
    static let commitsBetweenClearings: UInt64 = 64

    struct Committed {
        var header: FileHeader
        var isDurable: Bool
    }

    /// Commits the new roots that `body` makes of a state, and changes that the header carries over them. The caller
    /// holds the writer's right, and the state is the newest.
    ///
    /// When it throws, the newest state is unchanged. If even that is uncertain, the file is poisoned.
    func commit(
        over base: FileHeader, _ durability: Durability, carrying carried: CarriedChanges?, versionStep: UInt64 = 1,
        isCompacting: Bool = false, isVouching: Bool = false,
        _ body: (CommitOutput) throws(StorageError) -> (trees: PagePointer, directory: PagePointer)
    ) throws(StorageError) -> Committed {
        try refuseCommit(over: base)
        let freeSpace = try freeSpace(of: base)
        let birth = try beginCommitting()
        protect(freeSpace, transaction: birth, newest: base.transaction)
        freeSpace.takesLowest = isCompacting
        freeSpace.fileEndPage = UInt32(clamping: writing.sizeBytes / Pages.sizeBytes)
        if isCompacting { freeSpace.cutEnd() }
        let output: CommitOutput
        do throws(StorageError) {
            output = CommitOutput(self, try space.view(), freeSpace: freeSpace, birth: birth)
        } catch {
            freeSpace.abort()
            shared.endCommitting()
            throw error
        }
        // The view may be used until then, because its state is the newest until the commit is done.
        defer { output.space.end() }
        // The header is the last page that is written from this memory.
        defer { writing.pageMemory.reset() }
        var header = base
        do {
            let roots = try body(output)
            header.transaction = birth
            header.version = base.version + versionStep
            header.durableTransaction = shared.durable
            header.carried = carried
            header.state.trees = roots.trees
            header.state.directory = roots.directory
            header.sessions = try writeSessions(base, output)
            header.freeSpace = try freeSpace.encode(
                into: output, inlineLimit: HeaderLayout.inlineLimit(beside: carried))
            header.state.livePages = UInt32(clamping: Int(base.state.livePages) + output.pageBalance)
            try output.finishWriting()
            header.syncedTransaction = try proofPoint(
                base, birth, durability, writtenBytes: output.writtenBytes, isVouching: isVouching)
        } catch {
            freeSpace.abort()
            shared.endCommitting()
            throw error
        }
        freeSpace.commit()
        writing.transaction = birth
        writing.noteWritten(output.writtenBytes, by: birth)
        try publish(header, over: base, durability)
        if durability == .durable { shrinkFile(freeSpace, isCompacting: isCompacting) }
        return Committed(header: header, isDurable: durability == .durable || isInMemory)
    }

    /// Commits changes that the header carries, and writes nothing else. As ``commit`` with roots that stay the same.
    func commit(
        over base: FileHeader, carrying carried: CarriedChanges?, _ durability: Durability
    ) throws(StorageError) -> Committed {
        try refuseCommit(over: base)
        let birth = try beginCommitting()
        if birth % Self.commitsBetweenClearings == 0 { shared.clearDeadProcesses() }
        defer { writing.pageMemory.reset() }
        var header = base
        header.transaction = birth
        header.version = base.version + 1
        header.durableTransaction = shared.durable
        header.carried = carried
        do throws(StorageError) {
            header.syncedTransaction = try proofPoint(base, birth, durability, writtenBytes: 0, isVouching: false)
        } catch {
            shared.endCommitting()
            throw error
        }
        // The free space is that of the state before.
        if writing.transaction != base.transaction { writing.freeSpace = nil }
        writing.transaction = birth
        try publish(header, over: base, durability)
        return Committed(header: header, isDurable: durability == .durable || isInMemory)
    }

    /// Throws what forbids a commit, and prepares the file for the first one.
    private func refuseCommit(over base: FileHeader) throws(StorageError) {
        try refusePoison()
        try secureRecovered(base)
    }

    /// Takes the number of a commit, and notes that it was begun.
    private func beginCommitting() throws(StorageError) -> UInt64 {
        let birth = shared.takeBirth()
        guard birth < PagePointer.birthLimit else {
            throw StorageError(.mapFull, "The file has run out of transaction numbers. Copy it.", path: path)
        }
        shared.beginCommitting(birth)
        return birth
    }

    /// Whether a commit must write a page although it changes none: the first one of an encryption session does.
    func mustWritePages(over base: FileHeader) -> Bool {
        seal?.tableToWrite(insteadOf: base.sessions) != nil
    }

    /// Syncs the state found at opening before the first commit after it, so that one durable state is known from then
    /// on. A process that is gone may have promised that state, although no header says so yet. Also, headers that were
    /// cleared after a failed sync may still be on the disk. A power loss would bring them back, while their pages have
    /// already been reused.
    private func secureRecovered(_ base: FileHeader) throws(StorageError) {
        guard shared.recovered != 0, !isInMemory else { return }
        try confirm(base.transaction)
    }

    /// The free space of the newest state. Reads it from the file when another process committed last.
    private func freeSpace(of base: FileHeader) throws(StorageError) -> FreeSpace {
        if let known = writing.freeSpace, writing.transaction == base.transaction { return known }
        let loaded = try space.withView { view throws(StorageError) in
            try FreeSpace(record: base.freeSpace, space: view)
        }
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

    /// The states whose pages must not be written, by rule 1 of ``PageFile``.
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

    /// The table of encryption sessions. The first commit of each session rewrites it.
    private func writeSessions(_ base: FileHeader, _ output: CommitOutput) throws(StorageError) -> PagePointer {
        guard let seal, let table = seal.tableToWrite(insteadOf: base.sessions) else { return base.sessions }
        if !base.sessions.isNone { output.free(base.sessions, kind: .run) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: table.count, alignment: 8)
        bytes.copyBytes(from: table)
        output.keep(bytes)
        return try output.add(run: UnsafeRawBufferPointer(bytes))
    }

    /// The birth up to which recovery can trust pages without checking them, once the header is on the disk.
    private func proofPoint(
        _ base: FileHeader, _ birth: UInt64, _ durability: Durability, writtenBytes: Int, isVouching: Bool
    ) throws(StorageError) -> UInt64 {
        let known = max(base.syncedTransaction, shared.durable)
        guard durability == .durable, !isInMemory else { return known }
        if isVouching, known >= base.transaction, writtenBytes == 0 { return birth }
        let unsynced = writing.unsyncedBytes(durable: shared.durable)
        guard isVouching || unsynced + writtenBytes > Self.unprovenBytesMaximum else { return known }
        // This also syncs the header of the previous state.
        try confirm(base.transaction)
        return birth
    }

    /// Shortens the file, once no state that could come back reaches there.
    ///
    /// Ignores a failure, after which the file is only longer than necessary.
    private func shrinkFile(_ freeSpace: FreeSpace, isCompacting: Bool) {
        let needed = Int(freeSpace.endPage) * Pages.sizeBytes
        let wanted = isCompacting ? needed : FileGrowth.size(for: needed)
        guard writing.sizeBytes > wanted, isCompacting || writing.sizeBytes - wanted > needed / 4 + (1 << 20) else {
            return
        }
        if disk.truncateWhole(wanted) == 0 { writing.sizeBytes = wanted }
    }

    /// Writes the header, syncs if asked, and publishes the new state.
    private func publish(
        _ header: FileHeader, over base: FileHeader, _ durability: Durability
    ) throws(StorageError) {
        let slot = takeSlot()
        let page = writing.pageMemory.takePage()
        let result = HeaderSlots.write(header, to: slot.number, of: disk, seal: seal, in: page)
        writing.pageMemory.giveBack(page)
        guard result == 0 else { throw headerFailed(result, slot, over: base) }
        shared.setTransaction(header.transaction, inSlot: slot.number)
        if isInMemory {
            shared.setDurable(header.transaction)
        } else if durability == .durable {
            try confirm(header.transaction)
        } else {
            // A sync may have failed since this commit began, and its pages may be lost with it.
            try refusePoison()
        }
        shared.publish(header.transaction, slot: slot.number)
        shared.endCommitting()
    }

    private struct TakenSlot {
        var number: Int
        /// The state whose header the slot held.
        var replaced: UInt64
    }

    /// Takes the slot for the next header.
    ///
    /// Another thread or process may choose a state to sync meanwhile. It names the state before it checks that a slot
    /// still holds it. Here the slot is taken before the named states are checked again, so one of the two sees the
    /// other.
    private func takeSlot() -> TakenSlot {
        while true {
            let slots = shared.slotTransactions
            let slot = HeaderSlots.next(transactions: slots, fallbacks: shared.fallbacks, newest: shared.newest)
            shared.setTransaction(0, inSlot: slot)
            if slots[slot] == 0 || !shared.fallbacks.contains(slots[slot]) {
                return TakenSlot(number: slot, replaced: slots[slot])
            }
            shared.setTransaction(slots[slot], inSlot: slot)
        }
    }
}

// MARK: - Syncing

extension PageFile {
    /// How often a sync tries to choose the newest state before a commit overtakes it.
    private static let choicesMaximum = 10_000

    /// Syncs the newest state, and everything before it. Returns its version.
    ///
    /// Does not wait for the turn to write: a writer may take long, or be stopped.
    func synchronize(_ writerLock: WriterLock) throws(StorageError) -> UInt64 {
        let (header, result) = try synchronizeNewest()
        guard result == 0 else {
            let error = syncError(result)
            // Otherwise the process with the turn to write finds the poison when it commits, and clears then.
            if writerLock.takeAtOnce() {
                clearUnconfirmed()
                writerLock.release()
            }
            throw error
        }
        return header.version
    }

    private func synchronizeNewest() throws(StorageError) -> (header: FileHeader, result: Int) {
        try throwFailure()
        shared.lockSyncing()
        defer { shared.unlockSyncing() }
        defer { shared.setSyncing(0) }
        let header = try chooseNewest()
        guard header.transaction > shared.durable, !isInMemory else { return (header, 0) }
        return (header, synchronizeLocked(confirming: header.transaction))
    }

    /// Chooses the newest state, which is kept with its header from now on until the syncing word is cleared.
    ///
    /// As with a pin, the state is named first and must still be the newest afterwards. So the next commit sees it
    /// named, and a running commit spares it because it was the newest when that commit began.
    private func chooseNewest() throws(StorageError) -> FileHeader {
        for attempt in 0..<Self.choicesMaximum {
            let transaction = shared.newest
            shared.setSyncing(transaction)
            if let header = try header(of: transaction), shared.newest == transaction { return header }
            try throwFailure()
            // A commit came in between, or the header is just being rewritten.
            if attempt > 10 { usleep(50) }
        }
        throw Recovery.noHeader(path: path)
    }

    /// Syncs, and notes that a state is durable. Its pages and header must be written. The right to write is held.
    private func confirm(_ transaction: UInt64) throws(StorageError) {
        guard mutation != .overlapSyncs else { return try confirmOverlapping(transaction) }
        shared.lockSyncing()
        let result = synchronizeLocked(confirming: transaction)
        shared.unlockSyncing()
        guard result == 0 else { throw syncFailed(result) }
    }

    private func confirmOverlapping(_ transaction: UInt64) throws(StorageError) {
        let result = disk.synchronizeWhole()
        guard result == 0 else { throw syncFailed(result) }
        shared.setDurable(transaction)
    }

    /// The only place where a file in use is synced. The syncing lock is held.
    ///
    /// The kernel reports a failed write-back once for each open file, to any one of the running syncs. So only one
    /// sync runs at a time, and a later one learns of a failure from the poison, without asking the kernel.
    private func synchronizeLocked(confirming transaction: UInt64) -> Int {
        guard !shared.isPoisoned else { return -Int(EIO) }
        let result = disk.synchronizeWhole()
        if result == 0 { shared.setDurable(transaction) } else { shared.poison(afterSync: true) }
        return result
    }
}

// MARK: - When the disk fails

extension PageFile {
    /// Throws when the file is unusable. Clears unconfirmed headers first, as the right to write is held.
    private func refusePoison() throws(StorageError) {
        if shared.hasFailedSync { clearUnconfirmed() }
        try throwFailure()
    }

    /// Handles a header that could not be written, and returns the error to throw. If the disk was full, the header was
    /// written in part at most and is invalid, so the commit is rolled back. After any other failure the slot may hold
    /// the new header or not: the file is unusable until every process has closed it. Earlier states are untouched.
    private func headerFailed(_ result: Int, _ slot: TakenSlot, over base: FileHeader) -> StorageError {
        let error = StorageError(errno: Int32(-result), doing: "commit", path: path)
        if error.code == .outOfSpace, mutation != .poisonFullDisk, let left = left(in: slot),
            left != 0 || slot.replaced != base.transaction
        {
            shared.setTransaction(left, inSlot: slot.number)
            // Read again from the base, because nothing of this commit is used.
            writing.freeSpace = nil
            shared.endCommitting()
            return error
        }
        let failure = error.code == .outOfSpace ? StorageError.isUnusable(errno: Int32(-result), path: path) : error
        poison(failure)
        HeaderSlots.clear(slot.number, of: disk)
        return failure
    }

    /// The state whose header is in a slot after a failed write: the one from before, or 0 for none. Nil when it is
    /// another, or the disk cannot read the slot.
    private func left(in slot: TakenSlot) -> UInt64? {
        do throws(StorageError) {
            let header = try HeaderSlots.read(slot.number, of: disk, seal: seal, path: path)
            guard let header else { return 0 }
            return header.transaction == slot.replaced ? slot.replaced : nil
        } catch {
            return nil
        }
    }

    /// Makes the file unusable until every process has closed it. The right to write is held.
    func syncFailed(_ result: Int) -> StorageError {
        let error = syncError(result)
        clearUnconfirmed()
        return error
    }

    private func syncError(_ result: Int) -> StorageError {
        let error = StorageError.isUnusable(errno: Int32(-result), path: path)
        poison(error, afterSync: true)
        return error
    }

    /// Clears the headers of states that no sync has confirmed. The right to write is held, or there is no other user.
    ///
    /// The kernel may have dropped bytes that it could not write, and still return them from memory. The next process
    /// that opens the file must not take those for the disk's content.
    func clearUnconfirmed() {
        // The state found at opening stays: it may have been durable for long.
        let kept = max(shared.durable, shared.recovered)
        for slot in 0..<FileHeader.slotCount where shared.transaction(inSlot: slot) > kept {
            HeaderSlots.clear(slot, of: disk)
        }
    }
}
