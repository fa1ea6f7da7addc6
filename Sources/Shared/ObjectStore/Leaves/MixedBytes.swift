import CausewayModel
import CausewayOperations

/// A mixed value as bytes, in a leaf or a list: the value alone as `Operations/ENCODING.md` has it, or a link to a row
/// of this file.
enum MixedBytes {
    /// The first byte of a link to a row. No other value begins with it.
    private static let row: UInt8 = 0xFF
    private static let rowBytes = 13

    /// What a leaf of bytes holds: null, or bytes.
    static func stored(_ value: Value) -> Value {
        value.isNull ? .null : .bytes(encode(value))
    }

    static func encode(_ value: Value) -> [UInt8] {
        var writer = ByteWriter()
        if case .anyObject(let object) = value {
            writer.write(byte: row)
            writer.write(fixed32: object.classNumber)
            writer.write(fixed64: UInt64(bitPattern: object.key.rawValue))
        } else {
            writer.write(value)
        }
        return writer.bytes
    }

    /// Null for bytes that are no value.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> Value {
        guard let first = bytes.first else { return .null }
        var reader = ByteReader(Array(bytes))
        do throws(EncodingError) {
            guard first == row, bytes.count == rowBytes else { return try reader.readValue() }
            _ = try reader.readByte()
            let classNumber = try reader.readFixed32()
            return .anyObject(ClassedKey(classNumber, ObjectKey(Int64(bitPattern: try reader.readFixed64()))))
        } catch {
            return .null
        }
    }
}
