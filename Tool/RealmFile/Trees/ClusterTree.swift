/// The rows of a table. A leaf of the tree is a cluster: some rows, with a leaf for each column.
struct ClusterTree {
    private static let depthMax = 16
    /// No cluster has fewer bytes: its node and one more.
    private static let clusterBytesMin = 16
    /// How many bits of a key one level of the tree stands for, where keys have no gaps.
    private static let keyBitsOfLevel: UInt64 = 8

    /// A cluster that is not opened yet. What its keys are counted from ascends from one to the next.
    struct Place {
        var node: Int
        var firstKey: Int64
        var count: Int
    }

    private(set) var clusters: [Place] = []
    private(set) var rowCount = 0

    init(_ root: Node) throws {
        rowCount = try walk(root, firstKey: 0, depth: 0)
    }

    private mutating func walk(_ node: Node, firstKey: Int64, depth: Int) throws -> Int {
        guard node.isInner else { return try add(node, firstKey) }
        guard depth < Self.depthMax, node.count > 3 else {
            throw node.damaged("the tree of a table is too deep, or has an inner node without children")
        }
        let keys = try node.child(0)
        let level = try node.number(1)
        guard level < 8 else { throw node.damaged("an inner node tells that it stands \(level) levels high") }
        var count = 0
        for index in 0..<node.count - 3 {
            let offset = try keys.map { try $0.natural(index) } ?? UInt64(index) << (Self.keyBitsOfLevel * level)
            guard let offset = Int64(exactly: offset), firstKey <= .max - offset else {
                throw node.damaged("a key does not exist")
            }
            count += try walk(node.neededChild(index + 3), firstKey: firstKey + offset, depth: depth + 1)
        }
        guard try node.length(2) == count else {
            throw node.damaged("a table has another number of rows than it tells")
        }
        return count
    }

    private mutating func add(_ node: Node, _ firstKey: Int64) throws -> Int {
        let count = try Cluster.count(node)
        guard count > 0 else { return 0 }
        guard clusters.last.map({ $0.firstKey < firstKey }) ?? true,
            (clusters.count + 1) * Self.clusterBytesMin <= node.file.count
        else { throw node.damaged("the keys of a table do not ascend") }
        clusters.append(Place(node: node.place, firstKey: firstKey, count: count))
        return count
    }

    /// The place of the cluster that has a key, if any has.
    func place(ofKey key: Int64) -> Int? {
        var (low, high) = (0, clusters.count)
        while low < high {
            let middle = (low + high) / 2
            if clusters[middle].firstKey <= key { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}
