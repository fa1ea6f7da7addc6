import CausewayModel

/// Reads what a table says about its columns.
struct TableReader {
    /// The elements of a table's node.
    private enum Part {
        static let columns = 0
        static let clusters = 2
        static let key = 3
        static let targets = 7
        static let primaryKey = 11
        static let kind = 12
        static let tombstones = 13
    }

    /// The elements of the node of its columns.
    private enum ColumnPart {
        static let types = 0
        static let names = 1
        static let attributes = 2
        static let distinct = 4
        static let keys = 5
    }

    private enum Attribute {
        static let indexed: Int64 = 1
        static let nullable: Int64 = 16
        static let list: Int64 = 32
        static let dictionary: Int64 = 64
        static let set: Int64 = 128
        static let fullText: Int64 = 256
    }

    /// Lists of links had a type of their own before there were other lists.
    private static let linkList: Int64 = 13
    private static let columnsMax = 65_536

    private let top: Node
    private let tables: TableKeys

    init(_ top: Node, _ tables: TableKeys) {
        self.top = top
        self.tables = tables
    }

    static func key(_ top: Node) throws -> UInt64 { try top.number(Part.key) }

    func kind() throws -> ClassKind {
        guard top.count > Part.kind, case .number(let flags) = try top.reference(Part.kind) else { return .object }
        switch flags & 3 {
        case 0: return .object
        case 1: return .embedded
        case 2: return .asymmetric
        default: throw top.damaged("a table is of a kind that does not exist")
        }
    }

    func primaryKey() throws -> UInt64? {
        guard top.count > Part.primaryKey, case .number(let key) = try top.reference(Part.primaryKey) else {
            return nil
        }
        return key == 0 ? nil : key
    }

    func clusters() throws -> Node { try top.neededChild(Part.clusters) }

    func tombstones() throws -> Node? { top.count > Part.tombstones ? try top.child(Part.tombstones) : nil }

    // MARK: - Columns

    func columns() throws -> [RealmColumn] {
        let node = try top.neededChild(Part.columns)
        let names = try TextLeaf(node.neededChild(ColumnPart.names), isNullable: false)
        let types = try node.neededChild(ColumnPart.types)
        let attributes = try node.neededChild(ColumnPart.attributes)
        let keys = try node.neededChild(ColumnPart.keys)
        let distinct = try node.child(ColumnPart.distinct)
        guard names.count <= Self.columnsMax else { throw node.damaged("a table has \(names.count) columns") }
        // Columns without a name follow those that have one: the links back.
        return try (0..<names.count).map { index in
            guard let name = try names.text(index) else { throw node.damaged("a column has no name") }
            return try column(
                name, type: try types.integer(index), attributes: try attributes.integer(index),
                key: UInt64(bitPattern: try keys.integer(index)),
                distinct: try distinct.flatMap { index < $0.count ? try $0.child(index) : nil })
        }
    }

    private func column(
        _ name: String, type number: Int64, attributes: Int64, key: UInt64, distinct: Node?
    ) throws -> RealmColumn {
        // Above the type of a dictionary's values stands that of its names.
        let (typeNumber, nameType) = (number & 0xFFFF, number >> 16)
        guard let type = typeNumber == Self.linkList ? .link : ColumnType(rawValue: Int(typeNumber)),
            nameType == 0 || nameType == ColumnType.string.rawValue
        else {
            throw RealmFileFailure(
                "The column '\(name.prefix(100))' of the Realm file has type \(number), which is not known.")
        }
        let isNullable = attributes & Attribute.nullable != 0
        let place = Int(key & 0xFFFF)
        let collection = typeNumber == Self.linkList ? .list : Self.collection(attributes)
        let target = type == .link ? try self.target(place) : nil
        let kind = LeafKind(
            type: type, isNullable: isNullable, distinct: try distinct.map { try TextLeaf($0, isNullable: isNullable) },
            hasNullLinks: collection == .none, target: target, tables: tables)
        return RealmColumn(
            name: name, type: type, collection: collection, isNullable: isNullable,
            isIndexed: attributes & Attribute.indexed != 0, isFullTextIndexed: attributes & Attribute.fullText != 0,
            isEnumerated: distinct != nil, target: target, key: key, place: place, kind: kind)
    }

    private static func collection(_ attributes: Int64) -> CollectionKind {
        if attributes & Attribute.list != 0 { return .list }
        if attributes & Attribute.dictionary != 0 { return .map }
        return attributes & Attribute.set != 0 ? .set : .none
    }

    private func target(_ place: Int) throws -> Int? {
        let key = UInt32(truncatingIfNeeded: try top.neededChild(Part.targets).integer(place))
        guard let target = tables.place(ofKey: key) else {
            throw top.damaged("a column links to a table that is not there")
        }
        return target
    }
}
