import Glibc

extension StorageError {
    /// The error for a failed system call, with its remedy.
    package init(errno number: Int32, doing action: String, path: String) {
        let reason = String(cString: strerror(number))
        switch number {
        case ENOSPC, EDQUOT, EFBIG:
            self.init(
                .outOfSpace,
                "Cannot \(action): \(reason). The transaction was undone and everything before it is intact. "
                    + "Free some disk space or raise the quota, then try again.",
                path: path
            )
        case EACCES, EPERM, EROFS:
            self.init(
                .permissionDenied,
                "Cannot \(action): \(reason). Give this process the right to read and write the file and its folder, "
                    + "or open the file read-only.",
                path: path
            )
        case ENOENT, ENOTDIR:
            self.init(
                .fileNotFound,
                "Cannot \(action): \(reason). Create the folder first, or correct the path.",
                path: path
            )
        case EISDIR:
            self.init(
                .notADatabase, "Cannot \(action): the path names a folder. Choose the path of a file.", path: path)
        case EEXIST:
            self.init(
                .fileExists, "Cannot \(action): a file is there already. Remove it or choose another path.", path: path)
        case ENOMEM:
            self.init(
                .mapFull,
                "Cannot \(action): the address space for the file could not be reserved. "
                    + "Open it with a smaller map size, or raise the limit on virtual memory (ulimit -v).",
                path: path
            )
        case EMFILE, ENFILE:
            self.init(
                .io,
                "Cannot \(action): \(reason). Close files that are not needed or raise the limit (ulimit -n).",
                path: path
            )
        case EAGAIN, EBUSY, ETXTBSY:
            self.init(
                .locked,
                "Cannot \(action): another process holds the file. End that process or wait until it is done.",
                path: path
            )
        default:
            self.init(
                .io,
                "Cannot \(action): \(reason). Check the disk and the system's log, then open the file again.",
                path: path
            )
        }
    }

    package static func isClosed(path: String) -> StorageError {
        StorageError(.closed, "The file was closed. Open it again before using it.", path: path)
    }
}
