import CLMDB
import CausewayStorage

/// A read transaction of LMDB.
///
/// @unchecked Sendable: LMDB lets a NOTLS read transaction move between threads, and here several may also read
/// through it at once. That is sound because reading changes a transaction in one place only, the first use of each
/// database, and `init` gets that over with; after it every read follows pages of the map, which nobody changes.
final class LMDBSnapshot: StorageSnapshot, @unchecked Sendable {
    let storage: LMDBStorage
    let transaction: OpaquePointer
    let transactionID: Int
    let version: UInt64

    init(_ storage: LMDBStorage) throws(StorageError) {
        var transaction: OpaquePointer?
        let result = mdb_txn_begin(storage.handles.environment, nil, UInt32(MDB_RDONLY), &transaction)
        guard result == 0, let transaction else {
            throw StorageError(lmdb: result, doing: "begin to read", path: storage.path)
        }
        self.storage = storage
        self.transaction = transaction
        transactionID = mdb_txn_id(transaction)
        // These two reads are also the first use of each database.
        version = FileRecord.version(transaction, storage.handles.trees) ?? 0
        var key = UInt64.max
        var value = MDB_val()
        _ = withUnsafeMutableBytes(of: &key) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            return mdb_get(transaction, storage.handles.leaves, &key, &value)
        }
    }

    deinit {
        mdb_txn_abort(transaction)
    }

    var isNewest: Bool { storage.newestTransaction == transactionID }
    var damage: StorageError? { storage.failure }

    func leaf(column: UInt32, number: UInt32) -> UnsafeRawBufferPointer? {
        var combined = UInt64(column) << 32 | UInt64(number)
        return withUnsafeMutableBytes(of: &combined) { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            var value = MDB_val()
            let result = mdb_get(transaction, storage.handles.leaves, &key, &value)
            return found(result) ? Self.bytes(value) : nil
        }
    }

    func get(tree: UInt32, key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        withFullKey(tree, key) { fullKey in
            var fullKey = fullKey
            var value = MDB_val()
            let result = mdb_get(transaction, storage.handles.trees, &fullKey, &value)
            return found(result) ? Self.bytes(value) : nil
        }
    }

    func scan(
        tree: UInt32, from: [UInt8], upTo: [UInt8]?, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        var cursor: OpaquePointer?
        guard found(mdb_cursor_open(transaction, storage.handles.trees, &cursor)), let cursor else { return }
        defer { mdb_cursor_close(cursor) }
        let first = Self.fullKey(tree, from)
        // The end of a tree is the beginning of the next; no tree has the last number of all.
        let end = upTo.map { Self.fullKey(tree, $0) } ?? Self.fullKey(tree + 1, [])
        first.withUnsafeBytes { first in
            end.withUnsafeBytes { end in
                if reversed {
                    scanBackwards(cursor, first, end, body)
                } else {
                    scanForwards(cursor, first, end, body)
                }
            }
        }
    }

    /// LMDB keeps no counts inside its trees, so this walks.
    func count(tree: UInt32, from: [UInt8], upTo: [UInt8]?) -> Int {
        var count = 0
        scan(tree: tree, from: from, upTo: upTo, reversed: false) { _, _ in
            count += 1
            return true
        }
        return count
    }

    // MARK: - Everything

    /// All entries of all trees but the storage's own, by their keys with the number of the tree.
    func scanTrees(_ body: (_ fullKey: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool) {
        var cursor: OpaquePointer?
        guard found(mdb_cursor_open(transaction, storage.handles.trees, &cursor)), let cursor else { return }
        defer { mdb_cursor_close(cursor) }
        Self.fullKey(1, []).withUnsafeBytes { first in
            var key = Self.value(first)
            var value = MDB_val()
            var operation = MDB_SET_RANGE
            while found(mdb_cursor_get(cursor, &key, &value, operation)) {
                guard body(Self.bytes(key), Self.bytes(value)) else { return }
                operation = MDB_NEXT
            }
        }
    }

    func scanLeaves(_ body: (LeafPlace, UnsafeRawBufferPointer) -> Void) {
        var cursor: OpaquePointer?
        guard found(mdb_cursor_open(transaction, storage.handles.leaves, &cursor)), let cursor else { return }
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        while found(mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
            let combined = Self.bytes(key).loadUnaligned(as: UInt64.self)
            body(
                LeafPlace(column: UInt32(combined >> 32), number: UInt32(truncatingIfNeeded: combined)),
                Self.bytes(value))
        }
    }

    /// LMDB's own list of pages that belong to no state any more, by the transaction that gave them up.
    func unusedPages(before oldest: Int) -> (free: Int, pinned: Int) {
        let freeList: MDB_dbi = 0
        var pages = (free: 0, pinned: 0)
        var cursor: OpaquePointer?
        guard found(mdb_cursor_open(transaction, freeList, &cursor)), let cursor else { return pages }
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        while found(mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
            let freedBy = Self.bytes(key).loadUnaligned(as: Int.self)
            let count = Self.bytes(value).loadUnaligned(as: Int.self)
            if freedBy <= oldest { pages.free += count } else { pages.pinned += count }
        }
        return pages
    }

    // MARK: - Cursors

    private func scanForwards(
        _ cursor: OpaquePointer, _ first: UnsafeRawBufferPointer, _ end: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        var key = Self.value(first)
        var value = MDB_val()
        var operation = MDB_SET_RANGE
        while found(mdb_cursor_get(cursor, &key, &value, operation)) {
            guard visit(key, value, before: end, body) else { return }
            operation = MDB_NEXT
        }
    }

    private func scanBackwards(
        _ cursor: OpaquePointer, _ first: UnsafeRawBufferPointer, _ end: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) {
        var key = Self.value(end)
        var value = MDB_val()
        var isThere = found(mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE))
        isThere = found(mdb_cursor_get(cursor, &key, &value, isThere ? MDB_PREV : MDB_LAST))
        while isThere {
            guard bytesOrder(Self.bytes(key), first) >= 0, visit(key, value, before: end, body) else { return }
            isThere = found(mdb_cursor_get(cursor, &key, &value, MDB_PREV))
        }
    }

    private func visit(
        _ key: MDB_val, _ value: MDB_val, before end: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        let bytes = Self.bytes(key)
        guard bytesOrder(bytes, end) < 0, bytes.count >= 4 else { return false }
        return body(UnsafeRawBufferPointer(rebasing: bytes[4...]), Self.bytes(value))
    }

    // MARK: - Keys and results

    private func found(_ result: Int32) -> Bool {
        if result == 0 { return true }
        if result != MDB_NOTFOUND, result != MDB_BAD_VALSIZE {
            storage.noteFailure(StorageError(lmdb: result, doing: "read a page", path: storage.path))
        }
        return false
    }

    private static func bytes(_ value: MDB_val) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }

    private static func value(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
        MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    /// A bound may be longer than any key. One byte more than keys have says the same about all of them.
    private static func fullKey(_ tree: UInt32, _ key: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: tree.bigEndian) { Array($0) } + key.prefix(LMDBStorage.longestKeyBytes + 1)
    }

    private func withFullKey<Result>(
        _ tree: UInt32, _ key: UnsafeRawBufferPointer, _ body: (MDB_val) -> Result?
    ) -> Result? {
        guard key.count <= LMDBStorage.longestKeyBytes else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: key.count + 4, alignment: 8) { buffer in
            buffer.storeBytes(of: tree.bigEndian, as: UInt32.self)
            if let base = key.baseAddress {
                UnsafeMutableRawBufferPointer(rebasing: buffer[4...])
                    .copyMemory(from: UnsafeRawBufferPointer(start: base, count: key.count))
            }
            return body(Self.value(UnsafeRawBufferPointer(buffer)))
        }
    }
}
