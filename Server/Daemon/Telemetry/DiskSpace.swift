import Glibc

/// The room on the file system of a folder.
struct DiskSpace: Hashable, Sendable {
    var sizeBytes: UInt64
    /// For users that are not root.
    var availableBytes: UInt64

    /// Nil where the system does not say. May block as long as the file system does.
    init?(of folder: String) {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        sizeBytes = UInt64(status.f_blocks) * unit
        availableBytes = UInt64(status.f_bavail) * unit
    }
}
