import CausewayMerge
import CausewayModel
import CausewayOperations

/// An image that is kept in the record of its version: the life and some values, a few bytes each.
///
/// It knows properties by number and has no stamps, which nobody asks an image for. An image with a list, set, map or text,
/// or with a long value, is in a tree of its own, where a reader of the record does not meet it.
enum SmallImage {
    static let bytesMax = 64
    /// A version that touched more objects, or created more runs of rows, has no small images: whoever looks for one goes
    /// over its record.
    private static let objectsMax = 8

    /// Whether the record of a version has its small images.
    static func areKept(births: Int, touched: Int) -> Bool { births <= objectsMax && touched <= objectsMax }

    /// Whether a record may have small images. The objects that hold what was touched may have entries too.
    static func mayBeIn(births: Int, entries: Int) -> Bool { births <= objectsMax && entries <= 2 * objectsMax }

    /// Nil for an image that is none of these.
    ///
    /// - Parameter columns: the numbers of the properties.
    static func encoded(_ image: ObjectState, _ columns: ExactDictionary<Int>) -> [UInt8]? {
        guard image.parts.isEmpty, image.fields.count <= bytesMax / 3 else { return nil }
        var writer = ByteWriter()
        writer.write(varint: UInt64(image.life))
        writer.write(varint: UInt64(image.fields.count))
        for field in image.fields {
            guard let column = columns[field.property] else { return nil }
            writer.write(varint: UInt64(column))
            writer.write(field.value)
            if writer.bytes.count > bytesMax { return nil }
        }
        return writer.bytes
    }

    static func decoded(
        _ bytes: [UInt8], _ property: (Int) -> String?
    ) throws(EncodingError) -> ObjectState {
        var reader = ByteReader(bytes)
        let life = try readLife(from: &reader)
        var fields: [ObjectState.Field] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
            let column = try reader.readVarint()
            guard let name = property(Int(clamping: column)) else {
                throw reader.malformed("column \(column) is not there")
            }
            fields.append(ObjectState.Field(name, try reader.readValue(), stamp: .zero))
        }
        try reader.finish()
        return ObjectState(life: life, fields: fields)
    }

    static func life(_ bytes: [UInt8]) throws(EncodingError) -> UInt32 {
        var reader = ByteReader(bytes)
        return try readLife(from: &reader)
    }

    private static func readLife(from reader: inout ByteReader) throws(EncodingError) -> UInt32 {
        guard let life = UInt32(exactly: try reader.readVarint()) else { throw reader.malformed("a life is too long") }
        return life
    }
}
