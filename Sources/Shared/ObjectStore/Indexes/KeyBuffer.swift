import CausewayModel
import Glibc

/// Builds tree keys whose byte order is value order, in one buffer that is used again and again.
///
/// A tag byte comes first; null has the smallest. Strings and data are cut to ``longestPrefix`` bytes in indexes, so a
/// match on a cut key is verified with the value in the column.
final class KeyBuffer {
    /// The most bytes of a string that an index key keeps.
    static let longestPrefix = 200
    /// The most bytes of a string primary key, in UTF-8. With its tag it still fits a key of a tree.
    static let longestPrimaryKey = 400
    private static let capacity = 512

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
    // Nothing here calls out while it changes the count, so accesses never overlap; checking costs more than appending.
    @exclusivity(unchecked) private(set) var count = 0

    deinit {
        memory.deallocate()
    }

    /// Valid until the buffer's next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.baseAddress, count: count) }
    var array: [UInt8] { Array(bytes) }

    func clear() {
        count = 0
    }

    func set(_ bytes: UnsafeRawBufferPointer) {
        count = min(bytes.count, Self.capacity)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }

    func append(byte: UInt8) {
        memory[count] = byte
        count += 1
    }

    func append(_ value: UInt64) {
        memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
        count += 8
    }

    func append(_ value: UInt32) {
        memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt32.self)
        count += 4
    }

    func append(_ key: ObjectKey) {
        append(UInt64(bitPattern: key.rawValue))
    }

    private func append(signed value: Int64) {
        append(UInt64(bitPattern: value) ^ 1 << 63)
    }

    private func append(ordered value: Double) {
        let zeroed = value == 0 ? 0 : value
        let bits = zeroed.bitPattern
        append(bits >> 63 == 0 ? bits | 1 << 63 : ~bits)
    }

    /// The prefix of the backlinks to a target from a column.
    func set(target: Int64, column: UInt32) {
        clear()
        append(UInt64(bitPattern: target))
        append(column)
    }

    // MARK: - Index keys

    /// Appends a value as an index orders it.
    func append(index value: Value) {
        switch value {
        case .null: append(byte: 0)
        case .bool(let value):
            append(byte: 1)
            append(byte: value ? 1 : 0)
        case .int(let value):
            append(byte: 2)
            append(signed: value)
        case .float(let value):
            append(byte: 3)
            append(ordered: Double(value))
        case .double(let value):
            append(byte: 3)
            append(ordered: value)
        case .string(var value):
            value.withUTF8 { append(indexText: UnsafeRawBufferPointer($0), isData: false) }
        case .bytes(let value): value.withUnsafeBytes { append(indexText: $0, isData: true) }
        case .timestamp(let value):
            append(byte: 6)
            append(signed: value.seconds)
            append(UInt32(bitPattern: value.nanoseconds) ^ 1 << 31)
        case .objectId(let value):
            append(byte: 7)
            append(value.high)
            append(value.low)
        case .uuid(let value):
            append(byte: 8)
            append(value.high)
            append(value.low)
        case .object(let key):
            append(byte: 9)
            append(key)
        case .decimal(let value):
            append(byte: Self.numberTag)
            append(UInt64(truncatingIfNeeded: value.orderedBits >> 64))
            append(UInt64(truncatingIfNeeded: value.orderedBits))
        case .anyObject(let object):
            append(byte: 12)
            append(object.classNumber)
            append(object.key)
        case .link, .anyLink:
            preconditionFailure("a link is resolved to an object before it is stored")
        }
    }

    /// Appends the bytes of a string, or data, as an index orders it.
    func append(indexText bytes: UnsafeRawBufferPointer, isData: Bool) {
        append(byte: isData ? 5 : 4)
        append(escaped: bytes)
    }

    /// Whether the text or data appended to the empty buffer was too long and had to be cut.
    var isCut: Bool {
        guard count > Self.longestPrefix, memory[0] == 4 || memory[0] == 5 else { return false }
        return memory[count - 1] == 1
    }

    /// Sets the bytes that the index keys of all values with this prefix begin with. False when the prefix is too long,
    /// so that keys of other values begin with these bytes, too.
    func set(indexPrefix value: Value) -> Bool {
        clear()
        append(index: value)
        let isWhole = !isCut
        count -= isWhole ? 2 : 1
        return isWhole
    }

    /// A zero byte becomes 00 FF and the end 00 00. A key that is cut ends in 01 instead, which sorts
    /// behind the uncut value of the same bytes.
    private func append(escaped bytes: UnsafeRawBufferPointer) {
        let start = count
        if bytes.count <= Self.longestPrefix, let base = bytes.baseAddress, memchr(base, 0, bytes.count) == nil {
            // Nearly every text: nothing to escape, nothing to cut.
            memory.baseAddress.map { ($0 + start).copyMemory(from: base, byteCount: bytes.count) }
            count += bytes.count
            append(byte: 0)
            append(byte: 0)
            return
        }
        for byte in bytes {
            if count - start >= Self.longestPrefix {
                append(byte: 1)
                return
            }
            append(byte: byte)
            if byte == 0 { append(byte: 0xFF) }
        }
        append(byte: 0)
        append(byte: 0)
    }

    // MARK: - Primary keys

    /// Sets the whole key of an object in the tree of primary keys; false when it is too long.
    func set(primaryKey: PrimaryKey) -> Bool {
        clear()
        switch primaryKey {
        case .null: append(index: .null)
        case .int(let value): append(index: .int(value))
        case .string(var value):
            return value.withUTF8 { bytes in
                guard bytes.count <= Self.longestPrimaryKey else { return false }
                append(byte: 4)
                for byte in bytes { append(byte: byte) }
                return true
            }
        case .objectId(let value): append(index: .objectId(value))
        case .uuid(let value): append(index: .uuid(value))
        case .container(let id):
            append(byte: 10)
            append(id.client.rawValue)
            append(id.counter)
        }
        return true
    }
}
