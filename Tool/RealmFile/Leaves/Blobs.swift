import CausewayModel

/// Byte strings of any length, behind a node that leads to others: small ones end to end in one node, large ones each in its own.
struct Blobs {
    private enum Form {
        case small(ends: Node, bytes: Node, nulls: Node)
        case large
    }

    private let node: Node
    private let form: Form

    init(_ node: Node) throws {
        self.node = node
        guard node.hasReferences else { throw node.damaged("the node leads to no byte strings") }
        form =
            node.hasContext
            ? .large
            : .small(ends: try node.neededChild(0), bytes: try node.neededChild(1), nulls: try node.neededChild(2))
    }

    var count: Int {
        switch form {
        case .small(let ends, _, _): ends.count
        case .large: node.count
        }
    }

    /// Nil for null.
    func bytes(_ index: Int) throws -> [UInt8]? {
        switch form {
        case .small(let ends, let bytes, let nulls):
            if try nulls.integer(index) != 0 { return nil }
            let start = index == 0 ? 0 : try ends.integer(index - 1)
            let end = try ends.integer(index)
            guard start >= 0, start <= end, end <= bytes.byteCount else {
                throw ends.damaged("a byte string ends before it begins, or behind its node")
            }
            return try bytes.slice(Int(start)..<Int(end))
        case .large: return try node.child(index).map(Self.large)
        }
    }

    /// More than 16 MB are stored in pieces.
    private static func large(_ node: Node) throws -> [UInt8] {
        guard node.hasContext else { return try node.slice(0..<node.byteCount) }
        var bytes: [UInt8] = []
        for index in 0..<node.count {
            guard let piece = try node.child(index) else { continue }
            guard bytes.count + piece.byteCount <= node.file.count else {
                throw node.damaged("a byte string is longer than the file")
            }
            bytes += try piece.slice(0..<piece.byteCount)
        }
        return bytes
    }
}

struct BinaryLeaf: Leaf {
    private let blobs: Blobs

    init(_ node: Node) throws {
        blobs = try Blobs(node)
    }

    var count: Int { blobs.count }

    func value(_ index: Int) throws -> RealmValue { .plain(try blobs.bytes(index).map { .bytes($0) } ?? .null) }
}
