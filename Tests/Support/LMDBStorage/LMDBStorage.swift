import CLMDB
package import CausewayStorage
import Dispatch
import Glibc
import Synchronization

/// A storage on LMDB: what the page store is tested against, and measured beside.
///
/// 1. One environment per file and process (LMDB's rule), kept by `registry`.
/// 2. Two named databases: `trees` (tree number, four bytes big-endian, then the key) and `leaves` (an integer key:
///    column in the upper half, number in the lower). Tree 0 is the storage's own: ``FileRecord``.
/// 3. A write transaction of ours is an in-memory overlay over a snapshot. LMDB's own write transaction, which belongs
///    to a thread, exists inside `commit` only.
/// 4. The map is reserved once, far larger than the file, and never grown, so that pointers stay.
/// 5. No WRITEMAP: a stray write of the process must not reach the file.
///
/// Behind the same calls as the page store, with these differences: keys have at most ``longestKeyBytes`` bytes,
/// leaves begin anywhere, nothing is encrypted, the file never shrinks, versions are not capped, and commits of other
/// processes are not told.
package final class LMDBStorage: Storage {
    package static let longestKeyBytes = 500
    static let registry = LMDBRegistry()

    package let path: String
    /// @unchecked: LMDB's environment and database handles may be used from all threads.
    struct Handles: @unchecked Sendable {
        let environment: OpaquePointer
        let trees: MDB_dbi
        let leaves: MDB_dbi
    }

    let handles: Handles
    let writerLock: LMDBWriterLock
    let isReadOnly: Bool
    let isInMemory: Bool
    let fileIdentity: FileIdentity
    /// Reservations are granted on this queue, because waiting for a turn blocks a thread.
    private let reservations = DispatchQueue(label: "causeway.storage.reservations")
    private let newest = Mutex((transaction: -1, version: UInt64(0)))
    /// The newest version that is known to survive a power loss.
    private let durable = Mutex(UInt64(0))
    /// The first failure met while reading, thrown by the next call that can throw.
    private let readFailure = Mutex<StorageError?>(nil)
    let commitCount = Atomic(0)

    init(
        path: String, handles: Handles, writerLock: LMDBWriterLock, isReadOnly: Bool, isInMemory: Bool,
        identity: FileIdentity
    ) {
        self.path = path
        self.handles = handles
        self.writerLock = writerLock
        self.isReadOnly = isReadOnly
        self.isInMemory = isInMemory
        fileIdentity = identity
    }

    deinit {
        mdb_env_close(handles.environment)
        Self.registry.closed(fileIdentity)
    }

    // MARK: - Reading

    package func snapshot() throws(StorageError) -> any StorageSnapshot {
        try newestSnapshot()
    }

    package func newestVersion() throws(StorageError) -> UInt64 {
        let transaction = newestTransaction
        let known = newest.withLock { $0 }
        if known.transaction == transaction { return known.version }
        return try newestSnapshot().version
    }

    /// LMDB tells nobody of a commit: the body is never called.
    package func observeOtherProcesses(_ body: @escaping @Sendable () -> Void) -> any StorageObservation {
        final class Nothing: StorageObservation {}
        return Nothing()
    }

    // MARK: - Writing

    package func write() throws(StorageError) -> any StorageWriter {
        try refuseIfReadOnly()
        let ticket = writerLock.takeTicket()
        try writerLock.wait(for: ticket)
        return try beginWriting()
    }

    package func write(using reservation: WriteReservation) throws(StorageError) -> any StorageWriter {
        guard reservation.use(for: writerLock) else {
            throw StorageError(
                .locked,
                "The reservation was used before or belongs to another file. Reserve again before writing.",
                path: path
            )
        }
        return try beginWriting()
    }

    package func reserveWrite(_ granted: @escaping @Sendable (WriteReservation) -> Void) {
        let ticket = writerLock.takeTicket()
        reservations.async { [self] in
            // Without the lock file the turn has passed on already, and using the reservation will say so.
            let isGranted = (try? writerLock.wait(for: ticket)) != nil
            granted(WriteReservation(writerLock, isUsed: !isGranted))
        }
    }

    package func synchronize() throws(StorageError) {
        let version = try newestVersion()
        if !isInMemory {
            let result = mdb_env_sync(handles.environment, 1)
            guard result == 0 else { throw StorageError(lmdb: result, doing: "synchronise the file", path: path) }
        }
        noteDurable(version)
    }

    /// Grouped commits are durable at once here; for a relaxed one this does the sync itself.
    package func whenDurable(_ version: UInt64) async throws(StorageError) {
        if durable.withLock({ $0 }) < version { try synchronize() }
    }

    func noteDurable(_ version: UInt64) {
        durable.withLock { $0 = max($0, version) }
    }

    // MARK: - Inside

    /// The number of LMDB's newest transaction, read from its meta pages without beginning one.
    var newestTransaction: Int {
        var information = MDB_envinfo()
        mdb_env_info(handles.environment, &information)
        return Int(information.me_last_txnid)
    }

    func newestSnapshot() throws(StorageError) -> LMDBSnapshot {
        try throwFailure()
        let snapshot = try LMDBSnapshot(self)
        newest.withLock { newest in
            if newest.transaction < snapshot.transactionID {
                newest = (snapshot.transactionID, snapshot.version)
            }
        }
        return snapshot
    }

    private func beginWriting() throws(StorageError) -> LMDBWriter {
        do {
            return LMDBWriter(self, base: try newestSnapshot())
        } catch {
            writerLock.release()
            throw error
        }
    }

    private func refuseIfReadOnly() throws(StorageError) {
        guard isReadOnly else { return }
        throw StorageError(
            .readOnly, "The file was opened read-only. Open it for writing before changing it.", path: path)
    }

    var failure: StorageError? { readFailure.withLock { $0 } }

    func noteFailure(_ error: StorageError) {
        readFailure.withLock { if $0 == nil { $0 = error } }
    }

    func throwFailure() throws(StorageError) {
        if let failure { throw failure }
    }
}
