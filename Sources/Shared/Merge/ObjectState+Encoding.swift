import CausewayModel
package import CausewayOperations

// The byte table is in Operations/ENCODING.md, "State of an object".

extension ObjectState: EncodedState {
    package func write(to writer: inout ByteWriter) {
        write(to: &writer, with: [])
    }

    /// The same bytes as `encoded()`, with the known bytes of some parts copied.
    package func encoded(with known: [(property: String, bytes: [UInt8])]) -> [UInt8] {
        var writer = ByteWriter()
        write(to: &writer, with: known)
        return writer.bytes
    }

    private func write(to writer: inout ByteWriter, with known: [(property: String, bytes: [UInt8])]) {
        writer.write(varint: UInt64(life))
        writer.write(born)
        writer.write(varint: UInt64(fields.count))
        var stamp = born
        for field in fields {
            let isSame = field.stamp == stamp
            let sum = sums.isEmpty ? 0 : sum(of: field.property)
            writer.write(
                byte: (field.isDefault ? FieldTag.isDefault : 0) | (isSame ? 0 : FieldTag.hasStamp)
                    | (sum == 0 ? 0 : FieldTag.hasSum))
            writer.write(string: field.property)
            if !isSame { writer.write(field.stamp) }
            writer.write(field.value)
            if sum != 0 { writer.write(signed: sum) }
            stamp = field.stamp
        }
        writer.write(varint: UInt64(parts.count))
        for part in parts {
            writer.write(string: part.property)
            if let known = known.first(where: { $0.property.isSame(as: part.property) }) {
                writer.write(raw: known.bytes)
            } else {
                part.content.write(to: &writer)
            }
        }
    }

    package init(from reader: inout ByteReader) throws(EncodingError) {
        try self.init(fieldsFrom: &reader)
        var parts: [Part] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
            parts.append(Part(try reader.readString(), try Content(from: &reader)))
        }
        self.parts = parts.inPlace()
    }

    /// The encoded state without its lists, sets, maps and texts, which are not read.
    package init(fieldsOf encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        try self.init(fieldsFrom: &reader)
    }

    private init(fieldsFrom reader: inout ByteReader) throws(EncodingError) {
        let life = try Self.readLife(from: &reader)
        let born = try reader.readStamp()
        var stamp = born
        var fields: [Field] = []
        var sums: [CounterSum] = []
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let tag = try reader.readByte()
            guard tag & ~(FieldTag.isDefault | FieldTag.hasStamp | FieldTag.hasSum) == 0 else {
                throw reader.malformed("\(tag) is no kind of field")
            }
            let property = try reader.readString()
            if tag & FieldTag.hasStamp != 0 { stamp = try reader.readStamp() }
            let isDefault = tag & FieldTag.isDefault != 0
            fields.append(Field(property, try reader.readValue(), stamp: stamp, isDefault: isDefault))
            if tag & FieldTag.hasSum != 0 { sums.append(CounterSum(property, try reader.readSigned())) }
        }
        self.init(life: life, fields: fields, born: born)
        for sum in sums { setSum(of: sum.property, to: sum.amount) }
    }

    /// The life in an encoded state, without the rest of it.
    package static func life(encoded: [UInt8]) throws(EncodingError) -> UInt32 {
        var reader = ByteReader(encoded)
        return try readLife(from: &reader)
    }

    private static func readLife(from reader: inout ByteReader) throws(EncodingError) -> UInt32 {
        let life = try reader.readVarint()
        guard life <= UInt64(Operation.lifeMax) else { throw reader.malformed("an object has no life \(life)") }
        return UInt32(life)
    }

    private enum FieldTag {
        static let isDefault: UInt8 = 1
        /// Without it the stamp is that of the previous field; for the first field, that of the create.
        static let hasStamp: UInt8 = 2
        /// After the value: the sum of the additions to a counter's first value.
        static let hasSum: UInt8 = 4
    }
}
