import Glibc

/// A file that grows line by line. Its calls block.
///
/// `DiskFile` of `Environment` is for the pages of a store; this one appends, and its length is what counts.
final class LineFile {
    let path: String
    private let descriptor: Int32
    private(set) var lengthBytes: Int

    /// Opens a file, or makes it.
    init(_ path: String) throws(SinkFailure) {
        self.path = path
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else { throw SinkFailure(opening: path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SinkFailure(opening: path) }
        lengthBytes = Int(status.st_size)
    }

    deinit { Glibc.close(descriptor) }

    /// Cuts off what is behind a length.
    func truncate(toBytes bytes: Int) throws(SinkFailure) {
        guard ftruncate(descriptor, bytes) == 0 else { throw SinkFailure(writing: path) }
        lengthBytes = bytes
    }

    func append(_ bytes: [UInt8]) throws(SinkFailure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, lengthBytes)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SinkFailure(writing: path) }
            written += count
            lengthBytes += count
        }
    }

    /// Makes all of it survive a power loss.
    func synchronize() throws(SinkFailure) {
        guard fdatasync(descriptor) == 0 else { throw SinkFailure(writing: path) }
    }

    /// The bytes from an offset on, at most so many.
    func read(at offset: Int, countMax: Int) throws(SinkFailure) -> [UInt8] {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: countMax) { buffer, used in
            repeat { count = pread(descriptor, buffer.baseAddress, countMax, offset) } while count < 0 && errno == EINTR
            used = max(0, count)
        }
        guard count >= 0 else { throw SinkFailure(reading: path) }
        return bytes
    }
}

/// The folder of the files.
enum LineFolder {
    static func make(_ path: String) throws(SinkFailure) {
        var parent = ""
        for part in path.split(separator: "/") {
            parent += "/" + part
            guard mkdir(parent, mode_t(0o700)) == 0 || errno == EEXIST else { throw SinkFailure(opening: parent) }
        }
    }

    /// Makes new, renamed and removed names survive a power loss.
    static func synchronize(_ path: String) throws(SinkFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SinkFailure(opening: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SinkFailure(writing: path) }
    }

    static func rename(_ old: String, to new: String) throws(SinkFailure) {
        guard Glibc.rename(old, new) == 0 else { throw SinkFailure(writing: new) }
    }

    static func remove(_ path: String) throws(SinkFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SinkFailure(writing: path) }
    }

    /// The names in it.
    static func names(_ path: String) throws(SinkFailure) -> [String] {
        guard let folder = opendir(path) else { throw SinkFailure(opening: path) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // The record is only as long as its name: what the type has behind that is not read.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            names.append(String(cString: start))
        }
        return names.sorted()
    }
}

extension SinkFailure {
    init(opening path: String) {
        self.init("\(path) cannot be opened: \(Self.reason). Check that the server's user may write there.")
    }

    init(writing path: String) {
        self.init("\(path) cannot be written: \(Self.reason). Make room, or check the disk.")
    }

    init(reading path: String) {
        self.init("\(path) cannot be read: \(Self.reason). Check the disk.")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
