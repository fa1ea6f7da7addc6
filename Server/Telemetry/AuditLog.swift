import Glibc
import Synchronization

/// Writes administration and security events, a JSON object a line, to a file or to standard output.
///
/// A file that was moved away is made anew at the next event, so that a program that rotates files need not tell the
/// server. Each line is one write. Lines are not synced to the disk: after a power loss the last ones may be missing.
package final class AuditLog: Sendable {
    package enum Target: Hashable, Sendable {
        case standardOutput
        case file(String)
    }

    private let target: Target
    private let now: @Sendable () -> UInt64
    /// Told of each event that could not be written, with the system's reason.
    private let failed: @Sendable (String) -> Void
    private let file = Mutex<OpenFile?>(nil)

    private struct OpenFile {
        var descriptor: Int32
        var place: (device: dev_t, inode: ino_t)
    }

    /// - Parameter now: milliseconds since 1970.
    package init(
        _ target: Target, now: @escaping @Sendable () -> UInt64, failed: @escaping @Sendable (String) -> Void
    ) {
        self.target = target
        self.now = now
        self.failed = failed
    }

    deinit {
        file.withLock { if let file = $0 { close(file.descriptor) } }
    }

    package func write(_ event: AuditEvent) {
        let line = Array((event.line(at: now()) + "\n").utf8)
        let reason = file.withLock { file -> String? in
            do throws(Failure) {
                switch target {
                case .standardOutput: try Self.write(line, to: STDOUT_FILENO)
                case .file(let path): try Self.write(line, to: try Self.descriptor(of: path, &file))
                }
                return nil
            } catch {
                return error.reason
            }
        }
        if let reason { failed(reason) }
    }

    private struct Failure: Error {
        let reason = String(cString: strerror(errno))
    }

    private static func descriptor(of path: String, _ file: inout OpenFile?) throws(Failure) -> Int32 {
        var present = stat()
        let isThere = stat(path, &present) == 0
        if let file, isThere, file.place == (present.st_dev, present.st_ino) { return file.descriptor }
        if let old = file { close(old.descriptor) }
        file = nil
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, mode_t(0o640))
        guard descriptor >= 0, fstat(descriptor, &present) == 0 else { throw Failure() }
        file = OpenFile(descriptor: descriptor, place: (present.st_dev, present.st_ino))
        return descriptor
    }

    private static func write(_ line: [UInt8], to descriptor: Int32) throws(Failure) {
        var rest = line[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Failure() }
            rest = rest.dropFirst(written)
        }
    }
}
