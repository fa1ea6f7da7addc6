import Glibc

/// Reads a file line by line, as often as it is asked to.
final class LineReader {
    private static let bufferBytes = 1 << 20

    let path: String
    private let descriptor: Int32
    private let lineBytesMax: Int
    private var buffer: [UInt8]
    /// The bytes of the buffer that are not taken yet.
    private var rest = 0..<0
    /// The number of the line that was begun last, from 1.
    private(set) var number = 0

    init(path: String, lineBytesMax: Int = ObjectExport.lineBytesMax) throws {
        self.path = path
        self.lineBytesMax = lineBytesMax
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        buffer = Array(repeating: 0, count: Self.bufferBytes)
        guard descriptor >= 0 else {
            throw FileFailure(
                "The file '\(path)' cannot be read: \(Self.reason). Correct its path or its permissions.")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Goes back to the first line.
    func rewind() throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw FileFailure("'\(path)' is read twice, and so it cannot be a pipe. Write the export to a file first.")
        }
        rest = 0..<0
        number = 0
    }

    /// The next line without its end; nil after the last one.
    func next() throws -> [UInt8]? {
        var line: [UInt8] = []
        var hasLine = false
        while true {
            if rest.isEmpty, try !fill() { break }
            if !hasLine { number += 1 }
            hasLine = true
            let end = endOfLine()
            line += buffer[rest.lowerBound..<(end ?? rest.upperBound)]
            guard line.count <= lineBytesMax else {
                throw FileFailure("It has more than \(lineBytesMax) bytes, and no line may.")
            }
            if let end {
                rest = end + 1..<rest.upperBound
                break
            }
            rest = 0..<0
        }
        return hasLine ? line : nil
    }

    private func endOfLine() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = memchr(start + rest.lowerBound, Int32(UInt8(ascii: "\n")), rest.count)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    /// False at the end of the file.
    private func fill() throws -> Bool {
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure("The file '\(path)' cannot be read: \(Self.reason).") }
            rest = 0..<count
            return count > 0
        }
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
