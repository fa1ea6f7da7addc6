import CausewayModel
import CausewayOperations
import CausewayStore

/// What one version did: who made it, which rows it created, which objects it touched.
struct HistoryRecord {
    var client: ClientID
    /// When the server received it, in milliseconds since 1970; zero in a file that was written before this was noted.
    var time: UInt64 = 0
    /// Bytes of this record, its images and its edits, so that trimming knows what it frees.
    var sizeBytes: UInt64 = 0
    var births: [Birth] = []
    var entries: [Entry] = []

    struct Birth {
        var classNumber: Int
        var keys: ClosedRange<ObjectKey>
    }

    struct Entry {
        var name: ObjectName
        /// The row that it was in when the commit found it; nil when it was not alive then.
        var row: ObjectKey?
        var before: Before
        var columns: PropertyNumbers
        var effective: Bool
        var livesDiffer = false
        var root: ObjectName?
        /// Of the columns, those of lists, sets, maps and texts of which the version keeps what it did.
        var edited = PropertyNumbers()
        /// Of these, those in which the author's device does not have what its operations came to.
        var altered = PropertyNumbers()

        enum Before: UInt8 {
            case absent = 0
            case unchanged = 1
            /// The image has the number of the entry.
            case image = 2
        }
    }

    init(client: ClientID) {
        self.client = client
    }

    // MARK: - Bytes

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(fixed64: client.rawValue)
        writer.write(fixed64: sizeBytes)
        writer.write(varint: UInt64(births.count))
        for birth in births {
            writer.write(varint: UInt64(birth.classNumber))
            writer.write(signed: birth.keys.lowerBound.rawValue)
            writer.write(varint: UInt64(birth.keys.upperBound.rawValue - birth.keys.lowerBound.rawValue))
        }
        writer.write(varint: UInt64(entries.count))
        for entry in entries {
            let flags = entry.before.rawValue | (entry.effective ? 4 : 0) | (entry.row != nil ? 8 : 0)
            writer.write(byte: flags | (entry.root != nil ? 16 : 0) | (entry.livesDiffer ? 32 : 0))
            writer.write(entry.name)
            if let row = entry.row { writer.write(signed: row.rawValue) }
            writer.write(entry.columns)
            if let root = entry.root { writer.write(root) }
        }
        writer.write(varint: time)
        // Behind all that an earlier build wrote and reads.
        let edited = entries.indices.filter { !entries[$0].edited.isEmpty }
        guard !edited.isEmpty else { return writer.bytes }
        writer.write(varint: UInt64(edited.count))
        for number in edited {
            writer.write(varint: UInt64(number))
            writer.write(entries[number].edited)
            writer.write(entries[number].altered)
        }
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(EncodingError) {
        self.init(client: .nobody)
        try replace(by: bytes)
    }

    /// Becomes another version's record, in the memory that it has. After a failure it is neither.
    mutating func replace(by bytes: [UInt8]) throws(EncodingError) {
        births.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        time = 0
        var reader = ByteReader(bytes)
        client = ClientID(try reader.readFixed64())
        sizeBytes = try reader.readFixed64()
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let classNumber = Int(truncatingIfNeeded: try reader.readVarint())
            let first = try reader.readSigned()
            let last = first &+ Int64(truncatingIfNeeded: try reader.readVarint())
            births.append(Birth(classNumber: classNumber, keys: ObjectKey(first)...ObjectKey(max(first, last))))
        }
        let count = try reader.readCount(minimumBytesEach: 4)
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let flags = try reader.readByte()
            let name = try reader.readObjectName()
            let row = flags & 8 != 0 ? ObjectKey(try reader.readSigned()) : nil
            let columns = try reader.readPropertyNumbers()
            let root = flags & 16 != 0 ? try reader.readObjectName() : nil
            entries.append(
                Entry(
                    name: name, row: row, before: Entry.Before(rawValue: flags & 3) ?? .absent, columns: columns,
                    effective: flags & 4 != 0, livesDiffer: flags & 32 != 0, root: root))
        }
        if reader.offset < bytes.count { time = try reader.readVarint() }
        guard reader.offset < bytes.count else { return }
        for _ in 0..<(try reader.readCount(minimumBytesEach: 3)) {
            let number = try reader.readVarint()
            let (edited, altered) = (try reader.readPropertyNumbers(), try reader.readPropertyNumbers())
            guard number < UInt64(entries.count) else { throw reader.malformed("edits of an object that is not there") }
            (entries[Int(number)].edited, entries[Int(number)].altered) = (edited, altered)
        }
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ name: ObjectName) {
        write(varint: UInt64(name.classNumber))
        write(name.key)
    }
}

extension ByteReader {
    fileprivate mutating func readObjectName() throws(EncodingError) -> ObjectName {
        ObjectName(Int(truncatingIfNeeded: try readVarint()), try readPrimaryKey())
    }
}
