import CausewayEnvironment
import Dispatch
import Glibc
import Synchronization

/// The product's storage: one copy-on-write file of pages, or the same in memory.
///
/// The state that was read last stays pinned for a moment, so that taking a snapshot of it again costs nanoseconds.
package final class PageStorage: Storage {
    /// How often the newest snapshot is checked, to release it when nobody uses it.
    private static let idlePinMilliseconds = 100

    package let path: String
    let file: PageFile
    let writerLock: WriterLock
    let options: StorageOptions
    let folderSync: FolderSync
    private let schedule: SyncSchedule
    private let newest = Mutex(Newest())
    private let queue = DispatchQueue(label: "causeway.storage")
    private let closed: (@Sendable () -> Void)?
    /// Held while taking a place in both queues, so that both have the same order.
    private let reserving = Mutex(())

    private struct Newest {
        var snapshot: PageSnapshot?
        var isReleaseScheduled = false
    }

    init(
        _ file: PageFile, options: StorageOptions, folderSync: FolderSync = .ofSystem,
        closed: (@Sendable () -> Void)? = nil
    ) {
        path = file.path
        self.file = file
        self.options = options
        self.folderSync = folderSync
        self.closed = closed
        writerLock = WriterLock(file.shared)
        schedule = SyncSchedule(file, writerLock)
    }

    deinit {
        schedule.close()
        closed?()
    }

    package var tellsPlaces: Bool { file.shared.tellsPlaces }

    package func tellPlaces() { file.shared.tellPlaces() }

    // MARK: - Reading

    package func snapshot() throws(StorageError) -> any StorageSnapshot {
        try pageSnapshot()
    }

    func pageSnapshot() throws(StorageError) -> PageSnapshot {
        try file.throwFailure()
        let transaction = file.shared.newest
        let known = newest.withLock { newest -> PageSnapshot? in
            guard let snapshot = newest.snapshot, snapshot.transaction == transaction, !snapshot.space.isCrowded
            else { return nil }
            return snapshot
        }
        if let known { return known }
        return remember(try pinNewest())
    }

    /// Pins the newest state and reads its header. Tries again if commits overtake it in between.
    private func pinNewest() throws(StorageError) -> PageSnapshot {
        var attempts = 0
        while true {
            let pin = file.shared.pin()
            do throws(StorageError) {
                if let header = try file.header(of: pin.transaction) {
                    // Another process may have made the file larger than this one's address range.
                    guard header.freeSpace.endPage <= file.space.pageLimit else {
                        throw file.space.isTooSmall(for: header)
                    }
                    return PageSnapshot(file, header, try file.space.view(), pin: pin)
                }
            } catch {
                file.shared.unpin(pin)
                throw error
            }
            file.shared.unpin(pin)
            // Commits came between pinning and reading, or the newest state's slot is just being rewritten.
            attempts += 1
            try file.throwFailure()
            guard attempts < 10_000 else { throw Recovery.noHeader(path: path) }
            if attempts > 10 { usleep(50) }
        }
    }

    private func remember(_ snapshot: PageSnapshot) -> PageSnapshot {
        // Released outside the lock: the replaced snapshot may end here, and its `deinit` takes locks.
        var replaced: PageSnapshot?
        let mustSchedule = newest.withLock { newest in
            replaced = newest.snapshot
            newest.snapshot = snapshot
            defer { newest.isReleaseScheduled = true }
            return !newest.isReleaseScheduled
        }
        // Where no other process writes, only a commit of this process could reuse the pages that the pin keeps.
        if mustSchedule, file.shared.locks != nil { scheduleRelease() }
        withExtendedLifetime(replaced) {}
        return snapshot
    }

    private func scheduleRelease() {
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.idlePinMilliseconds)) { [weak self] in
            self?.releaseIdleSnapshot()
        }
    }

    private func releaseIdleSnapshot() {
        var released: PageSnapshot?
        let mustGoOn = newest.withLock { newest in
            // References to it are copied only under this lock, so nobody can take one meanwhile.
            if isKnownUniquelyReferenced(&newest.snapshot) { released = newest.snapshot.take() }
            newest.isReleaseScheduled = newest.snapshot != nil
            return newest.isReleaseScheduled
        }
        if mustGoOn { scheduleRelease() }
        withExtendedLifetime(released) {}
    }

    package func newestVersion() throws(StorageError) -> UInt64 { try pageSnapshot().version }

    // MARK: - Writing

    package func write() throws(StorageError) -> any StorageWriter {
        try refuseReadOnly()
        let ticket = writerLock.takeTicket()
        try writerLock.wait(for: ticket)
        return try begin()
    }

    package func write(using reservation: WriteReservation) throws(StorageError) -> any StorageWriter {
        try refuseReadOnly()
        guard reservation.use(for: writerLock) else {
            throw StorageError(
                .locked, "The turn to write was used already, or is another file's. Ask for a new one.", path: path)
        }
        return try begin()
    }

    package func reserveWrite(_ granted: @escaping @Sendable (WriteReservation) -> Void) {
        reserving.withLock { _ in
            let ticket = writerLock.takeTicket()
            queue.async { [self] in grant(ticket, granted) }
        }
    }

    private func grant(_ ticket: WriterLock.Ticket, _ granted: @Sendable (WriteReservation) -> Void) {
        do {
            try writerLock.wait(for: ticket)
            granted(WriteReservation(writerLock, isUsed: false))
        } catch {
            // The caller finds the reservation used. Its next call to `write` throws the reason.
            granted(WriteReservation(writerLock, isUsed: true))
        }
    }

    private func begin() throws(StorageError) -> PageStorageWriter {
        do throws(StorageError) {
            try file.throwFailure()
            if file.shared.committing != 0 { try Recovery.takeOver(file) }
            return PageStorageWriter(self, base: try pageSnapshot())
        } catch {
            writerLock.release()
            throw error
        }
    }

    private func refuseReadOnly() throws(StorageError) {
        guard file.isReadOnly else { return }
        throw StorageError(
            .readOnly, "Cannot write: the file was opened read-only. Open it for writing.", path: path)
    }

    func commit(
        _ changes: WriteChanges, over base: PageSnapshot, _ durability: Durability
    ) throws(StorageError) -> PageSnapshot {
        try refuseTooManyVersions(base)
        do throws(StorageError) {
            let plan = CommitPlan(changes, over: base)
            // Made before the commit, because nothing may fail after it.
            let view = try file.space.view()
            let committed =
                if plan.pages.isEmpty, !file.mustWritePages(over: base.header) {
                    try file.commit(over: base.header, carrying: plan.carried, durability)
                } else {
                    try file.commit(over: base.header, durability, carrying: plan.carried) {
                        output throws(StorageError) in try Self.apply(plan.pages, to: base.header.state, output)
                    }
                }
            return finish(committed, durability, view)
        } catch {
            if error.code == .mapFull || error.code == .outOfSpace, !file.shared.isPoisoned {
                try makeRoom(base)
            }
            if file.shared.isPoisoned { schedule.failed(error) }
            throw error
        }
    }

    /// Puts what the header carries into pages, as much of it as there is room for, in a commit of its own. It may have
    /// removed something: then a later commit finds room.
    ///
    /// Throws only what makes the file unusable. The writer's right is held.
    private func makeRoom(_ base: PageSnapshot) throws(StorageError) {
        var count = CommitChanges().over(base.header.carried).count
        while count > 0 {
            do throws(StorageError) {
                _ = try settled(base, first: count)
                return
            } catch {
                if file.shared.isPoisoned {
                    schedule.failed(error)
                    throw error
                }
                count /= 2
            }
        }
    }

    /// The same state with everything in pages, which a commit of its own does when its header carries changes. The
    /// writer's right is held.
    ///
    /// - Parameter count: of the changes that become pages; nil for all.
    func settled(_ base: PageSnapshot, first count: Int? = nil) throws(StorageError) -> PageSnapshot {
        let all = CommitChanges().over(base.header.carried)
        if all.isEmpty { return base }
        let (written, rest) = all.split(first: count ?? all.count)
        let view = try file.space.view()
        let durability = file.shared.durable >= base.transaction ? Durability.durable : .relaxed
        let committed = try file.commit(
            over: base.header, durability, carrying: rest.isEmpty ? nil : CarriedChanges(rest), versionStep: 0
        ) { output throws(StorageError) in
            try Self.apply(written, to: base.header.state, output)
        }
        return finish(committed, durability, view)
    }

    /// Applies changes to a state, and writes its new pages to the output. Returns the new roots.
    static func apply(
        _ changes: CommitChanges, to state: CommittedState, _ output: CommitOutput, movesPages: Bool = false
    ) throws(StorageError) -> (trees: PagePointer, directory: PagePointer) {
        var leaves: [(place: LeafPlace, run: PagePointer?)] = []
        for change in changes.leaves {
            let run: PagePointer? = if let bytes = change.bytes { try output.add(run: bytes) } else { nil }
            leaves.append((change.place, run))
        }
        var directory = state.directory
        if !leaves.isEmpty {
            directory = try LeafDirectoryWriter(space: output.space, output: output).apply(leaves, to: directory)
        }
        var trees = state.trees
        if !changes.entries.isEmpty {
            trees = try TreeWriter(space: output.space, output: output, movesPages: movesPages)
                .apply(changes.entries, to: trees)
        }
        return (trees, directory)
    }

    /// Pins the committed state, which is the newest because the writer's right is still held.
    func finish(_ committed: PageFile.Committed, _ durability: Durability, _ view: PageSpace) -> PageSnapshot {
        let header = committed.header
        let snapshot = remember(PageSnapshot(file, header, view, pin: file.shared.pin()))
        if committed.isDurable {
            schedule.becameDurable(header.version)
        } else if case .grouped(let window) = durability {
            schedule.syncWithin(window)
        }
        file.shared.noteCommit()
        return snapshot
    }

    private func refuseTooManyVersions(_ base: PageSnapshot) throws(StorageError) {
        guard tooOldPin(base) != nil else { return }
        // Its process may be dead. Finding out costs system calls, so it is done only now.
        file.shared.clearDeadProcesses()
        guard let oldest = tooOldPin(base), let maximum = options.maximumVersions else { return }
        throw StorageError(
            .tooManyVersions,
            "Cannot commit: a snapshot of process \(oldest.processID) is \(base.transaction - oldest.transaction) "
                + "commits old, and \(maximum) versions are allowed. The transaction was undone. Release transactions "
                + "and frozen objects that are no longer needed, or refresh them.",
            path: path)
    }

    /// The oldest snapshot, if it is too old to allow another commit.
    private func tooOldPin(_ base: PageSnapshot) -> (transaction: UInt64, processID: Int32)? {
        guard let maximum = options.maximumVersions, let oldest = file.shared.oldestPin,
            base.transaction - min(oldest.transaction, base.transaction) >= UInt64(maximum)
        else { return nil }
        return oldest
    }

    // MARK: - Durability

    package func synchronize() throws(StorageError) {
        guard !file.isReadOnly else { return }
        do throws(StorageError) {
            schedule.becameDurable(try file.synchronize(writerLock))
        } catch {
            schedule.failed(error)
            throw error
        }
    }

    package func whenDurable(_ version: UInt64) async throws(StorageError) {
        try await schedule.whenDurable(version)
    }

    package func observeOtherProcesses(_ body: @escaping @Sendable () -> Void) -> any StorageObservation {
        file.shared.observeOtherProcesses(body)
    }
}
