import CLMDB
import Foundation

/// LMDB with nothing above it, as a careful user would call it.
final class LMDBPeer {
    struct Failure: Error {
        let code: Int32
    }

    private var environment: OpaquePointer?
    private var database: MDB_dbi = 0
    /// The one reader, renewed for each snapshot, which saves LMDB from finding a place for it.
    private var reader: OpaquePointer?

    /// - Parameters:
    ///   - isSynced: LMDB's default; without it, commits wait for no disk.
    ///   - hasNumbers: keys are numbers of eight bytes, which LMDB compares as such.
    init(_ file: URL, isSynced: Bool = true, hasNumbers: Bool = false) throws {
        try check(mdb_env_create(&environment))
        try check(mdb_env_set_mapsize(environment, 8 << 30))
        let flags = UInt32(MDB_NOSUBDIR) | UInt32(isSynced ? 0 : MDB_NOSYNC)
        try check(mdb_env_open(environment, file.path, flags, 0o600))
        let transaction = try begin(0)
        try check(mdb_dbi_open(transaction, nil, hasNumbers ? UInt32(MDB_INTEGERKEY) : 0, &database))
        try check(mdb_txn_commit(transaction))
    }

    deinit {
        mdb_txn_abort(reader)
        mdb_env_close(environment)
    }

    /// Puts one value of eight bytes under one key and commits it.
    func commit(key: UInt64, value: UInt64) throws {
        try withUnsafeBytes(of: value) { value in
            try write { put in try put(key, value, false) }
        }
    }

    /// A write transaction; its body is told how to put a value under a number, and whether it lies behind all others.
    func write(_ body: ((UInt64, UnsafeRawBufferPointer, _ isLast: Bool) throws -> Void) throws -> Void) throws {
        let transaction = try begin(0)
        do {
            // A cursor finds the place of the next key from where it is.
            var cursor: OpaquePointer?
            try check(mdb_cursor_open(transaction, database, &cursor))
            defer { mdb_cursor_close(cursor) }
            try body { key, value, isLast in
                var key = key
                let status = withUnsafeMutableBytes(of: &key) { key in
                    var keyData = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
                    var valueData = MDB_val(
                        mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
                    return mdb_cursor_put(cursor, &keyData, &valueData, isLast ? UInt32(MDB_APPEND) : 0)
                }
                try check(status)
            }
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try check(mdb_txn_commit(transaction))
    }

    // MARK: - Reading

    /// A snapshot, gone as soon as it was taken.
    func takeSnapshot() throws {
        if let reader { try check(mdb_txn_renew(reader)) } else { reader = try begin(UInt32(MDB_RDONLY)) }
        mdb_txn_reset(reader)
    }

    /// A snapshot; its body is told how to get the value under a number.
    func read(_ body: ((UInt64) -> UnsafeRawBufferPointer?) -> Void) throws {
        let transaction = try begin(UInt32(MDB_RDONLY))
        defer { mdb_txn_abort(transaction) }
        body { key in
            var key = key
            return withUnsafeMutableBytes(of: &key) { key in
                var keyData = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
                var valueData = MDB_val()
                guard mdb_get(transaction, self.database, &keyData, &valueData) == 0 else { return nil }
                return UnsafeRawBufferPointer(start: valueData.mv_data, count: valueData.mv_size)
            }
        }
    }

    /// Visits every entry in order.
    func scan(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) throws {
        let transaction = try begin(UInt32(MDB_RDONLY))
        defer { mdb_txn_abort(transaction) }
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
            body(
                UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size),
                UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
        }
    }

    /// What a commit does, in LMDB's own words.
    func durability() throws -> String {
        var flags: UInt32 = 0
        try check(mdb_env_get_flags(environment, &flags))
        let isSynced = flags & UInt32(MDB_NOSYNC | MDB_NOMETASYNC) == 0
        return "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH): "
            + (isSynced ? "its pages and its root are synced at every commit" : "nothing is synced")
    }

    // MARK: - Inside

    private func begin(_ flags: UInt32) throws -> OpaquePointer {
        var transaction: OpaquePointer?
        let status = mdb_txn_begin(environment, nil, flags, &transaction)
        guard status == 0, let transaction else { throw Failure(code: status) }
        return transaction
    }

    private func check(_ status: Int32) throws {
        guard status == 0 else { throw Failure(code: status) }
    }
}
