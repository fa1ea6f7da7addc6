/// Writes the store's own small records: catalog and change records.
struct RecordWriter {
    var bytes: [UInt8] = []

    mutating func write(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    mutating func write(_ value: Int) { write(UInt64(value)) }
    mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }
    mutating func write(byte: UInt8) { bytes.append(byte) }

    mutating func write(_ value: String) {
        write(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    mutating func write(_ value: [UInt8]) {
        write(value.count)
        bytes.append(contentsOf: value)
    }
}

/// Reads these records. The bytes come from a file: nothing here traps or allocates more than there are bytes.
struct RecordReader {
    struct Damage: Error {
        /// Whether a later version of this library may have written the bytes.
        var isUnknown = false
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func readByte() throws(Damage) -> UInt8 {
        guard position < bytes.count else { throw Damage() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readNumber() throws(Damage) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            guard shift < 64 else { throw Damage() }
            result |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return result }
            shift += 7
        }
    }

    mutating func readInt() throws(Damage) -> Int {
        guard let value = Int(exactly: try readNumber()) else { throw Damage() }
        return value
    }

    mutating func readUInt32() throws(Damage) -> UInt32 {
        guard let value = UInt32(exactly: try readNumber()) else { throw Damage() }
        return value
    }

    /// The count of items that follow, each of at least one byte. Throws when the bytes cannot hold so many.
    mutating func readCount() throws(Damage) -> Int {
        let count = try readInt()
        guard count <= bytes.count - position else { throw Damage() }
        return count
    }

    mutating func readBytes() throws(Damage) -> UnsafeRawBufferPointer {
        let count = try readCount()
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func readString() throws(Damage) -> String {
        String(decoding: try readBytes(), as: UTF8.self)
    }
}
