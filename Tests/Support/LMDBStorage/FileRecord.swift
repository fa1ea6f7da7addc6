import CLMDB

/// What the storage itself keeps in tree 0: whose file it is, its format, and the version of the newest commit.
enum FileRecord {
    static let format: UInt32 = 1
    /// How many entries of tree 0 there are.
    static let entryCount = 2
    private static let mark: [UInt8] = Array("Causeway".utf8)
    private static let markKey: [UInt8] = [0, 0, 0, 0, 0]
    private static let versionKey: [UInt8] = [0, 0, 0, 0, 1]

    enum Verdict {
        case ours
        case foreign
        case newer(UInt32)
    }

    static func verdict(_ transaction: OpaquePointer, _ trees: MDB_dbi) -> Verdict {
        guard let bytes = get(transaction, trees, markKey), bytes.count == mark.count + 4,
            bytes.prefix(mark.count).elementsEqual(mark)
        else { return .foreign }
        let format = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: mark.count, as: UInt32.self))
        return format <= Self.format ? .ours : .newer(format)
    }

    static func create(_ transaction: OpaquePointer, _ trees: MDB_dbi) -> Int32 {
        let record = mark + withUnsafeBytes(of: format.littleEndian) { Array($0) }
        let result = put(transaction, trees, markKey, record)
        return result == 0 ? setVersion(0, transaction, trees) : result
    }

    static func version(_ transaction: OpaquePointer, _ trees: MDB_dbi) -> UInt64? {
        guard let bytes = get(transaction, trees, versionKey), bytes.count == 8 else { return nil }
        return UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    static func setVersion(_ version: UInt64, _ transaction: OpaquePointer, _ trees: MDB_dbi) -> Int32 {
        put(transaction, trees, versionKey, withUnsafeBytes(of: version.littleEndian) { Array($0) })
    }

    private static func get(_ transaction: OpaquePointer, _ trees: MDB_dbi, _ key: [UInt8]) -> UnsafeRawBufferPointer? {
        key.withUnsafeBytes { bytes in
            var key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            var value = MDB_val()
            guard mdb_get(transaction, trees, &key, &value) == 0 else { return nil }
            return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        }
    }

    private static func put(
        _ transaction: OpaquePointer, _ trees: MDB_dbi, _ key: [UInt8], _ value: [UInt8]
    ) -> Int32 {
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                var key = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
                var value = MDB_val(
                    mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
                return mdb_put(transaction, trees, &key, &value, 0)
            }
        }
    }
}
