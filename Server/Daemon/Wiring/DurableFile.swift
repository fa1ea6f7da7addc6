import Foundation

/// Small files of the server's own, which are replaced as a whole: after a power loss there is the old content or the new
/// one.
enum DurableFile {
    struct Failure: Error, Hashable {
        var message: String
    }

    /// Returns when the content is on the disk.
    static func replace(_ path: String, with content: Data) throws(Failure) {
        let beside = path + ".new"
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw failure("written", beside) }
        let isWritten = writeAll(content, to: descriptor) && fsync(descriptor) == 0
        let number = errno
        close(descriptor)
        guard isWritten else {
            unlink(beside)
            errno = number
            throw failure("written", beside)
        }
        guard rename(beside, path) == 0 else { throw failure("replaced", path) }
        try synchronizeFolder(of: path)
    }

    /// Returns when it is gone for good. A file that is not there is gone.
    static func remove(_ path: String) throws(Failure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("removed", path) }
        try synchronizeFolder(of: path)
    }

    private static func writeAll(_ content: Data, to descriptor: Int32) -> Bool {
        content.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func synchronizeFolder(of path: String) throws(Failure) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("opened", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("written", folder) }
    }

    private static func failure(_ verb: String, _ path: String) -> Failure {
        Failure(
            message: "\(path) could not be \(verb): \(String(cString: strerror(errno))). Its folder must belong to the "
                + "server's user, and have room.")
    }
}
