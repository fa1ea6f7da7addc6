import CLMDB
import CausewayStorage
import Glibc
import Synchronization

/// The one write transaction: a snapshot, and the changes over it in memory until `commit` writes them in order.
final class LMDBWriter: StorageWriter {
    private let storage: LMDBStorage
    private let snapshot: LMDBSnapshot
    private let changes: WriteChanges
    private var isOver = false

    /// The storage's writer lock is held, and this object releases it.
    init(_ storage: LMDBStorage, base: LMDBSnapshot) {
        self.storage = storage
        snapshot = base
        changes = WriteChanges(over: base, path: storage.path, longestKeyBytes: LMDBStorage.longestKeyBytes)
    }

    deinit {
        if !isOver { storage.writerLock.release() }
    }

    var base: any StorageSnapshot { snapshot }
    var version: UInt64 { snapshot.version }
    var damage: StorageError? { snapshot.damage }

    // MARK: - Reading its own changes

    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        changes.leaf(column: column, number: number)
    }

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        changes.get(tree: tree, key: key)
    }

    func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int {
        changes.count(tree: tree, from: from, upTo: upTo)
    }

    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        changes.scan(tree: tree, from: from, upTo: upTo, reversed: reversed, body)
    }

    // MARK: - Changing

    func put(tree: UInt32, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        changes.put(tree: tree, key: key, value: value)
    }

    func remove(tree: UInt32, key: UnsafeRawBufferPointer) {
        changes.remove(tree: tree, key: key)
    }

    func replaceLeaf(column: UInt32, number: UInt32, _ bytes: UnsafeRawBufferPointer) {
        changes.replaceLeaf(column: column, number: number, bytes)
    }

    func removeLeaf(column: UInt32, number: UInt32) {
        changes.removeLeaf(column: column, number: number)
    }

    // MARK: - Ending

    func abort() {
        end()
    }

    private func end() {
        precondition(!isOver, "a write transaction ends once")
        isOver = true
        storage.writerLock.release()
    }

    func commit(_ durability: Durability) throws(StorageError) -> any StorageSnapshot {
        defer { end() }
        if let refusal = changes.refusal { throw refusal }
        try storage.throwFailure()
        let environment = storage.handles.environment
        // Only the holder of the writer lock commits, so nobody else sees the flag change.
        let isSynced = durability != .relaxed && !storage.isInMemory
        mdb_env_set_flags(environment, UInt32(MDB_NOSYNC), isSynced ? 0 : 1)
        var transaction: OpaquePointer?
        var result = mdb_txn_begin(environment, nil, 0, &transaction)
        guard result == 0, let transaction else { throw failure(result) }
        result = write(to: transaction)
        guard result == 0 else {
            mdb_txn_abort(transaction)
            throw failure(result)
        }
        // Whether it succeeds or not, this frees the transaction.
        result = mdb_txn_commit(transaction)
        guard result == 0 else { throw failure(result) }
        // A reader that was killed pins pages until somebody clears its place.
        if storage.commitCount.wrappingAdd(1, ordering: .relaxed).newValue % 64 == 0 {
            mdb_reader_check(environment, nil)
        }
        if isSynced { storage.noteDurable(snapshot.version + 1) }
        return try storage.newestSnapshot()
    }

    private func failure(_ result: Int32) -> StorageError {
        // LMDB calls a write that the disk took in part EIO; the only common reason for one is a disk that is full.
        let isFull = result == EIO && SpaceLeft.isLess(than: changes.usedBytes, path: storage.path)
        return StorageError(lmdb: isFull ? ENOSPC : result, doing: "commit", path: storage.path)
    }

    /// Writes all changes in key order, which lets LMDB fill pages from one end and find each place next to the last.
    private func write(to transaction: OpaquePointer) -> Int32 {
        var cursor: OpaquePointer?
        for (_, changes) in changes.sortedChangesOfTrees() {
            var tail = TreeTail(transaction, storage.handles.trees)
            var result = changes.count < TreeTail.worthwhileCount ? 0 : tail.take(behind: changes[0].fullKey)
            guard result == 0 else { return result }
            result = mdb_cursor_open(transaction, storage.handles.trees, &cursor)
            guard result == 0, let cursor else { return result }
            defer { mdb_cursor_close(cursor) }
            var isAppending = true
            for change in changes {
                let result = write(change, cursor, transaction, &isAppending)
                guard result == 0 else { return result }
            }
            result = tail.putBack()
            guard result == 0 else { return result }
        }
        for (place, bytes) in changes.sortedLeafChanges() {
            let result = write(place, bytes, to: transaction)
            guard result == 0 else { return result }
        }
        return FileRecord.setVersion(snapshot.version + 1, transaction, storage.handles.trees)
    }

    /// While changes lie behind everything stored, LMDB is told so: it searches nothing and leaves pages full.
    private func write(
        _ change: TreeOverlay.Entry, _ cursor: OpaquePointer, _ transaction: OpaquePointer, _ isAppending: inout Bool
    ) -> Int32 {
        var key = Self.value(change.fullKey)
        if change.isRemoval {
            let result = mdb_del(transaction, storage.handles.trees, &key, nil)
            return result == MDB_NOTFOUND ? 0 : result
        }
        var value = Self.value(change.value)
        if isAppending {
            let result = mdb_cursor_put(cursor, &key, &value, UInt32(MDB_APPEND))
            // Nothing was written: there is a key behind this one, or this one.
            guard result == MDB_KEYEXIST else { return result }
            isAppending = false
        }
        return mdb_cursor_put(cursor, &key, &value, 0)
    }

    private func write(_ place: LeafPlace, _ bytes: UnsafeRawBufferPointer?, to transaction: OpaquePointer) -> Int32 {
        var combined = UInt64(place.column) << 32 | UInt64(place.number)
        return withUnsafeMutableBytes(of: &combined) { combined in
            var key = MDB_val(mv_size: combined.count, mv_data: combined.baseAddress)
            guard let bytes else {
                let result = mdb_del(transaction, storage.handles.leaves, &key, nil)
                return result == MDB_NOTFOUND ? 0 : result
            }
            var value = Self.value(bytes)
            return mdb_put(transaction, storage.handles.leaves, &key, &value, 0)
        }
    }

    private static func value(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
        MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}
