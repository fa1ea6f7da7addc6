/// A document as BSON, written without anything that is tested.
struct BSONWriter {
    private(set) var content: [UInt8] = []

    var document: [UInt8] { Self.little(UInt32(content.count + 5)) + content + [0] }

    static func document(_ write: (inout BSONWriter) -> Void) -> [UInt8] {
        var writer = BSONWriter()
        write(&writer)
        return writer.document
    }

    mutating func put(_ type: UInt8, _ name: String, _ value: [UInt8]) {
        content += [type] + Array(name.utf8) + [0] + value
    }

    mutating func double(_ name: String, _ value: Double) { put(0x01, name, Self.little(value.bitPattern)) }
    mutating func string(_ name: String, _ value: String) { put(0x02, name, Self.string(value)) }
    mutating func document(_ name: String, _ write: (inout BSONWriter) -> Void) {
        put(0x03, name, Self.document(write))
    }
    mutating func array(_ name: String, _ write: (inout BSONWriter) -> Void) { put(0x04, name, Self.document(write)) }
    mutating func binary(_ name: String, _ subtype: UInt8, _ bytes: [UInt8]) {
        put(0x05, name, Self.little(UInt32(bytes.count)) + [subtype] + bytes)
    }
    mutating func objectId(_ name: String, _ bytes: [UInt8]) { put(0x07, name, bytes) }
    mutating func bool(_ name: String, _ value: Bool) { put(0x08, name, [value ? 1 : 0]) }
    mutating func date(_ name: String, _ milliseconds: Int64) {
        put(0x09, name, Self.little(UInt64(bitPattern: milliseconds)))
    }
    mutating func null(_ name: String) { put(0x0A, name, []) }
    mutating func int32(_ name: String, _ value: Int32) { put(0x10, name, Self.little(UInt32(bitPattern: value))) }
    mutating func int64(_ name: String, _ value: Int64) { put(0x12, name, Self.little(UInt64(bitPattern: value))) }
    mutating func decimal(_ name: String, high: UInt64, low: UInt64) {
        put(0x13, name, Self.little(low) + Self.little(high))
    }

    static func string(_ value: String) -> [UInt8] {
        little(UInt32(value.utf8.count + 1)) + Array(value.utf8) + [0]
    }

    static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }
}
