package import CausewayModel

/// Appends values in the forms of `ENCODING.md`.
@usableFromInline
package struct ByteWriter {
    @usableFromInline package var bytes: [UInt8]

    @inlinable
    package init() {
        bytes = []
    }

    @inlinable
    package mutating func reserve(_ sizeBytes: Int) {
        bytes.reserveCapacity(bytes.count + sizeBytes)
    }
}

// MARK: - Numbers and runs of bytes

extension ByteWriter {
    @inlinable
    package mutating func write(byte: UInt8) {
        bytes.append(byte)
    }

    /// Seven bits a byte, lowest first; the high bit says that more follow.
    @inlinable
    package mutating func write(varint: UInt64) {
        var rest = varint
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Zigzag: small numbers of either sign are short.
    @inlinable
    package mutating func write(signed: Int64) {
        write(varint: UInt64(bitPattern: (signed << 1) ^ (signed >> 63)))
    }

    @inlinable
    package mutating func write(fixed64: UInt64) {
        withUnsafeBytes(of: fixed64.littleEndian) { bytes.append(contentsOf: $0) }
    }

    @inlinable
    package mutating func write(fixed32: UInt32) {
        withUnsafeBytes(of: fixed32.littleEndian) { bytes.append(contentsOf: $0) }
    }

    @inlinable
    package mutating func write(string: String) {
        write(varint: UInt64(string.utf8.count))
        bytes.append(contentsOf: string.utf8)
    }

    /// The length, then the bytes.
    @inlinable
    package mutating func write(bytes run: [UInt8]) {
        write(varint: UInt64(run.count))
        bytes.append(contentsOf: run)
    }

    /// The bytes alone, for a reader who knows the length.
    @inlinable
    package mutating func write(raw run: [UInt8]) {
        bytes.append(contentsOf: run)
    }
}

// MARK: - Values and names of things

extension ByteWriter {
    package mutating func write(_ value: Value) {
        switch value {
        case .null:
            write(byte: ValueTag.null)
        case .bool(let value):
            write(byte: value ? ValueTag.yes : ValueTag.no)
        case .int(let value):
            write(byte: ValueTag.int)
            write(signed: value)
        case .float(let value):
            write(byte: ValueTag.float)
            write(fixed32: value.storedBits)
        case .double(let value):
            write(byte: ValueTag.double)
            write(fixed64: value.storedBits)
        case .string(let value):
            write(byte: ValueTag.string)
            write(string: value)
        case .bytes(let value):
            write(byte: ValueTag.bytes)
            write(bytes: value)
        case .timestamp(let value):
            write(byte: ValueTag.timestamp)
            write(signed: value.seconds)
            write(signed: Int64(value.nanoseconds))
        case .objectId(let value):
            write(byte: ValueTag.objectId)
            write(value)
        case .uuid(let value):
            write(byte: ValueTag.uuid)
            write(value)
        case .object, .anyObject:
            preconditionFailure("A row key means nothing outside its file: links travel by primary key.")
        case .link(let key):
            write(byte: ValueTag.link)
            write(key)
        case .anyLink(let link):
            write(byte: ValueTag.anyLink)
            write(string: link.className)
            write(link.key)
        case .decimal(let value):
            write(byte: ValueTag.decimal)
            write(value)
        }
    }

    package mutating func write(_ key: PrimaryKey) {
        switch key {
        case .null:
            write(byte: KeyTag.null)
        case .int(let value):
            write(byte: KeyTag.int)
            write(signed: value)
        case .string(let value):
            write(byte: KeyTag.string)
            write(string: value)
        case .objectId(let value):
            write(byte: KeyTag.objectId)
            write(value)
        case .uuid(let value):
            write(byte: KeyTag.uuid)
            write(value)
        case .container(let id):
            write(byte: KeyTag.container)
            write(id)
        }
    }

    package mutating func write(_ stamp: Stamp) {
        write(fixed64: stamp.time)
        write(fixed64: stamp.client.rawValue)
    }

    package mutating func write(_ id: ElementID) {
        write(fixed64: id.client.rawValue)
        write(varint: id.counter)
    }

    package mutating func write(_ value: ObjectIdentifier12) {
        withUnsafeBytes(of: value.high.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: value.low.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ value: UUID16) {
        withUnsafeBytes(of: value.high.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: value.low.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

extension ByteWriter {
    package mutating func write(_ value: DecimalNumber) {
        write(fixed64: value.low)
        write(fixed64: value.high)
    }
}

/// The byte before a value that stands alone.
enum ValueTag {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let int: UInt8 = 3
    static let float: UInt8 = 4
    static let double: UInt8 = 5
    static let string: UInt8 = 6
    static let bytes: UInt8 = 7
    static let timestamp: UInt8 = 8
    static let objectId: UInt8 = 9
    static let uuid: UInt8 = 10
    static let link: UInt8 = 11
    static let decimal: UInt8 = 12
    static let anyLink: UInt8 = 13
}

/// The byte before a primary key that stands alone.
enum KeyTag {
    static let null: UInt8 = 0
    static let int: UInt8 = 1
    static let string: UInt8 = 2
    static let objectId: UInt8 = 3
    static let uuid: UInt8 = 4
    static let container: UInt8 = 5
}
