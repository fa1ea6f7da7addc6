import CausewayFiles
import Glibc

/// The bytes of a file, from the first to the last, as often as asked. A file that gzip has packed is unpacked on the way.
final class ByteSource {
    private static let gzipMark: [UInt8] = [0x1F, 0x8B]

    let path: String
    private let descriptor: Int32
    private let inflater: GzipInflater?

    init(path: String) throws {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.descriptor = descriptor
        guard descriptor >= 0 else {
            inflater = nil
            throw FileFailure(
                "The file '\(path)' cannot be read: \(Self.reason). Correct its path or its permissions.")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            inflater = nil
            throw FileFailure(
                "'\(path)' is no file that can be read more than once, as a pipe or a folder. Write the documents to a file first."
            )
        }
        var mark: [UInt8] = [0, 0]
        let count = mark.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        inflater = count == 2 && mark == Self.gzipMark ? try GzipInflater() : nil
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Fills some of the memory.
    ///
    /// - Returns: how many bytes; 0 at the end.
    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let inflater else { return try readFile(memory) }
        do {
            return try inflater.read(into: memory, from: readFile)
        } catch let damage as GzipInflater.Damage {
            throw FileFailure("'\(path)' is no whole gzip file: \(damage.words). Copy or dump it again.")
        }
    }

    private func readFile(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = Glibc.read(descriptor, memory.baseAddress, memory.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure("The file '\(path)' cannot be read: \(Self.reason).") }
            return count
        }
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
