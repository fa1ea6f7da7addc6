import Glibc

/// Marks the data file itself as open, with a shared lock on a byte far behind its content.
///
/// Everything else is in the lock file. But users delete lock files: the next process would find an empty new one, and
/// overwrite pages that the others still read. So it checks this mark, too.
final class FileUse: Sendable {
    private static let byte: Int64 = 1 << 62
    private static let patienceMilliseconds = 100
    private let locks: LockBytes
    var path: String { locks.path }
    let identity: FileIdentity
    /// The inode of the file.
    var fileNumber: UInt64 { identity.inode }

    /// Nil when there is no such file.
    init?(path: String) throws(StorageError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StorageError(errno: errno, doing: "open the file", path: path)
        }
        locks = LockBytes(descriptor, path: path)
        guard let identity = FileIdentity(descriptor: descriptor) else {
            throw StorageError(errno: errno, doing: "open the file", path: path)
        }
        self.identity = identity
    }

    /// Marks the file as in use, for every process to see.
    func mark() throws(StorageError) {
        // Only shared locks are taken on this byte, so this always succeeds.
        _ = try locks.tryLock(Self.byte, .shared)
    }

    func unmark() {
        locks.unlock(Self.byte)
    }

    /// Whether anybody else has the file open. Call it when the lock file shows no other user. Waits up to 100 ms for a
    /// process that is just dying, because it loses its locks one after the other.
    func isMarkedByOthers() throws(StorageError) -> Bool {
        for _ in 0..<Self.patienceMilliseconds {
            guard try locks.isLockedElsewhere(Self.byte) else { return false }
            usleep(1000)
        }
        return true
    }
}
