import Glibc

/// How much a file may still grow.
enum SpaceLeft {
    /// Whether the disk, or this process's limit on file sizes, has no room for so many bytes.
    static func isLess(than wanted: Int, path: String) -> Bool {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return false }
        if Int(clamping: UInt64(disk.f_bavail)) < wanted / Int(max(disk.f_frsize, 1)) + 1 { return true }
        var limit = rlimit()
        var file = stat()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, stat(path, &file) == 0 else {
            return false
        }
        return limit.rlim_cur < UInt64(file.st_size) + UInt64(wanted)
    }
}
