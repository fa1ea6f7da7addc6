import Glibc

/// What a file is, whatever path leads to it.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    /// For stores in memory, which have no file that another path could lead to.
    var name: String

    init(memory name: String) {
        device = 0
        inode = 0
        self.name = name
    }

    /// Nil when there is no file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        name = ""
    }
}
