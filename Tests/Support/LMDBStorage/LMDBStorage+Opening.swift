import CLMDB
package import CausewayStorage
import Glibc

extension LMDBStorage {
    static let maximumReaders: UInt32 = 2048

    /// The storage of a file, which is opened or created if it is not open yet.
    package static func open(path: String, options: StorageOptions) throws(StorageError) -> any Storage {
        guard options.encryptionKey == nil else {
            throw StorageError(
                StorageError.Code("unsupported"), "LMDB encrypts nothing. Open the file without a key.", path: path)
        }
        return try registry.storage(path: path, inMemory: options.inMemory) { () throws(StorageError) in
            try openOnce(path: path, options: options)
        }
    }

    private static func openOnce(path: String, options: StorageOptions) throws(StorageError) -> LMDBStorage {
        if options.inMemory { return try openInMemory(name: path, options) }
        let verdict = try LMDBFileCheck.verdict(path: path)
        if verdict != .sound, options.readOnly {
            throw StorageError(
                .fileNotFound, "Cannot open the file read-only: there is none yet. Open it for writing first.",
                path: path)
        }
        // Creating the databases is a write: take the place of the writer against other processes.
        let lock = try LMDBWriterLock(path: options.readOnly ? nil : path + "-writer")
        let ticket = lock.takeTicket()
        try lock.wait(for: ticket)
        defer { lock.release() }
        let handles = try openEnvironment(file: path, shownAs: path, options)
        guard let identity = FileIdentity(path: path) else {
            mdb_env_close(handles.environment)
            throw StorageError(errno: ENOENT, doing: "open the file", path: path)
        }
        return LMDBStorage(
            path: path, handles: handles, writerLock: lock, isReadOnly: options.readOnly, isInMemory: false,
            identity: identity)
    }

    /// A file in memory whose name is gone before anybody else can see it: it vanishes with the last user, however
    /// the process ends.
    private static func openInMemory(name: String, _ options: StorageOptions) throws(StorageError) -> LMDBStorage {
        let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        let number = UInt64.random(in: .min ... .max)
        let file = "\(folder)/causeway-\(getpid())-\(String(number, radix: 36))"
        defer {
            unlink(file)
            unlink(file + "-lock")
        }
        let handles = try openEnvironment(file: file, shownAs: name, options)
        return LMDBStorage(
            path: name, handles: handles, writerLock: try LMDBWriterLock(path: nil), isReadOnly: false,
            isInMemory: true, identity: FileIdentity(memory: name))
    }

    private static func openEnvironment(
        file: String, shownAs path: String, _ options: StorageOptions
    ) throws(StorageError) -> Handles {
        var environment: OpaquePointer?
        guard mdb_env_create(&environment) == 0, let environment else {
            throw StorageError(errno: ENOMEM, doing: "open the file", path: path)
        }
        do throws(StorageError) {
            mdb_env_set_maxdbs(environment, 4)
            mdb_env_set_maxreaders(environment, maximumReaders)
            mdb_env_set_mapsize(environment, options.mapSizeBytes ?? 256 << 30)
            var flags = UInt32(MDB_NOSUBDIR) | UInt32(MDB_NOTLS) | UInt32(MDB_NORDAHEAD)
            if options.readOnly { flags |= UInt32(MDB_RDONLY) }
            if options.inMemory { flags |= UInt32(MDB_NOSYNC) }
            let result = mdb_env_open(environment, file, flags, 0o600)
            guard result == 0 else { throw StorageError(lmdb: result, doing: "open the file", path: path) }
            mdb_reader_check(environment, nil)
            return try openDatabases(environment, path, isReadOnly: options.readOnly)
        } catch {
            mdb_env_close(environment)
            throw error
        }
    }

    private static func openDatabases(
        _ environment: OpaquePointer, _ path: String, isReadOnly: Bool
    ) throws(StorageError) -> Handles {
        var transaction: OpaquePointer?
        var result = mdb_txn_begin(environment, nil, isReadOnly ? UInt32(MDB_RDONLY) : 0, &transaction)
        guard result == 0, let transaction else {
            throw StorageError(lmdb: result, doing: "open the file", path: path)
        }
        var isCommitted = false
        do throws(StorageError) {
            let isNew = try isEmpty(transaction, path)
            let creating = isNew && !isReadOnly ? UInt32(MDB_CREATE) : 0
            var trees: MDB_dbi = 0
            var leaves: MDB_dbi = 0
            result = mdb_dbi_open(transaction, "trees", creating, &trees)
            if result == 0 {
                result = mdb_dbi_open(transaction, "leaves", creating | UInt32(MDB_INTEGERKEY), &leaves)
            }
            // A database of LMDB that holds something else.
            if result == MDB_NOTFOUND || result == MDB_INCOMPATIBLE { result = MDB_INVALID }
            if result == 0, isNew { result = FileRecord.create(transaction, trees) }
            guard result == 0 else { throw StorageError(lmdb: result, doing: "open the file", path: path) }
            try verify(transaction, trees, path)
            isCommitted = true
            result = mdb_txn_commit(transaction)
            guard result == 0 else { throw StorageError(lmdb: result, doing: "create the file", path: path) }
            return Handles(environment: environment, trees: trees, leaves: leaves)
        } catch {
            // A commit frees its transaction even when it fails.
            if !isCommitted { mdb_txn_abort(transaction) }
            throw error
        }
    }

    private static func isEmpty(_ transaction: OpaquePointer, _ path: String) throws(StorageError) -> Bool {
        var names: MDB_dbi = 0
        var statistics = MDB_stat()
        var result = mdb_dbi_open(transaction, nil, 0, &names)
        if result == 0 { result = mdb_stat(transaction, names, &statistics) }
        guard result == 0 else { throw StorageError(lmdb: result, doing: "open the file", path: path) }
        return statistics.ms_entries == 0
    }

    private static func verify(
        _ transaction: OpaquePointer, _ trees: MDB_dbi, _ path: String
    ) throws(StorageError) {
        switch FileRecord.verdict(transaction, trees) {
        case .ours: break
        case .foreign: throw StorageError(lmdb: MDB_INVALID, doing: "open the file", path: path)
        case .newer(let format):
            throw StorageError(
                .unsupportedVersion,
                "Cannot open the file: it has format \(format), and this library knows \(FileRecord.format) at most. "
                    + "Update the library.",
                path: path)
        }
    }
}
