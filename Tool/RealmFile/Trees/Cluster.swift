import CausewayModel

/// Some rows of a table: their keys, and a leaf for each column.
final class Cluster {
    /// As many as Realm puts into one.
    static let rowsMax = 256

    private let node: Node
    private let firstKey: Int64
    private let keys: Node?
    let count: Int
    private var leaves: [Int: any Leaf] = [:]

    init(_ file: FileBytes, _ place: ClusterTree.Place) throws {
        node = try Node(file, at: place.node)
        firstKey = place.firstKey
        count = place.count
        switch try node.reference(0) {
        case .node(let place): keys = try Node(file, at: place)
        case .number, .nothing: keys = nil
        }
    }

    static func count(_ node: Node) throws -> Int {
        let count: Int
        switch try node.reference(0) {
        case .nothing: throw node.damaged("a cluster does not tell how many rows it has")
        case .node(let place): count = try Node(node.file, at: place).count
        case .number(let number): count = Int(exactly: number) ?? .max
        }
        guard count <= rowsMax else {
            throw node.damaged("a cluster has more than \(rowsMax) rows, and none has")
        }
        return count
    }

    func key(_ index: Int) throws -> Int64 {
        let offset = try keys.map { try $0.natural(index) } ?? UInt64(index)
        guard let offset = Int64(exactly: offset), firstKey <= .max - offset else {
            throw node.damaged("a key does not exist")
        }
        return firstKey + offset
    }

    /// The row of a key.
    func index(ofKey key: Int64) throws -> Int? {
        guard key >= firstKey else { return nil }
        guard keys != nil else { return key - firstKey < count ? Int(key - firstKey) : nil }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let found = try self.key(middle)
            if found == key { return middle }
            if found < key { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    func value(_ index: Int, _ column: RealmColumn) throws -> RealmValue {
        try node.file.takeSteps()
        guard column.collection == .none else { return try collection(index, column) }
        return try leaf(column).value(index)
    }

    private func leaf(_ column: RealmColumn) throws -> any Leaf {
        if let leaf = leaves[column.place] { return leaf }
        let leaf = try column.kind.leaf(try node.neededChild(column.place + 1))
        guard leaf.count == count else {
            throw node.damaged("a column has \(leaf.count) values for \(count) rows")
        }
        leaves[column.place] = leaf
        return leaf
    }

    private func collection(_ index: Int, _ column: RealmColumn) throws -> RealmValue {
        let holder = try node.neededChild(column.place + 1)
        guard holder.count == count else {
            throw node.damaged("a column has \(holder.count) collections for \(count) rows")
        }
        let root = try holder.child(index)
        if column.collection == .map {
            return .dictionary(try root.map { try Collections.entries($0, column.kind) } ?? [])
        }
        let elements = try root.map { try Collections.elements($0, column.kind) } ?? []
        guard column.type == .link else { return .list(elements) }
        // Lists and sets of links hold no null, and a tombstone is none of their elements.
        return .list(elements.filter { if case .link = $0 { true } else { false } })
    }
}
