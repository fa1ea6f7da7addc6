import CausewayStorage
import Dispatch
import Glibc
import Synchronization

/// The right to be the one writer of a file: first come first served inside the process, then held against other
/// processes by a lock on an open file description.
///
/// Neither half belongs to a thread, so a transaction may begin on one thread and end on another. LMDB's own writer
/// mutex does belong to a thread; it is taken inside `commit` only, where nothing can move.
final class LMDBWriterLock: WriteTurn {
    private struct Queue {
        var isHeld = false
        var waiting: [DispatchSemaphore] = []
    }

    private let queue = Mutex(Queue())
    /// The lock file, or -1 where no other process can reach the data. It is a file of its own: closing any
    /// descriptor of LMDB's lock file would drop the locks LMDB holds on it.
    private let descriptor: Int32
    private let path: String

    init(path: String?) throws(StorageError) {
        guard let path else {
            descriptor = -1
            self.path = ""
            return
        }
        self.path = path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw StorageError(errno: errno, doing: "open the writer lock", path: path) }
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// A place in the queue. Wait for it exactly once.
    struct Ticket {
        fileprivate let semaphore: DispatchSemaphore?
    }

    func takeTicket() -> Ticket {
        queue.withLock { queue in
            guard queue.isHeld else {
                queue.isHeld = true
                return Ticket(semaphore: nil)
            }
            let semaphore = DispatchSemaphore(value: 0)
            queue.waiting.append(semaphore)
            return Ticket(semaphore: semaphore)
        }
    }

    func wait(for ticket: Ticket) throws(StorageError) {
        ticket.semaphore?.wait()
        do throws(StorageError) {
            try lockFile(Int16(F_WRLCK))
        } catch {
            passOn()
            throw error
        }
    }

    func release() {
        // Unlocking an open file cannot fail in a way that matters: the lock goes with the descriptor at the latest.
        try? lockFile(Int16(F_UNLCK))
        passOn()
    }

    private func passOn() {
        let next = queue.withLock { queue -> DispatchSemaphore? in
            guard !queue.waiting.isEmpty else {
                queue.isHeld = false
                return nil
            }
            return queue.waiting.removeFirst()
        }
        next?.signal()
    }

    private func lockFile(_ type: Int16) throws(StorageError) {
        guard descriptor >= 0 else { return }
        // F_OFD_SETLKW is a macro the importer does not see; the number is part of the kernel's interface.
        let setAndWait: Int32 = 38
        var request = flock()
        request.l_type = type
        request.l_whence = Int16(SEEK_SET)
        request.l_start = 0
        request.l_len = 1
        while fcntl(descriptor, setAndWait, &request) != 0 {
            if errno == EINTR { continue }
            throw StorageError(errno: errno, doing: "lock the file for writing", path: path)
        }
    }
}
