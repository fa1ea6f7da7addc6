import CausewayModel
import CausewayOperations

/// Which objects a logged changeset is about: the rows it created, as ranges, and the others by reference.
struct Touched: Hashable {
    /// A new class's rows come in ascending runs, so a bulk insert is one range.
    struct Rows: Hashable {
        var className: String
        var ranges: [ClosedRange<Int64>]

        func contains(_ key: ObjectKey) -> Bool {
            // Ranges ascend: find the last one that begins at or before the key.
            var (low, high) = (0, ranges.count)
            while low < high {
                let middle = (low + high) / 2
                if ranges[middle].lowerBound <= key.rawValue { low = middle + 1 } else { high = middle }
            }
            return low > 0 && ranges[low - 1].contains(key.rawValue)
        }
    }

    /// Made by the changeset: their base is "absent", which needs no copy.
    var fresh: [Rows] = []
    /// Changed or ended by it: each has a `BaseCopy`.
    var others: [ObjectReference] = []

    func isFresh(_ className: String, _ key: ObjectKey) -> Bool {
        fresh.contains { $0.className == className && $0.contains(key) }
    }
}

extension Touched {
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
        for object in others {
            writer.write(string: object.className)
            writer.write(object.key)
        }
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
            others.append(ObjectReference(try reader.readString(), try reader.readPrimaryKey()))
        }
        try reader.finish()
    }
}

extension Touched.Rows {
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
