import CausewayStorage
import Glibc
import Synchronization

/// The environments open in this process, one per file: LMDB must not open a file twice in one process.
final class LMDBRegistry: Sendable {
    private struct WeakStorage {
        weak var storage: LMDBStorage?
    }

    private let open = Mutex<[FileIdentity: WeakStorage]>([:])
    /// Held while a file is being opened, so that two openers of one new file meet.
    private let opening = Mutex(())

    /// The storage of the file at a path, opened by `body` if it is not open yet.
    func storage(
        path: String, inMemory: Bool, orOpen body: () throws(StorageError) -> LMDBStorage
    ) throws(StorageError) -> LMDBStorage {
        try opening.withLock { _ throws(StorageError) in
            while true {
                let identity = inMemory ? FileIdentity(memory: path) : FileIdentity(path: path)
                guard let identity, let entry = open.withLock({ $0[identity] }) else { break }
                if let storage = entry.storage { return storage }
                // The last user is just closing it; that takes microseconds.
                usleep(100)
            }
            let storage = try body()
            open.withLock { $0[storage.fileIdentity] = WeakStorage(storage: storage) }
            return storage
        }
    }

    func closed(_ identity: FileIdentity) {
        open.withLock { _ = $0.removeValue(forKey: identity) }
    }
}
