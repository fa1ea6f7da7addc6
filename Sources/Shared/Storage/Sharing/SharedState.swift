import Dispatch
import Glibc
import Synchronization

/// The state shared by all processes that have a file open: the newest state, the states that a power loss may bring
/// back, who reads what, and whose turn it is to write.
///
/// It lies in a file beside the data, which every process maps. Except for poison it means nothing once the last user
/// is gone, and the next first user resets it. For a file that no other process can reach, it lies in plain memory.
///
/// 1. A process is alive exactly as long as the kernel holds the lock on the byte of its entry.
/// 2. Only its process writes an entry and everything in it, until the process is dead.
/// 3. The holder of the opening byte writes everything else before anybody else can read it. From then on the holder
///    of the writer's right does; ``durable``, ``recovered`` and ``syncing`` are written by the holder of the syncing
///    byte. Exceptions: any process may take births, and any process may poison the file.
/// 4. Every word is whole at any time, so a process may be killed anywhere. Only a commit consists of more than one
///    step, and ``committing`` shows that one was begun.
///
/// `fork` without `exec` while a file is open is not supported: parent and child would be one process to the kernel.
package final class SharedState: Sendable {
    let memory: SharedMemory
    /// Nil where no other process can reach the data.
    let locks: LockBytes?
    /// Held on the data file itself for as long as this lives.
    let fileUse: FileUse?
    /// The entry of this object. Tests open a file twice in one process.
    let entryNumber: Int
    /// Guards pins that found no word of their own.
    let rangePins = Mutex(RangePins())
    let watcher: CommitWatcher
    /// Keeps two threads from clearing dead entries at once: the byte locks do not exclude threads of one process.
    let clearing = Mutex(())
    let phase = Mutex(Phase.open)
    /// One thread of this process syncs at a time.
    private let syncTurn = DispatchSemaphore(value: 1)

    enum Phase {
        /// The opening byte is held.
        case opening
        case open
        case closed
    }

    /// The state of a file that no other process can reach, in private memory. Its user is always the first.
    package init() {
        memory = SharedMemory()
        locks = nil
        fileUse = nil
        entryNumber = 0
        watcher = CommitWatcher(memory, entryNumber: 0)
        // No other process can commit, so no thread has to watch.
        watcher.stop()
        takeEntry()
    }

    /// The opening byte is held, and so is the byte of the entry.
    init(_ memory: SharedMemory, _ locks: LockBytes, _ fileUse: FileUse?, entryNumber: Int) {
        self.memory = memory
        self.locks = locks
        self.fileUse = fileUse
        self.entryNumber = entryNumber
        watcher = CommitWatcher(memory, entryNumber: entryNumber)
        phase.withLock { $0 = .opening }
        takeEntry()
    }

    deinit {
        close()
    }
}

// MARK: - States

extension SharedState {
    /// The transaction of the newest committed state.
    @inline(__always)
    package var newest: UInt64 {
        memory.word(SharedLayout.newestOffset).pointee.load(ordering: .sequentiallyConsistent)
    }

    /// The header slot of the newest state.
    package var newestSlot: Int { Int(truncatingIfNeeded: load(SharedLayout.newestSlotOffset)) }

    /// The newest state that is known to survive a power loss.
    package var durable: UInt64 { load(SharedLayout.durableOffset) }

    /// The state found at opening, until it or a later one is durable: nobody knows whether the disk holds it. 0: none.
    package var recovered: UInt64 { load(SharedLayout.recoveredOffset) }

    /// The state that is just being made durable. 0: none.
    package var syncing: UInt64 { load(SharedLayout.syncingOffset) }

    /// The states that a power loss may bring back, whose pages must be kept. 0 where there is none.
    package var fallbacks: [UInt64] {
        // `durable` is read last: a sync that ends writes `durable` before it clears the others, so no state is missed.
        let (syncing, recovered) = (syncing, recovered)
        return [durable, recovered, syncing]
    }

    package var slotTransactions: [UInt64] { (0..<SharedLayout.slotCount).map { transaction(inSlot: $0) } }

    /// The transaction whose header a slot holds. 0: none, or one that is just being written.
    package func transaction(inSlot slot: Int) -> UInt64 {
        load(SharedLayout.slotTransactionsOffset + slot * 8)
    }

    package func setTransaction(_ transaction: UInt64, inSlot slot: Int) {
        store(transaction, at: SharedLayout.slotTransactionsOffset + slot * 8)
    }

    /// Initialises the states. The first process to open the file calls it when it knows what the file holds.
    ///
    /// - Parameter isSynced: everything written is synced, as in a file that was just created.
    package func reset(
        newest: UInt64, slot: Int, durable: UInt64, slots: [UInt64], nextBirth: UInt64, isSynced: Bool = true
    ) {
        precondition(slots.count == SharedLayout.slotCount, "there are four header slots")
        for (slot, transaction) in slots.enumerated() { setTransaction(transaction, inSlot: slot) }
        store(nextBirth, at: SharedLayout.nextBirthOffset)
        store(0, at: SharedLayout.committingOffset)
        store(0, at: SharedLayout.poisonOffset)
        store(0, at: SharedLayout.syncingOffset)
        store(0, at: SharedLayout.tellsPlacesOffset)
        store(durable, at: SharedLayout.durableOffset)
        store(newest == durable && isSynced ? 0 : newest, at: SharedLayout.recoveredOffset)
        publish(newest, slot: slot)
        memory.halfWord(SharedLayout.readyOffset).pointee.store(1, ordering: .sequentiallyConsistent)
    }

    // MARK: - Committing

    /// A new transaction number, which no other commit has got since the first process opened the file.
    package func takeBirth() -> UInt64 {
        memory.word(SharedLayout.nextBirthOffset).pointee.add(1, ordering: .sequentiallyConsistent).oldValue
    }

    /// The birth of the commit that is just being written; 0: none. A process that gets the writer's right and finds it
    /// nonzero has a predecessor that died in a commit, and must find out whether that commit was finished.
    package var committing: UInt64 { load(SharedLayout.committingOffset) }

    package func beginCommitting(_ birth: UInt64) { store(birth, at: SharedLayout.committingOffset) }

    package func endCommitting() { store(0, at: SharedLayout.committingOffset) }

    /// Makes a state the newest one, for every process to see.
    package func publish(_ transaction: UInt64, slot: Int) {
        store(UInt64(slot), at: SharedLayout.newestSlotOffset)
        store(transaction, at: SharedLayout.newestOffset)
    }

    // MARK: - Syncing

    /// Clears ``syncing`` after a process has died during a sync. Does nothing while a sync is running.
    func clearDeadSync() {
        guard syncing != 0, syncTurn.wait(timeout: .now()) == .success else { return }
        defer { syncTurn.signal() }
        guard let locks else { return setSyncing(0) }
        guard (try? locks.tryLock(SharedLayout.syncingByte)) == true else { return }
        setSyncing(0)
        locks.unlock(SharedLayout.syncingByte)
    }

    /// Waits until no other thread or process is syncing. Until ``unlockSyncing()``, ``syncing`` and ``durable`` belong
    /// to the caller. A caller that also needs the writer's right must take that first.
    package func lockSyncing() {
        syncTurn.wait()
        if let locks {
            // The kernel refuses only when it lacks memory for a lock, which is temporary.
            while (try? locks.lock(SharedLayout.syncingByte)) == nil { usleep(1000) }
        }
        // A process that died during its sync left this. It has promised nothing for that state.
        setSyncing(0)
    }

    package func unlockSyncing() {
        locks?.unlock(SharedLayout.syncingByte)
        syncTurn.signal()
    }

    package func setSyncing(_ transaction: UInt64) { store(transaction, at: SharedLayout.syncingOffset) }

    /// Notes that a state, and every one before it, survives a power loss.
    package func setDurable(_ transaction: UInt64) {
        memory.word(SharedLayout.durableOffset).pointee.max(transaction, ordering: .sequentiallyConsistent)
        if recovered <= durable { store(0, at: SharedLayout.recoveredOffset) }
    }

    // MARK: - Poison

    /// Whether the file is unusable until every process has closed it, because a sync has failed or a header may be
    /// written or not. The next process to open the file sees this, too, and
    /// ``reset(newest:slot:durable:slots:nextBirth:isSynced:)`` clears it.
    package var isPoisoned: Bool { load(SharedLayout.poisonOffset) != 0 }

    /// Whether a failed sync has poisoned the file. The kernel may have dropped pages with it.
    package var hasFailedSync: Bool { load(SharedLayout.poisonOffset) == Self.failedSync }

    private static let failedSync: UInt64 = 2

    package func poison(afterSync: Bool = false) {
        memory.word(SharedLayout.poisonOffset).pointee
            .max(afterSync ? Self.failedSync : 1, ordering: .sequentiallyConsistent)
    }

    // MARK: - What commits tell

    /// Whether any process has asked that commits tell places, since the file was first opened.
    package var tellsPlaces: Bool { load(SharedLayout.tellsPlacesOffset) != 0 }

    package func tellPlaces() { store(1, at: SharedLayout.tellsPlacesOffset) }

    // MARK: - Words

    @inline(__always)
    private func load(_ offset: Int) -> UInt64 {
        memory.word(offset).pointee.load(ordering: .sequentiallyConsistent)
    }

    @inline(__always)
    private func store(_ value: UInt64, at offset: Int) {
        memory.word(offset).pointee.store(value, ordering: .sequentiallyConsistent)
    }
}
