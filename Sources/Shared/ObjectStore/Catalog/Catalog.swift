import CausewayModel

/// Which classes a file has and which trees and columns of the storage hold them.
///
/// Trees and columns are numbered from one counter, so a number names one thing for the life of the file.
struct Catalog: Sendable {
    struct ClassRecord: Sendable {
        var schema: ClassSchema
        var table: UInt32
        /// Primary key → object key.
        var primaryKeys: UInt32
        /// (Target, column of origin) → origins, each with its number of links.
        var backlinks: UInt32
        /// Hidden columns: the slots without an object, the slots of ghosts, and the ids of embedded objects.
        var absent: UInt32
        var ghosts: UInt32
        var containers: UInt32
        var columns: [ColumnRecord]
    }

    struct ColumnRecord: Sendable {
        var id: UInt32
        /// The tree (value → object keys) of an indexed property, or 0.
        var index: UInt32
        /// The tree (object key → elements of a list or set, or values of a map), or 0.
        var list: UInt32
        /// The tree (object key → keys of a map), or 0.
        var keys: UInt32 = 0
        /// The tree (word → object keys) of a full-text index, or 0.
        var words: UInt32 = 0
    }

    /// Trees that few columns have. An unknown kind comes from a later version, and reading the catalog fails.
    enum FurtherTree: UInt8 {
        case words = 1
    }

    /// Identifies a catalog that was read from a file: two with the same number are equal. Zero for one made in memory.
    var edition: UInt64 = 0
    private(set) var classes: [ClassRecord] = []
    private(set) var schema = Schema()
    /// Where each class is in `classes`.
    private(set) var positions: ExactDictionary<Int> = [:]
    /// The class and property of each column.
    private(set) var columnOwners: [UInt32: (className: String, column: Int)] = [:]

    init(classes: [ClassRecord] = []) {
        self.classes = classes.sorted { $0.schema.name.precedes($1.schema.name) }
        schema = Schema(classes.map(\.schema))
        for (position, record) in self.classes.enumerated() {
            positions[record.schema.name] = position
            for (column, columnRecord) in record.columns.enumerated() {
                columnOwners[columnRecord.id] = (record.schema.name, column)
            }
        }
    }

    /// Whether both are known to be equal. False does not mean that they differ.
    func isSame(as other: Catalog) -> Bool { edition != 0 && edition == other.edition }

    subscript(name: String) -> ClassRecord? {
        positions[name].map { classes[$0] }
    }
}

/// The storage's trees that the object store keeps for itself.
enum FixedTree {
    static let catalog: UInt32 = 1
    static let changes: UInt32 = 2
    static let longValues: UInt32 = 3
    /// The first number that is given out.
    static let firstFree: UInt32 = 16
}

/// Keys in the catalog tree.
enum CatalogKey {
    static let classes: [UInt8] = [0]
    static let nextNumber: [UInt8] = [1]

    static func counters(table: UInt32) -> [UInt8] {
        [2] + withUnsafeBytes(of: table.bigEndian) { Array($0) }
    }

    static func deadLeaves(table: UInt32) -> [UInt8] {
        [4] + withUnsafeBytes(of: table.bigEndian) { Array($0) }
    }

    static func tree(_ name: String) -> [UInt8] { [3] + Array(name.utf8) }
}

// MARK: - Bytes

extension Catalog {
    static let format: UInt8 = 6
    /// The formats that can be read as they are.
    static let readableFormats: ClosedRange<UInt8> = 2...format
    /// Written in place of the collection of a text.
    private static let textCollection: UInt8 = 4

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.write(byte: Self.format)
        writer.write(classes.count)
        for record in classes {
            writer.write(record.schema.name)
            writer.write(byte: record.schema.kind.rawValue)
            for number in [
                record.table, record.primaryKeys, record.backlinks, record.absent, record.ghosts, record.containers,
            ] { writer.write(UInt64(number)) }
            writer.write(record.columns.count)
            for (property, column) in zip(record.schema.properties, record.columns) {
                writer.write(property.name)
                writer.write(byte: property.type.rawValue)
                writer.write(byte: property.isText ? Self.textCollection : property.collection.rawValue)
                writer.write(byte: Self.flags(property))
                writer.write(property.target ?? "")
                for number in [column.id, column.index, column.list] { writer.write(UInt64(number)) }
                if property.collection == .map { writer.write(UInt64(column.keys)) }
                let further = column.furtherTrees
                writer.write(further.count)
                for (kind, number) in further {
                    writer.write(byte: kind.rawValue)
                    writer.write(UInt64(number))
                }
            }
        }
        return writer.bytes
    }

    private static func flags(_ property: Property) -> UInt8 {
        (property.isOptional ? 1 : 0) | (property.isPrimaryKey ? 2 : 0) | (property.isIndexed ? 4 : 0)
            | (property.target != nil ? 8 : 0) | (property.isCounter ? 16 : 0) | property.deletionRule.rawValue << 5
    }

    init(encoded bytes: UnsafeRawBufferPointer) throws(RecordReader.Damage) {
        var reader = RecordReader(bytes)
        let format = try reader.readByte()
        guard (1...Self.format).contains(format) else { throw RecordReader.Damage() }
        var classes: [ClassRecord] = []
        for _ in 0..<(try reader.readCount()) { classes.append(try Self.readClass(&reader, format)) }
        guard reader.isAtEnd else { throw RecordReader.Damage() }
        self.init(classes: classes)
    }

    private static func readClass(
        _ reader: inout RecordReader, _ format: UInt8
    ) throws(RecordReader.Damage) -> ClassRecord {
        let name = try reader.readString()
        guard let kind = ClassKind(rawValue: try reader.readByte()) else { throw RecordReader.Damage(isUnknown: true) }
        var record = ClassRecord(
            schema: ClassSchema(name: name, kind: kind, properties: []), table: try reader.readUInt32(),
            primaryKeys: try reader.readUInt32(), backlinks: try reader.readUInt32(), absent: try reader.readUInt32(),
            ghosts: try reader.readUInt32(), containers: try reader.readUInt32(), columns: [])
        for _ in 0..<(try reader.readCount()) {
            let name = try reader.readString()
            guard let type = PropertyType(rawValue: try reader.readByte()) else {
                throw RecordReader.Damage(isUnknown: true)
            }
            let collectionNumber = try reader.readByte()
            let isText = type == .string && collectionNumber == Self.textCollection
            guard let collection = isText ? CollectionKind.none : CollectionKind(rawValue: collectionNumber) else {
                throw RecordReader.Damage(isUnknown: true)
            }
            let flags = try reader.readByte()
            let target = try reader.readString()
            record.schema.properties.append(
                Property(
                    name: name, type: type, collection: collection, isOptional: flags & 1 != 0,
                    isPrimaryKey: flags & 2 != 0, isIndexed: flags & 4 != 0, target: flags & 8 != 0 ? target : nil,
                    isCounter: flags & 16 != 0, isText: isText,
                    deletionRule: DeletionRule(rawValue: flags >> 5 & 3) ?? .none))
            var column = ColumnRecord(
                id: try reader.readUInt32(), index: try reader.readUInt32(), list: try reader.readUInt32(),
                keys: collection == .map ? try reader.readUInt32() : 0)
            // The catalogs of formats 1 and 2 end a property here.
            if format >= 3 { try column.readFurtherTrees(&reader) }
            record.schema.properties[record.columns.count].isFullTextIndexed = column.words != 0
            record.columns.append(column)
        }
        return record
    }
}

extension Catalog.ColumnRecord {
    fileprivate var furtherTrees: [(kind: Catalog.FurtherTree, number: UInt32)] {
        words == 0 ? [] : [(.words, words)]
    }

    fileprivate mutating func readFurtherTrees(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        for _ in 0..<(try reader.readCount()) {
            switch Catalog.FurtherTree(rawValue: try reader.readByte()) {
            case .words: words = try reader.readUInt32()
            case nil: throw RecordReader.Damage(isUnknown: true)
            }
        }
    }
}
