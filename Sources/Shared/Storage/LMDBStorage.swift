import CLMDB
import Dispatch
import Glibc
import Synchronization

/// A storage on LMDB.
///
/// 1. One environment per file and process (LMDB's rule), kept by ``StorageRegistry``.
/// 2. Two named databases: `trees` (tree number, four bytes big-endian, then the key) and `leaves` (an integer key:
///    column in the upper half, number in the lower).
/// 3. A write transaction of ours is an in-memory overlay over a snapshot. LMDB's own write transaction, which belongs
///    to a thread, exists inside `commit` only.
/// 4. The map is reserved once, far larger than the file, and never grown, so that pointers stay.
/// 5. No WRITEMAP: a stray write of the process must not reach the file.
package final class LMDBStorage: Storage {
    package let path: String
    /// @unchecked: LMDB's environment and database handles may be used from all threads.
    struct Handles: @unchecked Sendable {
        let environment: OpaquePointer
        let trees: MDB_dbi
        let leaves: MDB_dbi
    }

    let handles: Handles
    let writerLock: WriterLock
    let isReadOnly: Bool
    let isInMemory: Bool
    let fileIdentity: FileIdentity
    /// Reservations are granted on this queue, because waiting for a turn blocks a thread.
    private let reservations = DispatchQueue(label: "causeway.storage.reservations")
    private let newest = Mutex((transaction: -1, version: UInt64(0)))
    /// The first failure met while reading, thrown by the next call that can throw.
    private let readFailure = Mutex<StorageError?>(nil)
    let commitCount = Atomic(0)

    init(
        path: String, handles: Handles, writerLock: WriterLock, isReadOnly: Bool, isInMemory: Bool,
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
        StorageRegistry.shared.closed(fileIdentity)
    }

    // MARK: - Storage

    package func snapshot() throws(StorageError) -> any StorageSnapshot {
        try newestSnapshot()
    }

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

    package func newestVersion() throws(StorageError) -> UInt64 {
        let transaction = newestTransaction
        let known = newest.withLock { $0 }
        if known.transaction == transaction { return known.version }
        return try newestSnapshot().version
    }

    package func compact(to path: String) throws(StorageError) {
        let result = mdb_env_copy2(handles.environment, path, UInt32(MDB_CP_COMPACT))
        guard result == 0 else {
            if result != EEXIST { unlink(path) }
            throw StorageError(lmdb: result, doing: "write a compact copy", path: path)
        }
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        defer { if descriptor >= 0 { Glibc.close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw StorageError(errno: errno, doing: "write a compact copy", path: path)
        }
    }

    package func statistics() throws(StorageError) -> StorageStatistics {
        let snapshot = try newestSnapshot()
        var information = MDB_envinfo()
        mdb_env_info(handles.environment, &information)
        var trees = MDB_stat()
        var leaves = MDB_stat()
        mdb_stat(snapshot.transaction, handles.trees, &trees)
        mdb_stat(snapshot.transaction, handles.leaves, &leaves)
        let pages = [trees, leaves].map { $0.ms_branch_pages + $0.ms_leaf_pages + $0.ms_overflow_pages }.reduce(0, +)
        return StorageStatistics(
            sizeBytes: (Int(information.me_last_pgno) + 1) * Int(trees.ms_psize),
            usedBytes: (pages + 2) * Int(trees.ms_psize), pageBytes: Int(trees.ms_psize),
            treeEntries: trees.ms_entries, leaves: leaves.ms_entries)
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

    func noteFailure(_ error: StorageError) {
        readFailure.withLock { if $0 == nil { $0 = error } }
    }

    func throwFailure() throws(StorageError) {
        if let failure = readFailure.withLock({ $0 }) { throw failure }
    }
}
