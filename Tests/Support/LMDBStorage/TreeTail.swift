import CLMDB

/// The few entries of other trees that lie behind a tree which is about to get many.
///
/// All trees share one database, and LMDB appends, without a search and leaving its pages full, only behind the last
/// key of all. Taking a few entries out and putting them back afterwards, in the same transaction, makes a bulk write
/// such an append: half the pages, and half the time.
struct TreeTail {
    /// Writing fewer changes than this gains less than moving the tail costs.
    static let worthwhileCount = 1000
    private static let longest = 64

    private let transaction: OpaquePointer
    private let trees: MDB_dbi
    private var entries: [(key: [UInt8], value: [UInt8])] = []

    init(_ transaction: OpaquePointer, _ trees: MDB_dbi) {
        self.transaction = transaction
        self.trees = trees
    }

    /// Takes out what lies behind a full key, unless that is much, or entries of the key's own tree.
    mutating func take(behind first: UnsafeRawBufferPointer) -> Int32 {
        let result = collect(behind: first)
        guard result == 0 else { return result }
        for entry in entries {
            let result = entry.key.withUnsafeBytes { bytes in
                var key = Self.value(bytes)
                return mdb_del(transaction, trees, &key, nil)
            }
            guard result == 0 else { return result }
        }
        return 0
    }

    private mutating func collect(behind first: UnsafeRawBufferPointer) -> Int32 {
        var cursor: OpaquePointer?
        let result = mdb_cursor_open(transaction, trees, &cursor)
        guard result == 0, let cursor else { return result }
        defer { mdb_cursor_close(cursor) }
        var key = Self.value(first)
        var value = MDB_val()
        var found = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        while found == 0 {
            let bytes = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
            guard entries.count < Self.longest, !bytes.prefix(4).elementsEqual(first.prefix(4)) else {
                entries = []
                return 0
            }
            entries.append((Array(bytes), Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))))
            found = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        return found == MDB_NOTFOUND ? 0 : found
    }

    func putBack() -> Int32 {
        for entry in entries {
            let result = entry.key.withUnsafeBytes { key in
                entry.value.withUnsafeBytes { value in
                    var key = Self.value(key)
                    var value = Self.value(value)
                    return mdb_put(transaction, trees, &key, &value, 0)
                }
            }
            guard result == 0 else { return result }
        }
        return 0
    }

    private static func value(_ bytes: UnsafeRawBufferPointer) -> MDB_val {
        MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}
