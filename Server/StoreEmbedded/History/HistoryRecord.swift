import CausewayModel
import CausewayOperations
import CausewayStore

/// What one version did: who made it, which rows it created, which objects it touched.
///
/// | What | Bytes |
/// |---|---|
/// | client | fixed, 8 |
/// | time, size, births | varints, the last a number |
/// | … each birth | class number; first row, signed; rows after it |
/// | entries | a number |
/// | … each entry | ``EntryFlags``, 1; class number; primary key |
/// | … if the flags say so | row, signed; root: class number, primary key; columns edited, columns altered; length of the image; the image |
/// | … at its end | columns |
///
/// `RecordReader` reads it, entry by entry. `EarlierRecord` reads what a build wrote that kept images in a tree alone.
struct HistoryRecord {
    var client: ClientID
    /// When the server received it, in milliseconds since 1970; zero in a file that was written before this was noted.
    var time: UInt64 = 0
    /// About how many bytes this record, its images and its edits take, so that trimming knows what it frees.
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
        /// A ``SmallImage``. A larger one is in the tree of images, under the number of the entry.
        var smallImage: [UInt8]?

        enum Before: UInt8 {
            case absent = 0
            case unchanged = 1
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
        writer.write(varint: time)
        writer.write(varint: sizeBytes)
        writer.write(varint: UInt64(births.count))
        for birth in births {
            writer.write(varint: UInt64(birth.classNumber))
            writer.write(signed: birth.keys.lowerBound.rawValue)
            writer.write(varint: UInt64(birth.keys.upperBound.rawValue - birth.keys.lowerBound.rawValue))
        }
        writer.write(varint: UInt64(entries.count))
        for entry in entries { entry.write(to: &writer) }
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(EncodingError) {
        var reader = try RecordReader(bytes)
        self.init(client: reader.client)
        (time, sizeBytes) = (reader.time, reader.sizeBytes)
        births.reserveCapacity(reader.birthsLeft)
        while let birth = try reader.nextBirth() { births.append(birth) }
        entries.reserveCapacity(reader.entriesLeft)
        var entry = RecordReader.Entry()
        while try reader.next(&entry) { entries.append(try Entry(entry, in: bytes)) }
    }
}

/// What an entry holds, and how its version found the object.
struct EntryFlags: OptionSet {
    let rawValue: UInt8

    static let effective = EntryFlags(rawValue: 4)
    static let hasRow = EntryFlags(rawValue: 8)
    static let hasRoot = EntryFlags(rawValue: 16)
    static let livesDiffer = EntryFlags(rawValue: 32)
    static let hasEdits = EntryFlags(rawValue: 64)
    static let hasSmallImage = EntryFlags(rawValue: 128)

    /// The two lowest bits.
    var before: HistoryRecord.Entry.Before { .init(rawValue: rawValue & 3) ?? .absent }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ entry: HistoryRecord.Entry) {
        self.init(rawValue: entry.before.rawValue)
        if entry.effective { insert(.effective) }
        if entry.row != nil { insert(.hasRow) }
        if entry.root != nil { insert(.hasRoot) }
        if entry.livesDiffer { insert(.livesDiffer) }
        if !entry.edited.isEmpty { insert(.hasEdits) }
        if entry.smallImage != nil { insert(.hasSmallImage) }
    }
}

extension HistoryRecord.Entry {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(byte: EntryFlags(self).rawValue)
        writer.write(name)
        if let row { writer.write(signed: row.rawValue) }
        if let root { writer.write(root) }
        if !edited.isEmpty {
            writer.write(edited)
            writer.write(altered)
        }
        if let smallImage {
            writer.write(varint: UInt64(smallImage.count))
            writer.write(raw: smallImage)
        }
        writer.write(columns)
    }

    fileprivate init(_ entry: RecordReader.Entry, in bytes: [UInt8]) throws(EncodingError) {
        let edits = try entry.edits(in: bytes)
        self.init(
            name: try entry.name(in: bytes), row: entry.rowIfAny, before: entry.flags.before, columns: entry.columns,
            effective: entry.flags.contains(.effective), livesDiffer: entry.flags.contains(.livesDiffer),
            root: try entry.root(in: bytes), edited: edits?.edited ?? PropertyNumbers(),
            altered: edits?.altered ?? PropertyNumbers(), smallImage: entry.smallImage(in: bytes))
    }
}

extension ByteWriter {
    fileprivate mutating func write(_ name: ObjectName) {
        write(varint: UInt64(name.classNumber))
        write(name.key)
    }
}
