import CausewayModel

/// Values of any type. An element names its type, and holds a small number itself, or the place of its value in one of the nodes
/// beside it.
struct MixedLeaf: Leaf {
    private enum Part: Int {
        case numbers = 1
        case pairs = 2
        case texts = 3
        case collections = 4
    }

    private enum Collection: Int {
        case list = 19
        case set = 20
        case dictionary = 21
    }

    /// The type of a link that names its table too. Columns of such links do not exist.
    private static let typedLink = 16

    private let node: Node
    private let elements: Node
    private let tables: TableKeys
    private let texts: TextLeaf?

    init(_ node: Node, _ tables: TableKeys) throws {
        self.node = node
        self.tables = tables
        elements = try node.neededChild(0)
        texts = try node.child(Part.texts.rawValue).map { try TextLeaf($0, isNullable: true) }
    }

    var count: Int { elements.count }

    func value(_ index: Int) throws -> RealmValue { try value(index, depth: 0) }

    func value(_ index: Int, depth: Int) throws -> RealmValue {
        let element = try elements.integer(index)
        if element == 0 { return .null }
        let number = element >> 8
        let type = Int(element & 0x1F) - 1
        let isElsewhere = element & 0xE0 != 0
        if type == Self.typedLink { return try link(number) }
        if let collection = Collection(rawValue: type) { return try nested(collection, number, depth: depth) }
        switch ColumnType(rawValue: type) {
        case .int: return .plain(.int(isElsewhere ? try self.number(number) : number))
        case .bool: return .plain(.bool(number != 0))
        case .float: return .plain(.float(Float(bitPattern: UInt32(truncatingIfNeeded: try self.number(number)))))
        case .double: return .plain(.double(Double(bitPattern: UInt64(bitPattern: try self.number(number)))))
        case .string: return .plain(.string(node.file.text(try bytes(number))))
        case .data: return .plain(.bytes(try bytes(number)))
        case .timestamp:
            let (seconds, nanoseconds) = try pair(number)
            return .plain(try TimestampLeaf.timestamp(seconds, nanoseconds, node))
        case .decimal:
            let (low, high) = try pair(number)
            return .plain(.decimal(DecimalNumber(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))))
        case .objectId: return .plain(try fixed(number, .objectId, bytes: 12))
        case .uuid: return .plain(try fixed(number, .uuid, bytes: 16))
        case .link, .mixed, nil: throw elements.damaged("a mixed value has type \(type), which none has")
        }
    }

    // MARK: - The nodes beside

    private func part(_ part: Part) throws -> Node { try node.neededChild(part.rawValue) }

    private func number(_ index: Int64) throws -> Int64 { try part(.numbers).integer(Int(index)) }

    private func pair(_ index: Int64) throws -> (Int64, Int64) {
        let pairs = try part(.pairs)
        guard index >= 0, index < pairs.count else { throw pairs.damaged("pair \(index) is needed") }
        return (try pairs.integer(2 * Int(index)), try pairs.integer(2 * Int(index) + 1))
    }

    private func bytes(_ index: Int64) throws -> [UInt8] {
        // A string that is empty may be stored as null: that it is a string, its element says.
        guard let texts else { throw node.damaged("a mixed value has a string, and there are none") }
        return try texts.bytes(Int(index)) ?? []
    }

    private func fixed(_ index: Int64, _ type: ColumnType, bytes count: Int) throws -> Value {
        let bytes = try bytes(index)
        guard bytes.count == count else {
            throw node.damaged("an id has \(bytes.count) bytes, and \(count) are needed")
        }
        return FixedBytesLeaf.value(bytes, type)
    }

    private func link(_ index: Int64) throws -> RealmValue {
        let (table, key) = try pair(index)
        // Negative keys are tombstones.
        guard key >= 0 else { return .null }
        guard let target = tables.place(ofKey: UInt32(truncatingIfNeeded: table)) else {
            throw node.damaged("a link leads to a table that is not there")
        }
        return .link(RealmLink(table: target, key: key))
    }

    private func nested(_ collection: Collection, _ index: Int64, depth: Int) throws -> RealmValue {
        let depth = depth + 1
        guard depth <= Collections.depthMax else {
            throw node.damaged("collections in mixed values nest more than \(Collections.depthMax) levels deep")
        }
        let holder = try part(.collections)
        let root = try holder.child(Int(index))
        let kind = LeafKind(type: .mixed, isNullable: true, tables: tables)
        switch collection {
        case .list: return .list(try root.map { try Collections.elements($0, kind, depth: depth) } ?? [])
        case .dictionary: return .dictionary(try root.map { try Collections.entries($0, kind, depth: depth) } ?? [])
        case .set: throw node.damaged("a mixed value holds a set, and none can")
        }
    }
}
