package import CausewayModel

/// Reads what `ByteWriter` wrote. Every step is checked: no input can trap it or make it allocate more than it holds.
@usableFromInline
package struct ByteReader {
    @usableFromInline let bytes: [UInt8]
    @usableFromInline let end: Int
    @usableFromInline var position: Int

    @inlinable
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    @inlinable
    init(_ bytes: [UInt8], from position: Int, upTo end: Int) {
        self.bytes = bytes
        self.position = position
        self.end = end
    }

    /// Where the next byte is read, counted from the beginning of the array given.
    @inlinable
    package var offset: Int { position }

    @inlinable
    package var remaining: Int { end - position }

    @inlinable
    package var isAtEnd: Bool { position == end }
}

// MARK: - Errors

extension ByteReader {
    @inline(never)
    @usableFromInline
    package func truncated() -> EncodingError {
        EncodingError(.truncated, "The data ends too early: it was cut or damaged; get it again.", offset: position)
    }

    /// - Parameter what: what is wrong with the bytes, as a clause.
    @inline(never)
    package func malformed(_ what: String) -> EncodingError {
        EncodingError(.malformed, "The data is damaged or not in this format: \(what); get it again.", offset: position)
    }

    /// Throws unless everything has been read.
    package func finish() throws(EncodingError) {
        if remaining > 0 { throw malformed("\(remaining) bytes follow its end") }
    }
}

// MARK: - Numbers and runs of bytes

extension ByteReader {
    @inlinable
    package mutating func readByte() throws(EncodingError) -> UInt8 {
        guard position < end else { throw truncated() }
        defer { position += 1 }
        return bytes[position]
    }

    @inlinable
    package mutating func readVarint() throws(EncodingError) -> UInt64 {
        guard position < end else { throw truncated() }
        let first = bytes[position]
        position += 1
        if first < 0x80 { return UInt64(first) }
        return try readVarint(after: first)
    }

    @usableFromInline
    mutating func readVarint(after first: UInt8) throws(EncodingError) -> UInt64 {
        var result = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            guard position < end else { throw truncated() }
            let byte = bytes[position]
            position += 1
            // The tenth byte holds the one bit that is left. A zero there, or in any last byte, is a longer form of
            // a shorter number: refused, so that equal values have equal bytes.
            if shift == 63 && byte != 1 { throw malformed("a number is longer than 64 bits") }
            if byte == 0 { throw malformed("a number has more bytes than it needs") }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
    }

    @inlinable
    package mutating func readSigned() throws(EncodingError) -> Int64 {
        let raw = try readVarint()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    @inlinable
    package mutating func readFixed64() throws(EncodingError) -> UInt64 {
        guard remaining >= 8 else { throw truncated() }
        defer { position += 8 }
        return bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        }
    }

    @inlinable
    package mutating func readFixed32() throws(EncodingError) -> UInt32 {
        guard remaining >= 4 else { throw truncated() }
        defer { position += 4 }
        return bytes.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        }
    }

    package mutating func readString() throws(EncodingError) -> String {
        try readString(sizeBytes: readLength())
    }

    /// A string whose length the caller knows.
    package mutating func readString(sizeBytes: Int) throws(EncodingError) -> String {
        guard sizeBytes >= 0, sizeBytes <= remaining else { throw truncated() }
        let text = bytes.withUnsafeBufferPointer { all in
            String(validating: UnsafeBufferPointer(rebasing: all[position..<position + sizeBytes]), as: UTF8.self)
        }
        guard let text else { throw malformed("a text is not UTF-8") }
        position += sizeBytes
        return text
    }

    package mutating func readBytes() throws(EncodingError) -> [UInt8] {
        try readBytes(count: readLength())
    }

    package mutating func readBytes(count: Int) throws(EncodingError) -> [UInt8] {
        guard count >= 0, count <= remaining else { throw truncated() }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// A length in bytes that the rest of the data can hold.
    package mutating func readLength() throws(EncodingError) -> Int {
        try readCount(minimumBytesEach: 1)
    }

    /// Reads how many items follow, each of at least so many bytes. Throws if the rest of the data cannot hold them, so
    /// it is safe to reserve memory for them.
    package mutating func readCount(minimumBytesEach: Int) throws(EncodingError) -> Int {
        let count = try readVarint()
        guard count <= UInt64(remaining / max(1, minimumBytesEach)) else { throw truncated() }
        return Int(count)
    }

    package mutating func skip(_ count: Int) throws(EncodingError) {
        guard count >= 0, count <= remaining else { throw truncated() }
        position += count
    }

    /// A reader of the next bytes alone; this one goes on after them.
    package mutating func readPart(sizeBytes: Int) throws(EncodingError) -> ByteReader {
        guard sizeBytes >= 0, sizeBytes <= remaining else { throw truncated() }
        defer { position += sizeBytes }
        return ByteReader(bytes, from: position, upTo: position + sizeBytes)
    }
}

// MARK: - Values and names of things

extension ByteReader {
    /// Never returns `Value.object` or `Value.anyObject`.
    package mutating func readValue() throws(EncodingError) -> Value {
        let tag = try readByte()
        switch tag {
        case ValueTag.null: return .null
        case ValueTag.no: return .bool(false)
        case ValueTag.yes: return .bool(true)
        case ValueTag.int: return .int(try readSigned())
        case ValueTag.float: return .float(Float(bitPattern: try readFixed32()))
        case ValueTag.double: return .double(Double(bitPattern: try readFixed64()))
        case ValueTag.string: return .string(try readString())
        case ValueTag.bytes: return .bytes(try readBytes())
        case ValueTag.timestamp:
            let seconds = try readSigned()
            return .timestamp(try timestamp(seconds: seconds, nanoseconds: readSigned()))
        case ValueTag.objectId: return .objectId(try readObjectId())
        case ValueTag.uuid: return .uuid(try readUUID())
        case ValueTag.link: return .link(try readPrimaryKey())
        case ValueTag.anyLink:
            let className = try readString()
            return .anyLink(ClassedLink(className, try readPrimaryKey()))
        case ValueTag.decimal: return .decimal(try readDecimal())
        default: throw malformed("\(tag) is no kind of value")
        }
    }

    package mutating func readPrimaryKey() throws(EncodingError) -> PrimaryKey {
        let tag = try readByte()
        switch tag {
        case KeyTag.null: return .null
        case KeyTag.int: return .int(try readSigned())
        case KeyTag.string: return .string(try readString())
        case KeyTag.objectId: return .objectId(try readObjectId())
        case KeyTag.uuid: return .uuid(try readUUID())
        case KeyTag.container: return .container(try readElementID())
        default: throw malformed("\(tag) is no kind of primary key")
        }
    }

    /// Passes over a primary key without making it.
    package mutating func skipPrimaryKey() throws(EncodingError) {
        let tag = try readByte()
        switch tag {
        case KeyTag.null: break
        case KeyTag.int: _ = try readVarint()
        case KeyTag.string: try skip(readLength())
        case KeyTag.objectId: try skip(12)
        case KeyTag.uuid: try skip(16)
        case KeyTag.container:
            try skip(8)
            _ = try readVarint()
        default: throw malformed("\(tag) is no kind of primary key")
        }
    }

    package mutating func readStamp() throws(EncodingError) -> Stamp {
        let time = try readFixed64()
        return Stamp(time: time, client: ClientID(try readFixed64()))
    }

    package mutating func readElementID() throws(EncodingError) -> ElementID {
        let client = ClientID(try readFixed64())
        return ElementID(client: client, counter: try readVarint())
    }

    package mutating func readObjectId() throws(EncodingError) -> ObjectIdentifier12 {
        let high = try readFixed64().byteSwapped
        return ObjectIdentifier12(high: high, low: try readFixed32().byteSwapped)
    }

    package mutating func readUUID() throws(EncodingError) -> UUID16 {
        let high = try readFixed64().byteSwapped
        return UUID16(high: high, low: try readFixed64().byteSwapped)
    }

    /// Any bits are a valid decimal, and are kept as they are.
    mutating func readDecimal() throws(EncodingError) -> DecimalNumber {
        let low = try readFixed64()
        return DecimalNumber(high: try readFixed64(), low: low)
    }

    /// A nanosecond part is less than a second and has the sign of its seconds.
    func timestamp(seconds: Int64, nanoseconds: Int64) throws(EncodingError) -> Timestamp {
        // No `abs`: the least number has no opposite, and a message may hold it.
        guard (-999_999_999...999_999_999).contains(nanoseconds),
            seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
        else { throw malformed("a point in time has \(nanoseconds) nanoseconds") }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }
}
