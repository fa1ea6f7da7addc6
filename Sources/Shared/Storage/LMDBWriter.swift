import CLMDB
import Glibc
import Synchronization

/// The one write transaction: a snapshot, and the changes over it in memory until `commit` writes them in order.
final class LMDBWriter: StorageWriter {
    private enum LeafChange {
        case replaced(UnsafeRawBufferPointer)
        case removed
    }

    private let storage: LMDBStorage
    private let snapshot: LMDBSnapshot
    private let arena = ByteArena()
    private var trees: [UInt32: TreeOverlay] = [:]
    /// The trees changed last, by the low bits of their numbers: bulk writing goes round the few trees of one class.
    /// Only read and replaced in `overlay`, so accesses never overlap.
    @exclusivity(unchecked) private var recent = [TreeOverlay?](repeating: nil, count: 16)
    private var leaves: [UInt64: LeafChange] = [:]
    private var refusal: StorageError?
    private var isOver = false

    /// The storage's writer lock is held, and this object releases it.
    init(_ storage: LMDBStorage, base: LMDBSnapshot) {
        self.storage = storage
        snapshot = base
    }

    deinit {
        if !isOver { storage.writerLock.release() }
    }

    var base: any StorageSnapshot { snapshot }
    var version: UInt64 { snapshot.version }

    // MARK: - Reading its own changes

    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        switch leaves[Self.leafKey(column, number)] {
        case .replaced(let bytes): bytes
        case .removed: nil
        case nil: snapshot.leaf(column: column, number: number)
        }
    }

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        if let change = trees[tree]?.change(of: key) { return change.isRemoval ? nil : change.value }
        return snapshot.get(tree: tree, key: key)
    }

    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        guard let overlay = trees[tree], !overlay.isEmpty else {
            snapshot.scan(tree: tree, from: from, upTo: upTo, reversed: reversed, body)
            return
        }
        var cursor = cursor(tree, from: from, upTo: upTo, reversed: reversed)
        var isStopped = false
        snapshot.scan(tree: tree, from: from, upTo: upTo, reversed: reversed) { key, value in
            while let change = cursor.current {
                let order = bytesOrder(change.key, key)
                if order != 0, (order < 0) == reversed { break }
                cursor.advance()
                if !change.isRemoval, !body(change.key, change.value) {
                    isStopped = true
                    return false
                }
                // The change stands for the entry below it.
                if order == 0 { return true }
            }
            isStopped = !body(key, value)
            return !isStopped
        }
        while !isStopped, let change = cursor.current {
            cursor.advance()
            if !change.isRemoval { isStopped = !body(change.key, change.value) }
        }
    }

    private func cursor(_ tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool) -> OverlayCursor {
        from.withUnsafeBytes { from in
            guard let upTo else { return overlay(tree).cursor(from: from, upTo: nil, reversed: reversed) }
            return upTo.withUnsafeBytes { overlay(tree).cursor(from: from, upTo: $0, reversed: reversed) }
        }
    }

    // MARK: - Changing

    func put(tree: UInt32, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard accepts(key, value.count) else { return }
        overlay(tree).put(key, value)
    }

    func remove(tree: UInt32, key: UnsafeRawBufferPointer) {
        guard accepts(key, 0) else { return }
        overlay(tree).remove(key)
    }

    private func overlay(_ tree: UInt32) -> TreeOverlay {
        let place = Int(tree & 15)
        if let known = recent[place], known.tree == tree { return known }
        let overlay = trees[tree] ?? TreeOverlay(tree: tree, arena: arena)
        trees[tree] = overlay
        recent[place] = overlay
        return overlay
    }

    func replaceLeaf(column: UInt32, number: UInt32, _ bytes: UnsafeRawBufferPointer) {
        leaves[Self.leafKey(column, number)] = .replaced(arena.copy(bytes))
    }

    func removeLeaf(column: UInt32, number: UInt32) {
        leaves[Self.leafKey(column, number)] = .removed
    }

    private func accepts(_ key: UnsafeRawBufferPointer, _ valueCount: Int) -> Bool {
        if key.count > maximumKeyBytes {
            refusal = refusal ?? StorageError(lmdb: MDB_BAD_VALSIZE, doing: "write a tree", path: storage.path)
            return false
        }
        if valueCount >= Int(Int32.max) {
            refusal =
                refusal
                ?? StorageError(
                    .keyTooLong, "A value has more than 2 GB. Split it into smaller ones.", path: storage.path)
            return false
        }
        return true
    }

    private static func leafKey(_ column: UInt32, _ number: UInt32) -> UInt64 {
        UInt64(column) << 32 | UInt64(number)
    }

    // MARK: - Ending

    func abort() {
        end()
    }

    private func end() {
        precondition(!isOver, "a write transaction ends once")
        isOver = true
        trees = [:]
        recent = []
        leaves = [:]
        storage.writerLock.release()
    }

    func commit(_ durability: Durability) throws(StorageError) -> any StorageSnapshot {
        defer { end() }
        if let refusal { throw refusal }
        try storage.throwFailure()
        let environment = storage.handles.environment
        // Only the holder of the writer lock commits, so nobody else sees the flag change.
        let isSynced = durability == .durable && !storage.isInMemory
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
        return try storage.newestSnapshot()
    }

    private func failure(_ result: Int32) -> StorageError {
        // LMDB calls a write that the disk took in part EIO; the only common reason for one is a disk that is full.
        let isFull = result == EIO && SpaceLeft.isLess(than: arena.usedBytes, path: storage.path)
        return StorageError(lmdb: isFull ? ENOSPC : result, doing: "commit", path: storage.path)
    }

    /// Writes all changes in key order, which lets LMDB fill pages from one end and find each place next to the last.
    private func write(to transaction: OpaquePointer) -> Int32 {
        var cursor: OpaquePointer?
        for tree in trees.keys.sorted() {
            let changes = trees[tree]?.sorted() ?? []
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
        for key in leaves.keys.sorted() {
            let result = writeLeaf(key, to: transaction)
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

    private func writeLeaf(_ leafKey: UInt64, to transaction: OpaquePointer) -> Int32 {
        guard let change = leaves[leafKey] else { return 0 }
        var leafKey = leafKey
        return withUnsafeMutableBytes(of: &leafKey) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            switch change {
            case .removed:
                let result = mdb_del(transaction, storage.handles.leaves, &key, nil)
                return result == MDB_NOTFOUND ? 0 : result
            case .replaced(let bytes):
                var value = Self.value(bytes)
                return mdb_put(transaction, storage.handles.leaves, &key, &value, 0)
            }
        }
    }

    private static func value(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
        MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}
