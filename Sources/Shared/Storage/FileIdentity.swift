import Glibc

/// Identifies a file, whatever path leads to it.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// The name of a store in memory, which has no file; empty for a file.
    package var name: String

    package init(memory name: String) {
        device = 0
        inode = 0
        self.name = name
    }

    /// Nil when there is no file at the path, or the system refuses to look.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of an open file. Nil when the system call fails.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        name = ""
    }
}
