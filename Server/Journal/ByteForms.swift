import CausewayModel
import CausewayOperations

// What several entries hold, in the forms of ENCODING.md.

extension ByteWriter {
    /// - Precondition: not negative.
    mutating func write(count: Int) { write(varint: UInt64(count)) }

    mutating func write(flag: Bool) { write(byte: flag ? 1 : 0) }

    mutating func write(_ client: ClientID) { write(fixed64: client.rawValue) }

    mutating func write(_ schema: Schema) {
        write(count: schema.classes.count)
        for classSchema in schema.classes {
            write(string: classSchema.name)
            write(byte: classSchema.kind.rawValue)
            write(count: classSchema.properties.count)
            for property in classSchema.properties { write(property) }
        }
    }

    private mutating func write(_ property: Property) {
        write(string: property.name)
        write(byte: property.type.rawValue)
        write(byte: property.collection.rawValue)
        write(byte: property.deletionRule.rawValue)
        let flags = [
            property.isOptional, property.isPrimaryKey, property.isIndexed, property.isFullTextIndexed,
            property.isCounter, property.isText, property.target != nil,
        ]
        write(byte: flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << $1.offset : 0) })
        if let target = property.target { write(string: target) }
    }
}

extension ByteReader {
    /// A number that an `Int` can hold.
    mutating func readNumber() throws(EncodingError) -> Int {
        guard let number = Int(exactly: try readVarint()) else { throw malformed("a number is too large") }
        return number
    }

    mutating func readFlag() throws(EncodingError) -> Bool {
        let byte = try readByte()
        guard byte <= 1 else { throw malformed("\(byte) is neither yes nor no") }
        return byte == 1
    }

    mutating func readClient() throws(EncodingError) -> ClientID { ClientID(try readFixed64()) }

    /// A case by its number.
    mutating func readCase<Case: RawRepresentable>(
        _ type: Case.Type, _ what: String
    ) throws(EncodingError) -> Case where Case.RawValue == UInt8 {
        let byte = try readByte()
        guard let found = Case(rawValue: byte) else { throw malformed("\(byte) is no \(what)") }
        return found
    }

    /// - Throws: also for a schema whose classes are not in the order of their names: equal schemas have equal bytes.
    mutating func readSchema() throws(EncodingError) -> Schema {
        var classes: [ClassSchema] = []
        for _ in 0..<(try readCount(minimumBytesEach: 3)) {
            let name = try readString()
            guard classes.last?.name.precedes(name) ?? true else { throw malformed("classes are not in order") }
            let kind = try readCase(ClassKind.self, "kind of class")
            var properties: [Property] = []
            for _ in 0..<(try readCount(minimumBytesEach: 5)) { properties.append(try readProperty()) }
            classes.append(ClassSchema(name: name, kind: kind, properties: properties))
        }
        return Schema(classes)
    }

    private mutating func readProperty() throws(EncodingError) -> Property {
        let name = try readString()
        let type = try readCase(PropertyType.self, "type")
        let collection = try readCase(CollectionKind.self, "kind of collection")
        let rule = try readCase(DeletionRule.self, "deletion rule")
        let flags = try readByte()
        guard flags < 1 << 7 else { throw malformed("a property has unknown flags") }
        func has(_ bit: UInt8) -> Bool { flags & (1 << bit) != 0 }
        return Property(
            name: name, type: type, collection: collection, isOptional: has(0), isPrimaryKey: has(1), isIndexed: has(2),
            isFullTextIndexed: has(3), target: has(6) ? try readString() : nil, isCounter: has(4), isText: has(5),
            deletionRule: rule)
    }
}
