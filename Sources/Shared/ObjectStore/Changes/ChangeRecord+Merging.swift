import CausewayModel

extension ChangeRecord {
    /// Adds the changes of a later commit.
    package mutating func merge(_ later: ChangeRecord) {
        for (name, changes) in later.classes {
            classes[name, default: ClassChanges()].merge(changes)
        }
    }
}

extension ClassChanges {
    mutating func merge(_ later: ClassChanges) {
        var insertedSet = Set(inserted)
        var deletions = Dictionary(uniqueKeysWithValues: deleted.map { ($0.key, $0) })
        for deletion in later.deleted {
            if insertedSet.remove(deletion.key) == nil {
                deletions[deletion.key] = deletion
            }
            modified[deletion.key] = nil
        }
        insertedSet.formUnion(later.inserted)
        for (key, columns) in later.modified where !insertedSet.contains(key) {
            modified[key, default: ColumnSet()].formUnion(columns)
        }
        inserted = insertedSet.sorted()
        deleted = deletions.values.sorted { $0.key < $1.key }
    }
}

// MARK: - Bytes

extension ChangeRecord {
    /// Ranges of inserted keys, deletions with their primary keys, modifications grouped by the set of columns.
    var encoded: [UInt8] {
        var writer = RecordWriter()
        let names = classes.filter { !$0.value.isEmpty }.keys.sorted()
        writer.write(names.count)
        for name in names {
            guard let changes = classes[name] else { continue }
            writer.write(name)
            writer.write(ranges: changes.inserted)
            writer.write(changes.deleted.count)
            var last: Int64 = 0
            for deletion in changes.deleted {
                writer.write(UInt64(bitPattern: deletion.key.rawValue &- last))
                last = deletion.key.rawValue
                writer.write(deletion.primaryKey)
            }
            let groups = changes.modifiedGroups
            writer.write(groups.count)
            for group in groups {
                writer.write(group.columns.count)
                for column in group.columns { writer.write(column) }
                writer.write(ranges: group.keys)
            }
        }
        return writer.bytes
    }

    init(encoded bytes: UnsafeRawBufferPointer) throws(RecordReader.Damage) {
        var reader = RecordReader(bytes)
        try self.init(&reader)
    }

    init(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        self.init()
        for _ in 0..<(try reader.readCount()) {
            let name = try reader.readString()
            var changes = ClassChanges()
            changes.inserted = try reader.readRanges()
            var last: Int64 = 0
            for _ in 0..<(try reader.readCount()) {
                last &+= Int64(bitPattern: try reader.readNumber())
                changes.deleted.append(.init(key: ObjectKey(last), primaryKey: try reader.readPrimaryKey()))
            }
            for _ in 0..<(try reader.readCount()) {
                var columns = ColumnSet()
                for _ in 0..<(try reader.readCount()) {
                    let column = try reader.readInt()
                    guard column < 100_000 else { throw RecordReader.Damage() }
                    columns.insert(column)
                }
                for key in try reader.readRanges() { changes.modified[key] = columns }
            }
            classes[name] = changes
        }
    }
}

extension ClassChanges {
    /// The modified keys by the columns that changed, both ascending.
    fileprivate var modifiedGroups: [(columns: [Int], keys: [ObjectKey])] {
        guard let first = modified.first?.value else { return [] }
        if modified.values.allSatisfy({ $0 == first }) { return [(first.columns, modified.keys.sorted())] }
        return Dictionary(grouping: modified, by: \.value)
            .map { (columns: $0.key.columns, keys: $0.value.map(\.key).sorted()) }
            .sorted { $0.columns.lexicographicallyPrecedes($1.columns) }
    }
}

extension RecordWriter {
    /// Ascending keys as (gap, length) pairs.
    fileprivate mutating func write(ranges keys: [ObjectKey]) {
        var ranges: [(first: Int64, count: Int64)] = []
        for key in keys {
            if let last = ranges.last, last.first + last.count == key.rawValue {
                ranges[ranges.count - 1].count += 1
            } else {
                ranges.append((key.rawValue, 1))
            }
        }
        write(ranges.count)
        var end: Int64 = 0
        for range in ranges {
            write(UInt64(bitPattern: range.first &- end))
            write(UInt64(bitPattern: range.count))
            end = range.first &+ range.count
        }
    }

    fileprivate mutating func write(_ primaryKey: PrimaryKey?) {
        switch primaryKey {
        case nil: write(byte: 0)
        case .null: write(byte: 1)
        case .int(let value):
            write(byte: 2)
            write(UInt64(bitPattern: value))
        case .string(let value):
            write(byte: 3)
            write(value)
        case .objectId(let value):
            write(byte: 4)
            write(value.high)
            write(UInt64(value.low))
        case .uuid(let value):
            write(byte: 5)
            write(value.high)
            write(value.low)
        case .container(let id):
            write(byte: 6)
            write(id.client.rawValue)
            write(id.counter)
        }
    }
}

extension RecordReader {
    /// How many keys the ranges of one record may name: a damaged length must not fill the memory.
    private static let longestRange: Int64 = 1 << 28

    fileprivate mutating func readRanges() throws(Damage) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var end: Int64 = 0
        for _ in 0..<(try readCount()) {
            let first = end &+ Int64(bitPattern: try readNumber())
            let count = Int64(bitPattern: try readNumber())
            guard count > 0, count < Self.longestRange, first >= 0, first < Int64.max - count else { throw Damage() }
            for key in first..<first + count { keys.append(ObjectKey(key)) }
            end = first + count
        }
        return keys
    }

    fileprivate mutating func readPrimaryKey() throws(Damage) -> PrimaryKey? {
        switch try readByte() {
        case 0: return nil
        case 1: return .null
        case 2: return .int(Int64(bitPattern: try readNumber()))
        case 3: return .string(try readString())
        case 4:
            let high = try readNumber()
            return .objectId(ObjectIdentifier12(high: high, low: try readUInt32()))
        case 5:
            let high = try readNumber()
            return .uuid(UUID16(high: high, low: try readNumber()))
        case 6:
            let client = ClientID(try readNumber())
            return .container(ElementID(client: client, counter: try readNumber()))
        default: throw Damage()
        }
    }
}
