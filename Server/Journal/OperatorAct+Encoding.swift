import CausewayConversion
import CausewayModel
package import CausewayOperations
package import CausewayStore

// The byte table is in JOURNAL.md.

/// The byte before what an act is about.
private enum ActTag {
    static let drop: UInt8 = 1
    static let convert: UInt8 = 2
    static let forget: UInt8 = 3
    static let shutOut: UInt8 = 4
    static let letIn: UInt8 = 5
}

extension OperatorAct {
    func encode(into writer: inout ByteWriter) {
        switch self {
        case .drop(let className, let property):
            writer.write(byte: ActTag.drop)
            writer.write(string: className)
            writer.write(optional: property)
        case .convert(let conversion):
            writer.write(byte: ActTag.convert)
            conversion.encode(into: &writer)
        case .forget(let client):
            writer.write(byte: ActTag.forget)
            writer.write(client)
        case .shutOut(let shutOut):
            writer.write(byte: ActTag.shutOut)
            shutOut.encode(into: &writer)
        case .letIn(let subject):
            writer.write(byte: ActTag.letIn)
            subject.encode(into: &writer)
        }
    }

    init(from reader: inout ByteReader) throws(EncodingError) {
        let tag = try reader.readByte()
        switch tag {
        case ActTag.drop:
            let className = try reader.readString()
            self = .drop(className: className, property: try reader.readOptionalString())
        case ActTag.convert: self = .convert(try PropertyConversion(from: &reader))
        case ActTag.forget: self = .forget(try reader.readClient())
        case ActTag.shutOut: self = .shutOut(try ShutOut(from: &reader))
        case ActTag.letIn: self = .letIn(try ShutOut.Subject(from: &reader))
        default: throw reader.malformed("\(tag) is no act of an operator")
        }
    }
}

extension ShutOut {
    package init(encoded bytes: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        subject.encode(into: &writer)
        writer.write(varint: since)
        writer.write(optional: note)
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        let subject = try Subject(from: &reader)
        let since = try reader.readVarint()
        self.init(subject, since: since, note: try reader.readOptionalString())
    }
}

extension ShutOut.Subject {
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .user(let name):
            writer.write(byte: 0)
            writer.write(string: name.string)
        case .client(let client):
            writer.write(byte: 1)
            writer.write(client)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        self =
            try reader.readFlag()
            ? .client(try reader.readClient()) : .user(ExactString(try reader.readString()))
    }
}

extension PropertyConversion {
    private enum MisfitTag {
        static let refuse: UInt8 = 0
        static let null: UInt8 = 1
        static let value: UInt8 = 2
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        writer.write(string: className)
        writer.write(string: property)
        writer.write(byte: type.rawValue)
        writer.write(flag: isOptional != nil)
        if let isOptional { writer.write(flag: isOptional) }
        switch misfits {
        case .refuse: writer.write(byte: MisfitTag.refuse)
        case .null: writer.write(byte: MisfitTag.null)
        case .value(let value):
            writer.write(byte: MisfitTag.value)
            writer.write(value)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        let (className, property) = (try reader.readString(), try reader.readString())
        let type = try reader.readCase(PropertyType.self, "type")
        let isOptional = try reader.readFlag() ? try reader.readFlag() : nil
        let misfits: PropertyMapping.MisfitRule
        let tag = try reader.readByte()
        switch tag {
        case MisfitTag.refuse: misfits = .refuse
        case MisfitTag.null: misfits = .null
        case MisfitTag.value: misfits = .value(try reader.readValue())
        default: throw reader.malformed("\(tag) says nothing about values that do not fit")
        }
        self.init(className, property, to: type, isOptional: isOptional, misfits: misfits)
    }
}

extension ByteWriter {
    fileprivate mutating func write(optional text: String?) {
        write(flag: text != nil)
        if let text { write(string: text) }
    }
}

extension ByteReader {
    fileprivate mutating func readOptionalString() throws(EncodingError) -> String? {
        try readFlag() ? try readString() : nil
    }
}
