/// The unit of the byte stream: a header of nine bytes and a piece of a message.
///
/// | Offset | Size | |
/// |---|---|---|
/// | 0 | 4 | size of the stored payload, little-endian |
/// | 4 | 1 | flags: 1 the payload is compressed, 2 the message continues in the next frame |
/// | 5 | 4 | CRC-32C of the five bytes before and the stored payload, little-endian |
/// | 9 | … | the payload, as stored |
///
/// Frames do not depend on the chunks of the HTTP body.
enum Frame {
    static let headerBytes = 9
    /// Payloads of at least this size are compressed. A smaller frame fits into one packet anyway.
    static let compressedFromBytes = 512
    /// The most bytes of a message that this program puts into one frame.
    static let pieceBytes = 4 << 20

    struct Flags: OptionSet {
        var rawValue: UInt8
        static let compressed = Flags(rawValue: 1)
        static let continued = Flags(rawValue: 2)
        static let known: Flags = [.compressed, .continued]
    }

    /// Encodes a message into as many frames as it needs.
    static func encode(_ message: [UInt8]) -> [UInt8] {
        var frames: [UInt8] = []
        var offset = 0
        repeat {
            let end = min(offset + pieceBytes, message.count)
            message.withUnsafeBytes { message in
                append(
                    UnsafeRawBufferPointer(rebasing: message[offset..<end]),
                    flags: end < message.count ? .continued : [], to: &frames)
            }
            offset = end
        } while offset < message.count
        return frames
    }

    /// The beginning of a message that continues in further frames, not compressed.
    static func encode(beginning: [UInt8]) -> [UInt8] {
        var frames: [UInt8] = []
        beginning.withUnsafeBytes { appendStored($0, flags: .continued, to: &frames) }
        return frames
    }

    private static func append(_ piece: UnsafeRawBufferPointer, flags: Flags, to frames: inout [UInt8]) {
        if piece.count >= compressedFromBytes, let compressed = Compression.compress(piece) {
            compressed.withUnsafeBytes { appendStored($0, flags: flags.union(.compressed), to: &frames) }
        } else {
            appendStored(piece, flags: flags, to: &frames)
        }
    }

    private static func appendStored(_ stored: UnsafeRawBufferPointer, flags: Flags, to frames: inout [UInt8]) {
        frames.reserveCapacity(frames.count + headerBytes + stored.count)
        let start = frames.count
        withUnsafeBytes(of: UInt32(stored.count).littleEndian) { frames.append(contentsOf: $0) }
        frames.append(flags.rawValue)
        let checksum = frames.withUnsafeBytes { bytes in
            Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[start...]), stored)
        }
        withUnsafeBytes(of: checksum.littleEndian) { frames.append(contentsOf: $0) }
        frames.append(contentsOf: stored)
    }

    static func checksum(_ head: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(head)
        checksum.update(stored)
        return checksum.value
    }
}
