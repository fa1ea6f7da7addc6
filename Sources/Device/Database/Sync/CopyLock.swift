import CausewayObjectStore
import CausewayStorage
import Glibc

/// Locks the draft of a copy, through a lock on a file beside the target. The file is deleted with the lock. A killed
/// process leaves it behind without a lock, which does no harm.
final class CopyLock {
    private let path: String
    private let descriptor: Int32

    /// - Throws: `locked` while another copy to the same path is being written, in this process or another.
    init(forCopyTo target: String) throws(StoreError) {
        path = target + ".copying-turn"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Self.failure(errno, target) }
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                let number = errno
                close(descriptor)
                if number == EINTR { continue }
                guard number == EWOULDBLOCK else { throw Self.failure(number, target) }
                throw StoreError(
                    .locked,
                    "Cannot write the copy: another copy is just being written to the same path. Wait until that one "
                        + "is done, or choose another path.", path: target)
            }
            // Whoever had the lock before may have removed the file after it was opened here.
            if let opened = FileIdentity(descriptor: descriptor), opened == FileIdentity(path: path) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        // Before the lock is released: afterwards the name may belong to another copy.
        unlink(path)
        close(descriptor)
    }

    private static func failure(_ number: Int32, _ target: String) -> StoreError {
        let reason = String(cString: strerror(number))
        return StoreError(
            number == EACCES || number == EROFS ? .permissionDenied : number == ENOSPC ? .outOfSpace : .io,
            "Cannot write the copy: \(reason). Check the path and its folder's permissions.", path: target)
    }
}
