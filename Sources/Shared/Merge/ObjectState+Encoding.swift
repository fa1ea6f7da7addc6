import CausewayModel
package import CausewayOperations

// The byte table is in Operations/ENCODING.md, "State of an object".

extension ObjectState {
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }

    package init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        self = try ObjectState.read(from: &reader)
        try reader.finish()
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(varint: UInt64(life))
        writer.write(born)
        writer.write(varint: UInt64(fields.count))
        var stamp = born
        for field in fields {
            let isSame = field.stamp == stamp
            writer.write(byte: (field.isDefault ? FieldTag.isDefault : 0) | (isSame ? 0 : FieldTag.hasStamp))
            writer.write(string: field.property)
            if !isSame { writer.write(field.stamp) }
            writer.write(field.value)
            stamp = field.stamp
        }
        writer.write(varint: UInt64(lists.count + keyed.count))
        for list in lists {
            writer.write(string: list.property)
            list.list.write(to: &writer)
        }
        for entries in keyed {
            writer.write(string: entries.property)
            entries.entries.write(to: &writer)
        }
    }

    package static func read(from reader: inout ByteReader) throws(EncodingError) -> ObjectState {
        let life = try reader.readVarint()
        guard life <= UInt64(Operation.lifeMax) else { throw reader.malformed("an object has no life \(life)") }
        let born = try reader.readStamp()
        var stamp = born
        var fields: [Field] = []
        var lists: [ListField] = []
        var keyed: [KeyedField] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let tag = try reader.readByte()
            guard tag & ~(FieldTag.isDefault | FieldTag.hasStamp) == 0 else {
                throw reader.malformed("\(tag) is no kind of field")
            }
            let property = try reader.readString()
            if tag & FieldTag.hasStamp != 0 { stamp = try reader.readStamp() }
            let isDefault = tag & FieldTag.isDefault != 0
            fields.append(Field(property, try reader.readValue(), stamp: stamp, isDefault: isDefault))
        }
        for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
            let property = try reader.readString()
            if try KeyedState.isNext(in: reader) {
                keyed.append(KeyedField(property, try KeyedState(from: &reader)))
            } else {
                lists.append(ListField(property, try ListState(from: &reader)))
            }
        }
        return ObjectState(life: UInt32(life), fields: fields, lists: lists, keyed: keyed, born: born)
    }

    private enum FieldTag {
        static let isDefault: UInt8 = 1
        /// Without it the stamp is that of the field before; of the first one: that of the create.
        static let hasStamp: UInt8 = 2
    }
}
