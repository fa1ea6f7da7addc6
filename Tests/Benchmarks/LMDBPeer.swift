import CLMDB
import Foundation

/// LMDB with nothing above it: what a durable commit costs at least on the store that we stand on.
final class LMDBPeer {
    struct Failure: Error {
        let code: Int32
    }

    private var environment: OpaquePointer?
    private var database: MDB_dbi = 0

    init(_ file: URL) throws {
        try check(mdb_env_create(&environment))
        try check(mdb_env_set_mapsize(environment, 1 << 30))
        try check(mdb_env_open(environment, file.path, UInt32(MDB_NOSUBDIR), 0o600))
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        try check(mdb_dbi_open(transaction, nil, 0, &database))
        try check(mdb_txn_commit(transaction))
    }

    deinit {
        mdb_env_close(environment)
    }

    /// Puts one value of eight bytes under one key and commits it durably.
    func commit(key: UInt64, value: UInt64) throws {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        var (key, value) = (key, value)
        let status = withUnsafeMutableBytes(of: &key) { key in
            withUnsafeMutableBytes(of: &value) { value in
                var keyData = MDB_val(mv_size: key.count, mv_data: key.baseAddress)
                var valueData = MDB_val(mv_size: value.count, mv_data: value.baseAddress)
                return mdb_put(transaction, database, &keyData, &valueData, 0)
            }
        }
        guard status == 0 else {
            mdb_txn_abort(transaction)
            throw Failure(code: status)
        }
        try check(mdb_txn_commit(transaction))
    }

    private func check(_ status: Int32) throws {
        guard status == 0 else { throw Failure(code: status) }
    }
}
