import CausewayModel

/// Where a commit changed collections and texts that were there before. Written behind the change record while somebody asks
/// for it; programs that do not know of it stop reading before it.
package struct ToldPlaces: Hashable, Sendable {
    package var classes: [String: [ChangedList: [PlaceEdit]]] = [:]

    package init() {}

    /// A commit whose places take more bytes tells none, so that one commit cannot crowd out the records of others.
    static let bytesMax = 1 << 16

    /// The fewest bytes of one place, and of one edit of it.
    private static let placeBytes = 3
    private static let editBytes = 3

    /// Nil if they would take more than `bytesMax`.
    ///
    /// - Parameter transaction: the one whose record it is, before it is flushed.
    /// - Complexity: O(edits), and O(n) for each text that was set as a whole. For sets and maps see `keyedChanges`.
    package init?(_ record: ChangeRecord, in transaction: Transaction) throws(StoreError) {
        let placeCount = record.classes.values.reduce(0) { $0 + $1.listEdits.count + $1.textEdits.count }
        if placeCount > Self.bytesMax / (Self.placeBytes + Self.editBytes) { return nil }
        let base = try transaction.frozenCopy()
        defer { base.end() }
        for (name, changes) in record.classes {
            guard let table = transaction.table(name) else { continue }
            guard let places = Self.places(changes, table, since: base) else { return nil }
            if !places.isEmpty { classes[name] = places }
        }
    }

    private static func places(
        _ changes: ClassChanges, _ table: Table, since base: Transaction
    ) -> [ChangedList: [PlaceEdit]]? {
        var places: [ChangedList: [PlaceEdit]] = [:]
        var editCount = 0
        for (place, edits) in changes.listEdits {
            if table.schema.properties[place.column].collection == .list {
                places[place] = [PlaceEdit](edits)
            } else if let old = base.table(table.name), place.column < old.columnCount {
                let changes = table.keyedChanges(place.key, place.column, since: old)
                places[place] = changes.map { .change(SetElement($0.key).lastingHash) }
            }
            editCount += places[place]?.count ?? 0
            if editCount > bytesMax / editBytes { return nil }
        }
        for (place, edits) in changes.textEdits { places[place] = [PlaceEdit](edits.edits) }
        for column in table.schema.properties.indices where table.schema.properties[column].isText {
            for (key, columns) in changes.modified where columns.contains(column) {
                let place = ChangedList(key: key, column: column)
                if places[place] != nil { continue }
                if places.count > bytesMax / (placeBytes + editBytes) { return nil }
                places[place] = [.replaceAll(count: table.textCount(key, column))]
            }
        }
        return places
    }

    // MARK: - Bytes

    private static let mark: UInt8 = 1

    /// Nil if they take more than `bytesMax`.
    var encoded: [UInt8]? {
        var writer = RecordWriter()
        writer.write(byte: Self.mark)
        writer.write(classes.count)
        for (name, places) in classes.sorted(by: { $0.key < $1.key }) {
            writer.write(name)
            writer.write(places.count)
            for (place, edits) in places.sorted(by: { ($0.key.key, $0.key.column) < ($1.key.key, $1.key.column) }) {
                writer.write(UInt64(bitPattern: place.key.rawValue))
                writer.write(place.column)
                writer.write(edits.count)
                for edit in edits { writer.write(edit) }
                if writer.bytes.count > Self.bytesMax { return nil }
            }
        }
        return writer.bytes
    }

    /// Nil if the commit tells no places.
    init?(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        guard !reader.isAtEnd, try reader.readByte() == Self.mark else { return nil }
        for _ in 0..<(try reader.readCount()) {
            let name = try reader.readString()
            var places: [ChangedList: [PlaceEdit]] = [:]
            for _ in 0..<(try reader.readCount()) {
                let key = ObjectKey(Int64(bitPattern: try reader.readNumber()))
                let place = ChangedList(key: key, column: try reader.readInt())
                var edits: [PlaceEdit] = []
                for _ in 0..<(try reader.readCount()) { edits.append(try reader.readPlaceEdit()) }
                places[place] = edits
            }
            classes[name] = places
        }
    }
}

extension RecordWriter {
    fileprivate mutating func write(_ edit: PlaceEdit) {
        let (kind, first, second): (UInt8, Int, Int) =
            switch edit {
            case .insert(let place, let count): (0, place, count)
            case .remove(let place, let count): (1, place, count)
            case .replace(let place, let count): (2, place, count)
            case .move(let from, let to): (3, from, to)
            case .replaceAll(let count): (4, 0, count)
            case .change(let hash): (5, Int(hash), 0)
            }
        write(byte: kind)
        write(first)
        write(second)
    }
}

extension RecordReader {
    fileprivate mutating func readPlaceEdit() throws(Damage) -> PlaceEdit {
        let kind = try readByte()
        let (first, second) = (try readInt(), try readInt())
        return switch kind {
        case 0: .insert(at: first, count: second)
        case 1: .remove(at: first, count: second)
        case 2: .replace(at: first, count: second)
        case 3: .move(from: first, to: second)
        case 4: .replaceAll(count: second)
        case 5: .change(UInt32(truncatingIfNeeded: first))
        default: throw Damage()
        }
    }
}
