import Crypto
import Foundation

/// The SHA-256 of files, in parts, so that a large file takes little memory.
enum FileDigest {
    /// How much of a file is in memory at a time.
    static let partBytes = 1 << 20
    /// Hexadecimal digits of a digest.
    static let digits = 64

    struct Result {
        var bytes: Int
        var sha256: String
    }

    /// Reads a file to its end. The page cache keeps none of it.
    ///
    /// - Parameter take: is given each part, with the bytes before it.
    static func read(
        _ path: String, _ take: (_ part: Data, _ offset: Int) throws(BackupError) -> Void
    ) throws(BackupError) -> Result {
        // A link in a backup could lead to a file of somebody else's.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        var hash = SHA256()
        var offset = 0
        while true {
            let part: Data?
            do {
                part = try handle.read(upToCount: partBytes)
            } catch {
                throw BackupError(
                    .failed,
                    "\(path) cannot be read: \(error.localizedDescription). Check the disk and the system's log.")
            }
            guard let part, !part.isEmpty else { break }
            hash.update(data: part)
            try take(part, offset)
            offset += part.count
            posix_fadvise(descriptor, 0, off_t(offset), POSIX_FADV_DONTNEED)
        }
        return Result(bytes: offset, sha256: hash.finalize().map(hexadecimal).joined())
    }

    private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    static func failure(_ what: String, _ path: String) -> BackupError {
        BackupError(
            .failed,
            "Cannot \(what) \(path): \(String(cString: strerror(errno))). Check its owner and permissions, and the room on "
                + "the disk.")
    }
}
