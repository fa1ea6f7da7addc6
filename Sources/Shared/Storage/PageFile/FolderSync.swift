import CausewayEnvironment
import Glibc

/// Makes the names in a folder survive a power loss. Tests put another in its place.
struct FolderSync: Sendable {
    /// Of the folder of a path. Zero, or a negative errno.
    var synchronize: @Sendable (_ path: String) -> Int

    static let ofSystem = FolderSync { synchronizeFolder(of: $0) }

    /// Before the first commit to a file, by everybody who opens it for writing until there was one: whoever made it may
    /// have died in between, and the empty file may have been made by another.
    func secureName(of path: String) throws(StorageError) {
        guard let failure = Self.failure(of: path, self) else { return }
        throw StorageError(errno: failure, doing: "write the name of the file to the disk", path: path)
    }

    /// An errno; nil when the name is safe, or as safe as the file system makes it: not every folder can be synced, and
    /// not by everybody who may make files there.
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
