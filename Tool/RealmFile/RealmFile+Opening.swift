import Glibc

extension RealmFile {
    /// Reads a file as a whole. It is opened to be read, and never written.
    ///
    /// - Parameter key: 64 bytes; nil for a file that is not encrypted.
    package convenience init(path: String, key: [UInt8]? = nil) throws {
        let bytes = try Self.bytes(path)
        guard let key else {
            try self.init(bytes)
            return
        }
        guard !FileHeader.isThere(in: bytes) else {
            throw RealmFileFailure("The Realm file '\(path)' is not encrypted. Leave out the file of its key.")
        }
        guard key.count == EncryptedBlocks.keyBytes else {
            throw RealmFileFailure(
                "The key of a Realm file has \(EncryptedBlocks.keyBytes) bytes, and this one \(key.count).")
        }
        try self.init(try EncryptedBlocks(key: key).decrypted(bytes))
    }

    /// Whether a file begins as one that is not encrypted. Only its beginning is read.
    package static func isThere(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: FileHeader.byteCount)
        return read(descriptor, &bytes, bytes.count) == bytes.count && FileHeader.isThere(in: bytes)
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RealmFileFailure("'\(path)' is no file. Give the path of a Realm file.")
        }
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let read = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                if read < 0, errno == EINTR { continue }
                failed = read < 0
                guard read > 0 else { return }
                count += read
            }
        }
        if failed { throw unreadable(path) }
        return bytes
    }

    private static func unreadable(_ path: String) -> RealmFileFailure {
        RealmFileFailure(
            "The Realm file '\(path)' cannot be read: \(String(cString: strerror(errno))). Correct its path or its permissions."
        )
    }
}
