import CLMDB
import CausewayStorage
import Glibc

extension StorageError {
    /// A code of LMDB as an error with its remedy; positive codes are those of the system.
    init(lmdb code: Int32, doing action: String, path: String) {
        switch code {
        case MDB_INVALID:
            self.init(
                .notADatabase,
                "Cannot \(action): the file is not a Causeway database. Choose another path; the file was not changed.",
                path: path
            )
        case MDB_VERSION_MISMATCH:
            self.init(
                .unsupportedVersion,
                "Cannot \(action): the file has another version of the page format. "
                    + "Open it with the version of the library that wrote it.",
                path: path
            )
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_PANIC, MDB_BAD_TXN:
            self.init(
                .damaged,
                "Cannot \(action): \(String(cString: mdb_strerror(code))). "
                    + "Close the file and open it again; if that does not help, restore it from a copy.",
                path: path
            )
        case MDB_MAP_FULL:
            self.init(
                .mapFull,
                "Cannot \(action): the file has grown to the size reserved for it. The transaction was undone. "
                    + "Open the file with a larger map size.",
                path: path
            )
        case MDB_READERS_FULL:
            self.init(
                .tooManyReaders,
                "Cannot \(action): too many snapshots are open at once. Release transactions that are not needed.",
                path: path
            )
        case MDB_BAD_VALSIZE:
            self.init(
                .keyTooLong,
                "Cannot \(action): a key has more than \(LMDBStorage.longestKeyBytes) bytes. Use a shorter key.",
                path: path
            )
        case 1...:
            self.init(errno: code, doing: action, path: path)
        default:
            self.init(.io, "Cannot \(action): \(String(cString: mdb_strerror(code))).", path: path)
        }
    }
}
