import CausewayModel

/// Whole numbers. Where null is allowed, element 0 is the number that stands for null, and values follow it.
struct IntegerLeaf: Leaf {
    private let node: Node
    private let null: Int64?

    init(_ node: Node, isNullable: Bool) throws {
        self.node = node
        null = isNullable ? try node.integer(0) : nil
    }

    var count: Int { null == nil ? node.count : node.count - 1 }

    func number(_ index: Int) throws -> Int64? {
        guard let null else { return try node.integer(index) }
        let number = try node.integer(index + 1)
        return number == null ? nil : number
    }

    func value(_ index: Int) throws -> RealmValue { .plain(try number(index).map { .int($0) } ?? .null) }
}

/// Booleans. Null is 3.
struct BoolLeaf: Leaf {
    private static let null = 3

    let node: Node
    let isNullable: Bool

    var count: Int { node.count }

    func value(_ index: Int) throws -> RealmValue {
        let number = try node.integer(index)
        return isNullable && number == Self.null ? .null : .plain(.bool(number != 0))
    }
}

/// Numbers of 32 bits with a point. Null is one NaN of all.
struct FloatLeaf: Leaf {
    private static let null: UInt32 = 0x7FC0_00AA

    let node: Node
    let isNullable: Bool

    var count: Int { node.count }

    func value(_ index: Int) throws -> RealmValue {
        let bits = node.file.number(at: try node.place(of: index, bytes: 4), as: UInt32.self)
        return isNullable && bits == Self.null ? .null : .plain(.float(Float(bitPattern: bits)))
    }
}

/// Numbers of 64 bits with a point. Null is one NaN of all.
struct DoubleLeaf: Leaf {
    private static let null: UInt64 = 0x7FF8_0000_0000_00AA

    let node: Node
    let isNullable: Bool

    var count: Int { node.count }

    func value(_ index: Int) throws -> RealmValue {
        let bits = node.file.number(at: try node.place(of: index, bytes: 8), as: UInt64.self)
        return isNullable && bits == Self.null ? .null : .plain(.double(Double(bitPattern: bits)))
    }
}

/// Points in time: one node with the seconds, which may be null, and one with the nanoseconds.
struct TimestampLeaf: Leaf {
    private let seconds: IntegerLeaf
    private let nanoseconds: Node

    init(_ node: Node) throws {
        seconds = try IntegerLeaf(node.neededChild(0), isNullable: true)
        nanoseconds = try node.neededChild(1)
    }

    var count: Int { seconds.count }

    func value(_ index: Int) throws -> RealmValue {
        guard let seconds = try seconds.number(index) else { return .null }
        return .plain(try Self.timestamp(seconds, try nanoseconds.integer(index), nanoseconds))
    }

    static func timestamp(_ seconds: Int64, _ nanoseconds: Int64, _ node: Node) throws -> Value {
        guard nanoseconds.magnitude < 1_000_000_000,
            seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
        else { throw node.damaged("a point in time has \(nanoseconds) nanoseconds beside \(seconds) seconds") }
        return .timestamp(Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
    }
}

/// Object keys, which lead to rows of one table.
struct LinkLeaf: Leaf {
    let node: Node
    let target: Int?
    /// Whether keys are stored one larger, so that zero is null.
    let hasNull: Bool

    var count: Int { node.count }

    func value(_ index: Int) throws -> RealmValue {
        let (key, overflows) = try node.integer(index).subtractingReportingOverflow(hasNull ? 1 : 0)
        guard !overflows else { throw node.damaged("a link has a key that does not exist") }
        // Negative keys are tombstones: an object that is not there, or not any more.
        guard key >= 0 else { return .null }
        guard let target else { throw node.damaged("a link leads to a table that is not there") }
        return .link(RealmLink(table: target, key: key))
    }
}
