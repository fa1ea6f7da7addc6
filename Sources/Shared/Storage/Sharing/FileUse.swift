import Glibc

/// A mark on the data file itself that somebody has it open, on a byte far behind its content.
///
/// Everything else is settled in the lock file. But people delete lock files, and whoever came next would find nobody
/// in a new one and take the pages of those who are still there; so he looks here, too.
final class FileUse: Sendable {
    private static let byte: Int64 = 1 << 62
    private static let patienceMilliseconds = 100
    private let locks: LockBytes
    var path: String { locks.path }
    let identity: FileIdentity
    /// Inode of the file.
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

    /// From now on everybody can see that the file is in use.
    func mark() throws(StorageError) {
        // Only shared locks are taken here, so this one is always to be had.
        _ = try locks.tryLock(Self.byte, .shared)
    }

    func unmark() {
        locks.unlock(Self.byte)
    }

    /// Whether anybody else has the file open. To be asked when nobody seems to be: a process that is just dying loses
    /// its locks one after the other, so it is waited for.
    func isMarkedByOthers() throws(StorageError) -> Bool {
        for _ in 0..<Self.patienceMilliseconds {
            guard try locks.isLockedElsewhere(Self.byte) else { return false }
            usleep(1000)
        }
        return true
    }
}
