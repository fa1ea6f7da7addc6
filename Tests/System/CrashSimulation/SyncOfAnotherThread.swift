import CausewayStorage
import Dispatch
import Synchronization

/// Syncs a storage on a thread of its own.
final class SyncOfAnotherThread: Sendable {
    private let failure = Mutex<StorageError?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    init(_ storage: any Storage) {
        DispatchQueue(label: "sync of another thread").async { [self] in
            do throws(StorageError) {
                try storage.synchronize()
            } catch {
                failure.withLock { $0 = error }
            }
            isOver.signal()
        }
    }

    /// Waits for its end. Nil when everything is on the disk.
    func wait() -> StorageError? {
        isOver.wait()
        return failure.withLock { $0 }
    }
}
