import Glibc

/// Locks on single bytes of a file (OFD locks). They belong to this open file description, not to a thread or to the
/// process, and end with the descriptor at the latest. So the kernel itself shows which processes are alive, whatever
/// container or namespace they run in.
///
/// A forked child shares the locks of its parent. Files must not be open across a `fork` without an `exec`.
final class LockBytes: Sendable {
    let path: String
    let descriptor: Int32

    /// Takes ownership of the descriptor.
    init(_ descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        Glibc.close(descriptor)
    }

    enum Kind {
        case shared, exclusive

        fileprivate var number: Int16 { Int16(self == .shared ? F_RDLCK : F_WRLCK) }
    }

    /// Waits for an exclusive lock on a byte.
    func lock(_ byte: Int64) throws(StorageError) {
        if let failure = request(Self.setAndWait, Kind.exclusive.number, byte) {
            throw StorageError(errno: failure, doing: "lock the file", path: path)
        }
    }

    /// Locks a byte without waiting. Returns false when somebody else holds it.
    func tryLock(_ byte: Int64, _ kind: Kind = .exclusive) throws(StorageError) -> Bool {
        switch request(Self.set, kind.number, byte) {
        case nil: return true
        case EAGAIN, EACCES: return false
        case let failure?: throw StorageError(errno: failure, doing: "lock the file", path: path)
        }
    }

    /// Unlocks a byte. A failure does not matter: the lock ends with the descriptor at the latest.
    func unlock(_ byte: Int64) {
        _ = request(Self.set, Int16(F_UNLCK), byte)
    }

    /// Whether somebody else, in this process or another, holds one of the bytes.
    func isLockedElsewhere(_ byte: Int64, count: Int64 = 1) throws(StorageError) -> Bool {
        var question = Self.lock(Kind.exclusive.number, byte, count)
        while fcntl(descriptor, Self.get, &question) != 0 {
            if errno == EINTR { continue }
            throw StorageError(errno: errno, doing: "ask who uses the file", path: path)
        }
        return question.l_type != Int16(F_UNLCK)
    }

    // MARK: - The system call

    // F_OFD_GETLK and the like, macros that the importer does not see. The numbers are part of the kernel's interface.
    private static let get: Int32 = 36
    private static let set: Int32 = 37
    private static let setAndWait: Int32 = 38

    private static func lock(_ type: Int16, _ byte: Int64, _ count: Int64) -> flock {
        flock(l_type: type, l_whence: Int16(SEEK_SET), l_start: Int(byte), l_len: Int(count), l_pid: 0)
    }

    /// Returns an errno, or nil on success.
    private func request(_ command: Int32, _ type: Int16, _ byte: Int64) -> Int32? {
        var request = Self.lock(type, byte, 1)
        while fcntl(descriptor, command, &request) != 0 {
            if errno != EINTR { return errno }
        }
        return nil
    }
}
