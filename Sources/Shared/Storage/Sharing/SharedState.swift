import Dispatch
import Glibc
import Synchronization

/// What all processes that have a file open know of each other: the newest state, which states a power loss may bring
/// back, who reads what, and whose turn it is to write.
///
/// It lies in a file beside the data, mapped by everybody, and means nothing once the last user is gone: the first to
/// come after that begins anew. The same words in plain memory serve a file that no other process can reach.
///
/// 1. A process is alive as long as the kernel holds the lock on the byte of its entry, and not one moment longer.
/// 2. The entry and everything in it is written by its process alone, until that is dead.
/// 3. Everything else is written by the holder of the opening byte before anybody else can look, and from then on by
///    the holder of the writer's right; ``durable``, ``recovered`` and ``syncing`` by the holder of the syncing byte.
///    Exceptions are the births, which anybody takes, and poison, which anybody gives.
/// 4. Every word is whole at any time, so a process may be killed anywhere. Only a commit consists of more than one
///    step, and ``committing`` tells that one was begun.
///
/// `fork` without `exec` while a file is open is not supported: parent and child would be one process to the kernel.
package final class SharedState: Sendable {
    let memory: SharedMemory
    /// Nil where no other process can reach the data.
    let locks: LockBytes?
    /// Held on the data file itself for as long as this lives.
    let fileUse: FileUse?
    /// The entry of this process, or rather of this object: the tests open a file twice.
    let entryNumber: Int
    /// Guards pins that found no word of their own.
    let rangePins = Mutex(RangePins())
    let watcher: CommitWatcher
    /// Guards entries of the dead from being cleared twice by the same process, to which locks are no obstacle.
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

    /// Memory of this process, for a file that no other process can reach. Its user is always the first.
    package init() {
        memory = SharedMemory()
        locks = nil
        fileUse = nil
        entryNumber = 0
        watcher = CommitWatcher(memory, entryNumber: 0)
        // There is nobody who could commit elsewhere, so nobody needs a thread.
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

    /// The newest state that survives a power loss for certain.
    package var durable: UInt64 { load(SharedLayout.durableOffset) }

    /// The state that was found at opening, until a later one is durable: the disk may hold it or not. 0: none.
    package var recovered: UInt64 { load(SharedLayout.recoveredOffset) }

    /// The state that somebody is just making durable. 0: none.
    package var syncing: UInt64 { load(SharedLayout.syncingOffset) }

    /// The states that a power loss may bring back and whose pages must be kept; 0 where there is none.
    package var fallbacks: [UInt64] {
        // In this order: who ends a sync writes `durable` first, so a state on its way from one to the other is seen.
        let (syncing, recovered) = (syncing, recovered)
        return [durable, recovered, syncing]
    }

    package var slotTransactions: [UInt64] { (0..<SharedLayout.slotCount).map { transaction(inSlot: $0) } }

    /// The transaction whose header a slot holds; 0: none, or one that is just being written.
    package func transaction(inSlot slot: Int) -> UInt64 {
        load(SharedLayout.slotTransactionsOffset + slot * 8)
    }

    package func setTransaction(_ transaction: UInt64, inSlot slot: Int) {
        store(transaction, at: SharedLayout.slotTransactionsOffset + slot * 8)
    }

    /// By the first to open the file, once it knows what the file holds.
    ///
    /// - Parameter isSynced: nothing that was written waits to be synced, as in a file that was just made.
    package func reset(
        newest: UInt64, slot: Int, durable: UInt64, slots: [UInt64], nextBirth: UInt64, isSynced: Bool = true
    ) {
        precondition(slots.count == SharedLayout.slotCount, "there are four header slots")
        for (slot, transaction) in slots.enumerated() { setTransaction(transaction, inSlot: slot) }
        store(nextBirth, at: SharedLayout.nextBirthOffset)
        store(0, at: SharedLayout.committingOffset)
        store(0, at: SharedLayout.poisonOffset)
        store(0, at: SharedLayout.syncingOffset)
        store(durable, at: SharedLayout.durableOffset)
        store(newest == durable && isSynced ? 0 : newest, at: SharedLayout.recoveredOffset)
        publish(newest, slot: slot)
        memory.halfWord(SharedLayout.readyOffset).pointee.store(1, ordering: .sequentiallyConsistent)
    }

    // MARK: - Committing

    /// A number that no transaction has had since the first to open the file came.
    package func takeBirth() -> UInt64 {
        memory.word(SharedLayout.nextBirthOffset).pointee.add(1, ordering: .sequentiallyConsistent).oldValue
    }

    /// The birth of the commit whose pages are just being written. Whoever gets the writer's right and finds it not
    /// zero has a predecessor who died in the middle, and must look what became of that commit.
    package var committing: UInt64 { load(SharedLayout.committingOffset) }

    package func beginCommitting(_ birth: UInt64) { store(birth, at: SharedLayout.committingOffset) }

    package func endCommitting() { store(0, at: SharedLayout.committingOffset) }

    /// Everybody sees the state from now on.
    package func publish(_ transaction: UInt64, slot: Int) {
        store(UInt64(slot), at: SharedLayout.newestSlotOffset)
        store(transaction, at: SharedLayout.newestOffset)
    }

    // MARK: - Syncing

    /// Forgets the state that a process was syncing which died over it. Does nothing while somebody is syncing.
    func clearDeadSync() {
        guard syncing != 0, syncTurn.wait(timeout: .now()) == .success else { return }
        defer { syncTurn.signal() }
        guard let locks else { return setSyncing(0) }
        guard (try? locks.tryLock(SharedLayout.syncingByte)) == true else { return }
        setSyncing(0)
        locks.unlock(SharedLayout.syncingByte)
    }

    /// Waits until no other thread or process is syncing. Between this and ``unlockSyncing()``, ``syncing`` and
    /// ``durable`` belong to the caller. Whoever has the writer's right, too, takes that first.
    package func lockSyncing() {
        syncTurn.wait()
        if let locks {
            // The kernel refuses only when it lacks memory for a lock, and that passes.
            while (try? locks.lock(SharedLayout.syncingByte)) == nil { usleep(1000) }
        }
        // What stands here is of somebody who died; nothing was promised yet for that state.
        setSyncing(0)
    }

    package func unlockSyncing() {
        locks?.unlock(SharedLayout.syncingByte)
        syncTurn.signal()
    }

    package func setSyncing(_ transaction: UInt64) { store(transaction, at: SharedLayout.syncingOffset) }

    /// A state, and so every one before it, survives a power loss from now on.
    package func setDurable(_ transaction: UInt64) {
        memory.word(SharedLayout.durableOffset).pointee.max(transaction, ordering: .sequentiallyConsistent)
        if recovered <= durable { store(0, at: SharedLayout.recoveredOffset) }
    }

    // MARK: - Poison

    /// Whether a failed sync, or a header that may be there or not, has made the file unusable until everybody has closed it. The next to open it finds this
    /// out as well, and ``reset(newest:slot:durable:slots:nextBirth:isSynced:)`` ends it.
    package var isPoisoned: Bool { load(SharedLayout.poisonOffset) != 0 }

    /// Whether the poison is that of a failed sync, which the kernel may have taken pages with.
    package var hasFailedSync: Bool { load(SharedLayout.poisonOffset) == Self.failedSync }

    private static let failedSync: UInt64 = 2

    package func poison(afterSync: Bool = false) {
        memory.word(SharedLayout.poisonOffset).pointee
            .max(afterSync ? Self.failedSync : 1, ordering: .sequentiallyConsistent)
    }

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
