import CausewayModel

/// ObjectIds and UUIDs, in blocks of eight. A block begins with a byte that says which of them are null.
struct FixedBytesLeaf: Leaf {
    private static let blockCount = 8

    private let node: Node
    private let type: ColumnType
    /// The bytes of a value.
    private let width: Int
    let count: Int

    init(_ node: Node, _ type: ColumnType) throws {
        self.node = node
        self.type = type
        width = type == .objectId ? 12 : 16
        let block = 1 + Self.blockCount * width
        count = (node.count - (node.count + block - 1) / block) / width
    }

    func value(_ index: Int) throws -> RealmValue {
        guard index >= 0, index < count else { throw node.damaged("element \(index) of \(count) is needed") }
        if node.byteCount == 0 { return .null }
        let block = index / Self.blockCount * (1 + Self.blockCount * width)
        let place = index % Self.blockCount
        guard let nulls = try node.slice(block..<block + 1).first else { return .null }
        if nulls >> place & 1 == 1 { return .null }
        let start = block + 1 + place * width
        return .plain(Self.value(try node.slice(start..<start + width), type))
    }

    /// - Precondition: there are as many bytes as the type has.
    static func value(_ bytes: [UInt8], _ type: ColumnType) -> Value {
        let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let rest = bytes.dropFirst(8)
        return type == .objectId
            ? .objectId(ObjectIdentifier12(high: high, low: rest.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
            : .uuid(UUID16(high: high, low: rest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }
}
