import Glibc
import Synchronization

/// The storages open in this process, one per file: LMDB must not open a file twice in one process.
package final class StorageRegistry: Sendable {
    package static let shared = StorageRegistry()

    private struct WeakStorage {
        weak var storage: LMDBStorage?
    }

    private let open = Mutex<[FileIdentity: WeakStorage]>([:])
    /// Held while a file is being opened, so that two openers of one new file meet.
    private let opening = Mutex(())

    private init() {}

    /// The storage of the file at a path, opened if it is not open yet.
    package func open(path: String, options: StorageOptions) throws(StorageError) -> any Storage {
        try opening.withLock { _ throws(StorageError) in
            while true {
                let identity = options.inMemory ? FileIdentity(memory: path) : FileIdentity(path: path)
                guard let identity, let entry = open.withLock({ $0[identity] }) else { break }
                if let storage = entry.storage { return storage }
                // The last user is just closing it; that takes microseconds.
                usleep(100)
            }
            let storage = try LMDBStorage.open(path: path, options: options)
            open.withLock { $0[storage.fileIdentity] = WeakStorage(storage: storage) }
            return storage
        }
    }

    func closed(_ identity: FileIdentity) {
        open.withLock { _ = $0.removeValue(forKey: identity) }
    }
}

package struct StorageOptions: Sendable {
    /// Kept in memory as long as somebody holds it; the path is only a name then.
    package var inMemory: Bool
    package var readOnly: Bool
    /// The address range reserved for the file, which bounds its size. Costs no memory.
    package var mapSizeBytes: Int

    package init(inMemory: Bool = false, readOnly: Bool = false, mapSizeBytes: Int = 256 << 30) {
        self.inMemory = inMemory
        self.readOnly = readOnly
        self.mapSizeBytes = mapSizeBytes
    }
}
