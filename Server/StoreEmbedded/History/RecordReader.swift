import CausewayModel
import CausewayOperations
import CausewayStore

/// Reads a ``HistoryRecord`` entry by entry, without making what its reader may not need: a device that was away asks for
/// a hundred thousand of them, mostly about the same objects.
struct RecordReader {
    let client: ClientID
    let time: UInt64
    let sizeBytes: UInt64
    private(set) var birthsLeft: Int
    /// Known once the births are read.
    private(set) var entriesLeft = 0
    private var reader: ByteReader

    init(_ bytes: [UInt8]) throws(EncodingError) {
        reader = ByteReader(bytes)
        client = ClientID(try reader.readFixed64())
        time = try reader.readVarint()
        sizeBytes = try reader.readVarint()
        birthsLeft = try reader.readCount(minimumBytesEach: 3)
        if birthsLeft == 0 { try readEntryCount() }
    }

    private mutating func readEntryCount() throws(EncodingError) {
        entriesLeft = try reader.readCount(minimumBytesEach: 4)
    }

    mutating func nextBirth() throws(EncodingError) -> HistoryRecord.Birth? {
        guard birthsLeft > 0 else { return nil }
        let birth = try HistoryRecord.Birth(from: &reader)
        birthsLeft -= 1
        if birthsLeft == 0 { try readEntryCount() }
        return birth
    }

    /// An entry: places in the record instead of what takes memory of its own.
    struct Entry {
        var flags = EntryFlags(rawValue: 0)
        /// Where the class number and the primary key are. Equal names have equal bytes.
        var name = 0..<0
        /// Meaningless unless the flags say that there is one.
        var row = ObjectKey(0)
        var root = 0
        /// Where the columns are that were edited, and then those that were altered.
        var edits = 0
        var smallImage = 0..<0
        var columns = PropertyNumbers()

        var rowIfAny: ObjectKey? { flags.contains(.hasRow) ? row : nil }

        func name(in bytes: [UInt8]) throws(EncodingError) -> ObjectName {
            var reader = try Self.reader(of: bytes, at: name.lowerBound)
            return try reader.readObjectName()
        }

        func root(in bytes: [UInt8]) throws(EncodingError) -> ObjectName? {
            guard flags.contains(.hasRoot) else { return nil }
            var reader = try Self.reader(of: bytes, at: root)
            return try reader.readObjectName()
        }

        func edits(
            in bytes: [UInt8]
        ) throws(EncodingError) -> (edited: PropertyNumbers, altered: PropertyNumbers)? {
            guard flags.contains(.hasEdits) else { return nil }
            var reader = try Self.reader(of: bytes, at: edits)
            return (try reader.readPropertyNumbers(), try reader.readPropertyNumbers())
        }

        func smallImage(in bytes: [UInt8]) -> [UInt8]? {
            flags.contains(.hasSmallImage) ? Array(bytes[smallImage]) : nil
        }

        private static func reader(of bytes: [UInt8], at place: Int) throws(EncodingError) -> ByteReader {
            var reader = ByteReader(bytes)
            try reader.skip(place)
            return reader
        }
    }

    /// Reads an entry into memory that the caller uses for all of them; false behind the last one.
    ///
    /// - Precondition: all births are read.
    mutating func next(_ entry: inout Entry) throws(EncodingError) -> Bool {
        guard entriesLeft > 0 else { return false }
        entriesLeft -= 1
        entry.flags = EntryFlags(rawValue: try reader.readByte())
        let start = reader.offset
        _ = try reader.readVarint()
        try reader.skipPrimaryKey()
        entry.name = start..<reader.offset
        if entry.flags.contains(.hasRow) { entry.row = ObjectKey(try reader.readSigned()) }
        if entry.flags.contains(.hasRoot) {
            entry.root = reader.offset
            _ = try reader.readVarint()
            try reader.skipPrimaryKey()
        }
        if entry.flags.contains(.hasEdits) {
            entry.edits = reader.offset
            for _ in 0..<2 { _ = try reader.readPropertyNumbers() }
        }
        if entry.flags.contains(.hasSmallImage) {
            let count = try reader.readLength()
            entry.smallImage = reader.offset..<reader.offset + count
            try reader.skip(count)
        }
        entry.columns = try reader.readPropertyNumbers()
        return true
    }
}

extension HistoryRecord.Birth {
    init(from reader: inout ByteReader) throws(EncodingError) {
        classNumber = Int(truncatingIfNeeded: try reader.readVarint())
        let first = try reader.readSigned()
        let last = first &+ Int64(truncatingIfNeeded: try reader.readVarint())
        keys = ObjectKey(first)...ObjectKey(max(first, last))
    }
}

extension ByteReader {
    mutating func readObjectName() throws(EncodingError) -> ObjectName {
        ObjectName(Int(truncatingIfNeeded: try readVarint()), try readPrimaryKey())
    }
}
