import CausewayModel

/// Strings. Short ones have a width, longer ones are byte strings that end with a zero, and a column may store the numbers of its
/// distinct values.
struct TextLeaf: Leaf {
    private indirect enum Form {
        case short
        case blobs(Blobs)
        case numbers(TextLeaf)
    }

    private let node: Node
    private let isNullable: Bool
    private let form: Form

    init(_ node: Node, isNullable: Bool, distinct: TextLeaf? = nil) throws {
        self.node = node
        self.isNullable = isNullable
        if node.hasReferences {
            form = .blobs(try Blobs(node))
        } else if node.layout == .bytes {
            form = .short
        } else if let distinct {
            form = .numbers(distinct)
        } else {
            throw node.damaged("the node holds no strings")
        }
    }

    var count: Int {
        if case .blobs(let blobs) = form { return blobs.count }
        return node.count
    }

    /// The bytes of a string; nil for null.
    func bytes(_ index: Int) throws -> [UInt8]? {
        switch form {
        case .short: return try short(index)
        case .numbers(let distinct):
            guard let number = Int(exactly: try node.integer(index)) else { return nil }
            return try distinct.bytes(number)
        case .blobs(let blobs):
            guard var bytes = try blobs.bytes(index) else { return nil }
            guard bytes.popLast() == 0 else { throw node.damaged("a string does not end with a zero") }
            return bytes
        }
    }

    /// Elements are filled up. The last byte says how much of the element is no text, and in a null as much as all of it.
    private func short(_ index: Int) throws -> [UInt8]? {
        try node.check(index)
        let width = node.width
        guard width > 0 else { return isNullable ? nil : [] }
        let place = try node.place(of: index, bytes: width)
        let unused = Int(node.file.bytes[place + width - 1])
        if unused == width, isNullable { return nil }
        guard unused < width else { throw node.damaged("a string has a length that does not exist") }
        return Array(node.file.bytes[place..<place + width - 1 - unused])
    }

    func text(_ index: Int) throws -> String? { try bytes(index).map { node.file.text($0) } }

    func value(_ index: Int) throws -> RealmValue { .plain(try text(index).map { .string($0) } ?? .null) }
}
