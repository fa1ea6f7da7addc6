import CausewayEnvironment
import Glibc
import Synchronization

/// The storages open in this process, one per file, so that all users of a file share its snapshots and writer queue.
package final class StorageRegistry: Sendable {
    package static let shared = StorageRegistry()

    private struct WeakStorage {
        weak var storage: PageStorage?
    }

    private let open = Mutex<[FileIdentity: WeakStorage]>([:])
    /// Held while a file is being opened, so that two openers of one file get the same storage.
    private let opening = Mutex(())

    private init() {}

    /// The storage of the file at a path, opened if it is not open yet.
    package func open(path: String, options: StorageOptions) throws(StorageError) -> any Storage {
        try opening.withLock { _ throws(StorageError) in
            while true {
                let identity = options.inMemory ? FileIdentity(memory: path) : FileIdentity(path: path)
                guard let identity, let entry = open.withLock({ $0[identity] }) else { break }
                if let storage = entry.storage {
                    try storage.refuseOtherKey(options.encryptionKey)
                    return storage
                }
                // Its last user is closing it, which takes microseconds.
                usleep(100)
            }
            return try PageStorage.open(path: path, options: options, registry: self)
        }
    }

    func opened(_ storage: PageStorage, _ identity: FileIdentity) {
        open.withLock { $0[identity] = WeakStorage(storage: storage) }
    }

    func closed(_ identity: FileIdentity) {
        open.withLock { _ = $0.removeValue(forKey: identity) }
    }
}
