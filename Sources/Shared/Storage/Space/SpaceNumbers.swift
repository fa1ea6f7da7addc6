/// Writes numbers with seven bits a byte, the low bits first, so that small numbers take few bytes.
struct NumberWriter {
    var bytes: [UInt8] = []

    mutating func put(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// Reads the numbers of a ``NumberWriter`` back. The bytes may be anything: returns nil where they are no number.
struct NumberReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }
    var bytesLeft: Int { bytes.count - position }

    mutating func take() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            // The tenth byte has room for one bit.
            if shift == 63, byte > 1 { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}
