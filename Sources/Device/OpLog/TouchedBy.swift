import CausewayModel
import CausewayOperations

/// Which objects a logged changeset is about: the rows it created, as ranges, and the others by reference.
struct TouchedBy: Hashable {
    /// New rows have ascending keys, so a bulk insert is one range.
    struct Rows: Hashable {
        var className: String
        var ranges: [ClosedRange<Int64>]

    }

    /// An object that was there before, as far as this device knew.
    struct Change: Hashable {
        var object: ObjectReference
        /// The logged changeset that was about the object before; zero when there was none.
        var previous: UInt64
    }

    /// Made by the changeset: their base is "absent", which needs no copy. `FreshRows` finds them.
    var fresh: [Rows] = []
    /// Changed or ended by it: each has a `BaseCopy`.
    var others: [Change] = []
    /// The last number of an element or embedded object when it was logged.
    var elementCounter: UInt64 = 0
    /// The version of the file that the changeset made; zero when an earlier build wrote it.
    var version: UInt64 = 0
}

extension TouchedBy {
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(varint: UInt64(fresh.count))
        for rows in fresh {
            writer.write(string: rows.className)
            writer.write(varint: UInt64(rows.ranges.count))
            for range in rows.ranges {
                writer.write(signed: range.lowerBound)
                writer.write(varint: UInt64(range.upperBound - range.lowerBound))
            }
        }
        writer.write(varint: UInt64(others.count))
        for change in others {
            writer.write(string: change.object.className)
            writer.write(change.object.key)
        }
        for change in others { writer.write(varint: change.previous) }
        writer.write(varint: elementCounter)
        writer.write(varint: version)
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(EncodingError) {
        var reader = ByteReader(encoded)
        for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
            let className = try reader.readString()
            var ranges: [ClosedRange<Int64>] = []
            for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
                let first = try reader.readSigned()
                let length = try reader.readVarint()
                let (last, overflow) = first.addingReportingOverflow(Int64(truncatingIfNeeded: length))
                guard !overflow, last >= first else { throw reader.malformed("a range of rows") }
                ranges.append(first...last)
            }
            fresh.append(Rows(className: className, ranges: ranges))
        }
        for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
            let object = ObjectReference(try reader.readString(), try reader.readPrimaryKey())
            others.append(Change(object: object, previous: 0))
        }
        // Written by a build that did not note the rest: `Trees.index` adds it.
        if reader.isAtEnd { return }
        for index in others.indices { others[index].previous = try reader.readVarint() }
        elementCounter = try reader.readVarint()
        if !reader.isAtEnd { version = try reader.readVarint() }
        try reader.finish()
    }
}

extension TouchedBy.Rows {
    /// Gathers ascending keys into ranges.
    init(className: String, keys: [ObjectKey]) {
        self.className = className
        ranges = []
        for key in keys {
            if let last = ranges.last, last.upperBound + 1 == key.rawValue {
                ranges[ranges.count - 1] = last.lowerBound...key.rawValue
            } else {
                ranges.append(key.rawValue...key.rawValue)
            }
        }
    }
}
