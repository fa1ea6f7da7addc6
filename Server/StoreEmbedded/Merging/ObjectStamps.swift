import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// The stamp of each value of an object, and the life that the object lives.
///
/// Most objects are written once: one stamp and two sets of columns are enough. Later writes are listed.
struct ObjectStamps: Hashable {
    var life: UInt32
    /// The commit that began this life.
    var bornVersion: ServerVersion
    /// The stamp of the first create of this life, as `Merge` keeps it.
    var born: Stamp
    /// The stamp of the creation, which holds for the columns in `written` and `defaults`.
    var creation: Stamp
    var written = PropertyNumbers()
    var defaults = PropertyNumbers()
    /// Ascending by column.
    var later: [Later] = []

    struct Later: Hashable {
        var column: Int
        var stamp: Stamp
        var isDefault: Bool
    }

    init(life: UInt32, bornVersion: ServerVersion, creation: Stamp) {
        self.life = life
        self.bornVersion = bornVersion
        self.creation = creation
        born = creation
    }

    /// A column that nobody wrote holds a default that is older than everything.
    subscript(column: Int) -> (stamp: Stamp, isDefault: Bool) {
        if let entry = later.first(where: { $0.column == column }) { return (entry.stamp, entry.isDefault) }
        if written.contains(column) { return (creation, false) }
        if defaults.contains(column) { return (creation, true) }
        return (.zero, true)
    }

    mutating func set(_ column: Int, _ stamp: Stamp, isDefault: Bool) {
        let entry = Later(column: column, stamp: stamp, isDefault: isDefault)
        let index = later.firstIndex { $0.column >= column } ?? later.count
        if index < later.count, later[index].column == column {
            later[index] = entry
        } else {
            later.insert(entry, at: index)
        }
    }

    // MARK: - Bytes

    func write(to writer: inout ByteWriter) {
        writer.write(varint: UInt64(life))
        writer.write(varint: bornVersion.rawValue)
        writer.write(creation)
        writer.write(byte: born == creation ? 0 : 1)
        if born != creation { writer.write(born) }
        writer.write(written)
        writer.write(defaults)
        writer.write(varint: UInt64(later.count))
        for entry in later {
            writer.write(varint: UInt64(entry.column) << 1 | (entry.isDefault ? 1 : 0))
            writer.write(entry.stamp)
        }
    }

    init(from reader: inout ByteReader) throws(EncodingError) {
        life = UInt32(truncatingIfNeeded: try reader.readVarint())
        bornVersion = ServerVersion(try reader.readVarint())
        creation = try reader.readStamp()
        born = try reader.readByte() == 0 ? creation : try reader.readStamp()
        written = try reader.readPropertyNumbers()
        defaults = try reader.readPropertyNumbers()
        for _ in 0..<(try reader.readCount(minimumBytesEach: 2)) {
            let column = try reader.readVarint()
            later.append(
                Later(column: Int(column >> 1), stamp: try reader.readStamp(), isDefault: column & 1 == 1))
        }
    }
}

// MARK: - Where they lie

extension ObjectStamps {
    static func load(_ classNumber: Int, _ key: ObjectKey, in transaction: Transaction) throws(StoreFailure) -> Self {
        try loadWithRun(classNumber, key, in: transaction).stamps
    }

    /// The stamps of a row, and the run of rows that share them if the row has none of its own.
    static func loadWithRun(
        _ classNumber: Int, _ key: ObjectKey, in transaction: Transaction
    ) throws(StoreFailure) -> (stamps: ObjectStamps, run: ClosedRange<ObjectKey>?) {
        let place = Layout.row(classNumber, key)
        do {
            if let bytes = transaction.tree(Layout.stamps).get(place) {
                var reader = ByteReader(bytes)
                return (try ObjectStamps(from: &reader), nil)
            }
            if let run = try birth(of: key, classNumber, in: transaction) { return (run.stamps, run.keys) }
        } catch {
            throw StoreFailure(damaged: Layout.stamps, error)
        }
        preconditionFailure("Row \(key.rawValue) of class \(classNumber) is alive but nobody created it.")
    }

    func save(_ classNumber: Int, _ key: ObjectKey, in transaction: Transaction) {
        var writer = ByteWriter()
        write(to: &writer)
        transaction.tree(Layout.stamps).put(Layout.row(classNumber, key), writer.bytes)
    }

    /// Removes the stamps of a row. A run that begins or ends with the row gets shorter. A run around the row stays,
    /// because a row's own record goes before it.
    ///
    /// - Parameter isAlive: whether a row is still alive; false for this one.
    static func remove(
        _ classNumber: Int, _ key: ObjectKey, in transaction: Transaction, where isAlive: (ObjectKey) -> Bool
    ) throws(StoreFailure) {
        transaction.tree(Layout.stamps).remove(Layout.row(classNumber, key))
        let run: (stamps: ObjectStamps, keys: ClosedRange<ObjectKey>)?
        do {
            run = try birth(of: key, classNumber, in: transaction)
        } catch {
            throw StoreFailure(damaged: Layout.births, error)
        }
        guard let run, run.keys.lowerBound == key || run.keys.upperBound == key else { return }
        var (first, last) = (run.keys.lowerBound.rawValue, run.keys.upperBound.rawValue)
        while first <= last, !isAlive(ObjectKey(first)) { first += 1 }
        while last > first, !isAlive(ObjectKey(last)) { last -= 1 }
        transaction.tree(Layout.births).remove(Layout.row(classNumber, run.keys.upperBound))
        if first <= last {
            run.stamps.saveBirths(classNumber, ObjectKey(first)...ObjectKey(last), in: transaction)
        }
    }

    /// Saves the stamps of rows that one changeset created with the same columns.
    func saveBirths(_ classNumber: Int, _ keys: ClosedRange<ObjectKey>, in transaction: Transaction) {
        var writer = ByteWriter()
        writer.write(fixed64: UInt64(bitPattern: keys.lowerBound.rawValue))
        write(to: &writer)
        transaction.tree(Layout.births).put(Layout.row(classNumber, keys.upperBound), writer.bytes)
    }

    private static func birth(
        of key: ObjectKey, _ classNumber: Int, in transaction: Transaction
    ) throws(EncodingError) -> (stamps: ObjectStamps, keys: ClosedRange<ObjectKey>)? {
        let place = Layout.row(classNumber, key)
        var found: (last: Int64, bytes: [UInt8])?
        let end = Layout.bytes(UInt32(truncatingIfNeeded: classNumber + 1))
        transaction.tree(Layout.births).scan(from: place, upTo: end) { place, value in
            if let last: UInt64 = Layout.number(place, at: 4) { found = (Int64(bitPattern: last), Array(value)) }
            return false
        }
        guard let found else { return nil }
        var reader = ByteReader(found.bytes)
        let first = Int64(bitPattern: try reader.readFixed64())
        guard first <= key.rawValue, key.rawValue <= found.last else { return nil }
        return (try ObjectStamps(from: &reader), ObjectKey(first)...ObjectKey(found.last))
    }
}

extension ByteWriter {
    mutating func write(_ columns: PropertyNumbers) {
        let words = columns.words
        write(varint: UInt64(words.count))
        for word in words { write(varint: word) }
    }
}

extension ByteReader {
    mutating func readPropertyNumbers() throws(EncodingError) -> PropertyNumbers {
        let count = try readCount(minimumBytesEach: 1)
        if count == 1 { return PropertyNumbers(word: try readVarint()) }
        var words: [UInt64] = []
        for _ in 0..<count { words.append(try readVarint()) }
        return PropertyNumbers(words: words)
    }
}
