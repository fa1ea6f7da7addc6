import Glibc

/// Where an export goes: standard output, or a file that is new.
package final class ExportOutput {
    private static let bufferBytes = 1 << 20

    private let descriptor: Int32
    /// The file that was made; nil for standard output.
    private let path: String?
    private var buffer: [UInt8] = []
    private var isFinished = false

    /// - Parameter path: nil for standard output.
    package init(path: String?) throws {
        guard let path else {
            (self.path, descriptor) = (nil, STDOUT_FILENO)
            return
        }
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        // Nothing is kept before this: what was not made here must not be removed.
        guard opened >= 0 else {
            throw errno == EEXIST
                ? FileFailure("There is a file '\(path)' already, and no export replaces one. Choose another path.")
                : FileFailure("The file '\(path)' cannot be made: \(Self.reason). Correct the path or its permissions.")
        }
        (self.path, descriptor) = (path, opened)
    }

    /// Removes the file if it was not finished.
    deinit {
        guard let path else { return }
        close(descriptor)
        if !isFinished { unlink(path) }
    }

    func write(_ bytes: some Collection<UInt8>) throws {
        buffer += bytes
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Writes the rest, to the disk if it is a file.
    package func finish() throws {
        try flush()
        if path != nil, fsync(descriptor) != 0 { throw failure() }
        isFinished = true
    }

    private func flush() throws {
        var start = 0
        while start < buffer.count {
            let written = buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure() }
            start += written
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func failure() -> FileFailure {
        FileFailure("The export cannot be written: \(Self.reason). Make room, or choose another place.")
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
