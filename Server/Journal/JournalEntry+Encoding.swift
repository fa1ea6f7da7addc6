import CausewayModel
package import CausewayOperations
import CausewayStore

// The byte table is in JOURNAL.md.

extension JournalEntry {
    /// Of the encoding. A program refuses an entry of a later one.
    package static let format: UInt8 = 1
    /// What one entry may have. A group of uploads has less.
    package static let sizeMax = 64 << 20
    /// The weight of the operations of one upload, as `Changeset.decode` counts it: more than a device may send.
    static let weightMax = 1 << 24
    static let operationsMax = 1 << 22

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: Self.format)
        writer.write(varint: oldestGeneration)
        writer.write(fixed64: incarnation)
        body.encode(into: &writer)
        return writer.bytes
    }

    /// Takes memory in proportion to the size of `bytes` and to the bounds above, whatever they contain.
    package init(encoded bytes: [UInt8]) throws(EncodingError) {
        guard bytes.count <= Self.sizeMax else {
            throw EncodingError(.tooMuch, "An entry has \(bytes.count) bytes; \(Self.sizeMax) are the most.", offset: 0)
        }
        var reader = ByteReader(bytes)
        try Self.check(format: try reader.readByte())
        oldestGeneration = try reader.readVarint()
        incarnation = try reader.readFixed64()
        body = try Body(from: &reader)
        try reader.finish()
    }

    /// The oldest generation that may apply an entry, read from its head alone: what follows may be of a later form.
    package static func oldestGeneration(of bytes: [UInt8]) throws(EncodingError) -> UInt64 {
        var reader = ByteReader(bytes)
        _ = try reader.readByte()
        return try reader.readVarint()
    }

    private static func check(format: UInt8) throws(EncodingError) {
        guard format == Self.format else {
            throw EncodingError(
                .unsupportedVersion,
                "The entry is written in format \(format), and this program knows format \(Self.format): update it.",
                offset: 0)
        }
    }
}

/// The byte before the body of an entry.
enum EntryTag {
    static let commit: UInt8 = 1
    static let ingest: UInt8 = 2
    static let register: UInt8 = 3
    static let extendSchema: UInt8 = 4
    static let requireSchema: UInt8 = 5
    static let settings: UInt8 = 6
    static let maintain: UInt8 = 7
    static let generation: UInt8 = 8
    static let act: UInt8 = 9
    static let keeping: UInt8 = 10
}

extension JournalEntry.Body {
    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .commit(let commit):
            writer.write(byte: EntryTag.commit)
            commit.encode(into: &writer)
        case .ingest(let ingest):
            writer.write(byte: EntryTag.ingest)
            ingest.encode(into: &writer)
        case .register(let registration):
            writer.write(byte: EntryTag.register)
            registration.encode(into: &writer)
        case .extendSchema(let declaration):
            writer.write(byte: EntryTag.extendSchema)
            declaration.encode(into: &writer)
        case .requireSchema(let declaration):
            writer.write(byte: EntryTag.requireSchema)
            declaration.encode(into: &writer)
        case .settings(let settings):
            writer.write(byte: EntryTag.settings)
            settings.encode(into: &writer)
        case .maintain(let time):
            writer.write(byte: EntryTag.maintain)
            writer.write(varint: time)
        case .generation(let generation):
            writer.write(byte: EntryTag.generation)
            writer.write(varint: generation)
        case .act(let act):
            writer.write(byte: EntryTag.act)
            act.encode(into: &writer)
        case .keeping(let work):
            writer.write(byte: EntryTag.keeping)
            work.encode(into: &writer)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        let tag = try reader.readByte()
        switch tag {
        case EntryTag.commit: self = .commit(try JournalEntry.Commit(from: &reader))
        case EntryTag.ingest: self = .ingest(try JournalEntry.Ingest(from: &reader))
        case EntryTag.register: self = .register(try JournalEntry.Registration(from: &reader))
        case EntryTag.extendSchema: self = .extendSchema(try JournalEntry.Declaration(from: &reader))
        case EntryTag.requireSchema: self = .requireSchema(try JournalEntry.Declaration(from: &reader))
        case EntryTag.settings: self = .settings(try RecordSettings(from: &reader))
        case EntryTag.maintain: self = .maintain(time: try reader.readVarint())
        case EntryTag.generation: self = .generation(try reader.readVarint())
        case EntryTag.act: self = .act(try OperatorAct(from: &reader))
        case EntryTag.keeping: self = .keeping(try KeepingWork(from: &reader))
        default: throw reader.malformed("\(tag) is no kind of entry")
        }
    }
}

extension JournalEntry.Registration {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.write(client)
        writer.write(string: user)
        for number in [standing.oldest, standing.oldestOneWay, standing.acknowledged] { writer.write(varint: number) }
        writer.write(standing.predecessor)
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        let client = try reader.readClient()
        let user = try reader.readString()
        let (oldest, oldestOneWay) = (try reader.readVarint(), try reader.readVarint())
        let acknowledged = try reader.readVarint()
        self.init(
            client: client, user: user,
            standing: DeviceStanding(
                oldest: oldest, oldestOneWay: oldestOneWay, acknowledged: acknowledged,
                predecessor: try reader.readClient()))
    }
}

extension JournalEntry.Declaration {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.write(flag: declarer != nil)
        if let declarer {
            writer.write(string: declarer.user)
            writer.write(varint: declarer.time)
        }
        writer.write(wanted)
    }

    fileprivate init(from reader: inout ByteReader) throws(EncodingError) {
        var declarer: Declarer?
        if try reader.readFlag() {
            let user = try reader.readString()
            declarer = Declarer(user: user, time: try reader.readVarint())
        }
        self.init(wanted: try reader.readSchema(), declarer: declarer)
    }
}
