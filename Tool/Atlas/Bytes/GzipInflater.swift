import CZlib
import CausewayFiles

/// Unpacks a stream of gzip members. It holds one piece of the packed bytes, and what zlib needs to look back.
final class GzipInflater {
    struct Damage: Error {
        var words: String
    }

    private static let inputBytes = 256 << 10
    /// The largest window, and 16 more for gzip's header.
    private static let windowBits: Int32 = 15 + 16

    /// zlib keeps the address, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    private var isBetweenMembers = true

    init() throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(byteCount: Self.inputBytes, alignment: 16)
        guard inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw FileFailure("zlib cannot begin: the memory is too small, or the library is of another version.")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    /// - Returns: how many bytes were unpacked; 0 at the end.
    func read(
        into memory: UnsafeMutableRawBufferPointer, from source: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Int {
        guard memory.count > 0 else { return 0 }
        let size = UInt32(clamping: memory.count)
        stream.pointee.next_out = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = size
        while stream.pointee.avail_out == size {
            if stream.pointee.avail_in == 0, try !refill(from: source) {
                guard isBetweenMembers else { throw Damage(words: "it was cut off") }
                return 0
            }
            try step()
        }
        return Int(size - stream.pointee.avail_out)
    }

    private func refill(from source: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Bool {
        let count = try source(input)
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(count)
        return count > 0
    }

    private func step() throws {
        if isBetweenMembers {
            inflateReset(stream)
            isBetweenMembers = false
        }
        switch inflate(stream, Z_NO_FLUSH) {
        case Z_STREAM_END: isBetweenMembers = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw Damage(words: "its bytes are damaged")
        }
    }
}
