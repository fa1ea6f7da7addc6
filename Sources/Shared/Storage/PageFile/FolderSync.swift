import CausewayEnvironment
import Glibc

/// Makes the names in a folder survive a power loss. Tests replace it.
struct FolderSync: Sendable {
    /// Syncs the folder of a path. Returns zero or a negative errno.
    var synchronize: @Sendable (_ path: String) -> Int

    static let ofSystem = FolderSync { synchronizeFolder(of: $0) }

    /// Syncs the name of a file. Every opener for writing calls it until the file has its first commit: the process
    /// that created the file may have died before it did, and the empty file may have been created by another program.
    func secureName(of path: String) throws(StorageError) {
        guard let failure = Self.failure(of: path, self) else { return }
        throw StorageError(errno: failure, doing: "write the name of the file to the disk", path: path)
    }

    /// Returns an errno; nil when the name is synced, or cannot be: some file systems do not sync folders, and some
    /// users may create files in a folder that they may not sync.
    static func failure(of path: String, _ sync: FolderSync) -> Int32? {
        while true {
            switch -sync.synchronize(path) {
            case ...0, Int(EINVAL), Int(ENOSYS), Int(EOPNOTSUPP), Int(EACCES), Int(EPERM): return nil
            case Int(EINTR): continue
            case let number: return Int32(number)
            }
        }
    }
}
