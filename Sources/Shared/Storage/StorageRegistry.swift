import CausewayEnvironment
import Glibc
import Synchronization

/// The storages open in this process, one per file, so that all users of a file share its snapshots and writer queue.
///
/// A storage that was opened read-only cannot write. So who wants to write gets another one beside it, as in another process.
/// Who only reads shares the one that writes, if there is one.
package final class StorageRegistry: Sendable {
    package static let shared = StorageRegistry()

    private struct WeakStorage {
        weak var storage: PageStorage?
    }

    private struct Place: Hashable {
        var file: FileIdentity
        var isReadOnly: Bool
    }

    private let open = Mutex<[Place: WeakStorage]>([:])
    /// Held while a file is being opened, so that two openers of one file get the same storage.
    private let opening = Mutex(())

    private init() {}

    /// The storage of the file at a path, opened if it is not open yet.
    package func open(path: String, options: StorageOptions) throws(StorageError) -> any Storage {
        try opening.withLock { _ throws(StorageError) in
            while true {
                let identity = options.inMemory ? FileIdentity(memory: path) : FileIdentity(path: path)
                guard let identity, let entry = entry(identity, readOnly: options.readOnly) else { break }
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

    private func entry(_ file: FileIdentity, readOnly: Bool) -> WeakStorage? {
        open.withLock { open in
            let writing = open[Place(file: file, isReadOnly: false)]
            return readOnly ? writing ?? open[Place(file: file, isReadOnly: true)] : writing
        }
    }

    func opened(_ storage: PageStorage, _ file: FileIdentity) {
        open.withLock {
            $0[Place(file: file, isReadOnly: storage.options.readOnly)] = WeakStorage(storage: storage)
        }
    }

    func closed(_ file: FileIdentity, readOnly: Bool) {
        open.withLock { _ = $0.removeValue(forKey: Place(file: file, isReadOnly: readOnly)) }
    }
}
