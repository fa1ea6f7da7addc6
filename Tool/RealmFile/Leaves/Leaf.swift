import CausewayModel

/// A node with the values of some rows in one column, or with some elements of a collection. Others may hang on it.
protocol Leaf {
    var count: Int { get }
    func value(_ index: Int) throws -> RealmValue
}

/// Opens leaves of one type.
struct LeafKind {
    let type: ColumnType
    let isNullable: Bool
    /// The distinct values of a column that stores their numbers.
    var distinct: TextLeaf?
    /// Whether links are stored one larger, so that zero is null.
    var hasNullLinks = true
    /// The place of the table that links lead to.
    var target: Int?
    let tables: TableKeys

    func leaf(_ node: Node) throws -> any Leaf {
        switch type {
        case .int: try IntegerLeaf(node, isNullable: isNullable)
        case .bool: BoolLeaf(node: node, isNullable: isNullable)
        case .float: FloatLeaf(node: node, isNullable: isNullable)
        case .double: DoubleLeaf(node: node, isNullable: isNullable)
        case .string: try TextLeaf(node, isNullable: isNullable, distinct: distinct)
        case .data: try BinaryLeaf(node)
        case .timestamp: try TimestampLeaf(node)
        case .decimal: DecimalLeaf(node: node)
        case .objectId, .uuid: try FixedBytesLeaf(node, type)
        case .mixed: try MixedLeaf(node, tables)
        case .link: LinkLeaf(node: node, target: target, hasNull: hasNullLinks)
        }
    }
}

/// The types of columns that are read. The numbers are the file's.
enum ColumnType: Int {
    case int = 0
    case bool = 1
    case string = 2
    case data = 4
    case mixed = 6
    case timestamp = 8
    case float = 9
    case double = 10
    case decimal = 11
    case link = 12
    case objectId = 15
    case uuid = 17
}
