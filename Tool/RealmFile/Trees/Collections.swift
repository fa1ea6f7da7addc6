import CausewayModel

/// Reads the trees of lists, sets and dictionaries.
enum Collections {
    /// How deep collections in mixed values are read.
    static let depthMax = 100
    private static let treeDepthMax = 16

    /// The elements of a list or a set.
    static func elements(_ root: Node, _ kind: LeafKind, depth: Int = 0) throws -> [RealmValue] {
        var elements: [RealmValue] = []
        _ = try walk(root, depth: 0) { node in
            let leaf = try kind.leaf(node)
            try node.file.takeElements(leaf.count)
            for index in 0..<leaf.count {
                let value = try (leaf as? MixedLeaf)?.value(index, depth: depth) ?? leaf.value(index)
                try node.file.takeContent(value)
                elements.append(value)
            }
            return leaf.count
        }
        return elements
    }

    /// The entries of a dictionary: one tree with the names, one with the values, which are mixed ones whatever the type is.
    static func entries(_ root: Node, _ kind: LeafKind, depth: Int = 0) throws -> [RealmEntry] {
        let names = LeafKind(type: .string, isNullable: false, tables: kind.tables)
        let values = LeafKind(type: .mixed, isNullable: true, tables: kind.tables)
        let left = try elements(root.neededChild(0), names)
        let right = try elements(root.neededChild(1), values, depth: depth)
        guard left.count == right.count else {
            throw root.damaged("a dictionary has \(left.count) names and \(right.count) values")
        }
        return try zip(left, right).map { name, value in
            guard case .plain(let plain) = name, case .string(let text) = plain else {
                throw root.damaged("a dictionary has a name that is null")
            }
            return RealmEntry(name: text, value: value)
        }
    }

    /// Calls a body with each leaf of a tree, in order. It tells how many elements the leaf has.
    ///
    /// - Returns: how many elements there are.
    private static func walk(_ node: Node, depth: Int, _ body: (Node) throws -> Int) throws -> Int {
        guard node.isInner else { return try body(node) }
        guard depth < treeDepthMax, node.count >= 2 else {
            throw node.damaged("a tree is too deep, or has an inner node without children")
        }
        // Element 0 tells where children begin, and the last one how many elements there are.
        var count = 0
        for index in 1..<node.count - 1 { count += try walk(node.neededChild(index), depth: depth + 1, body) }
        guard try node.length(node.count - 1) == count else {
            throw node.damaged("a tree has another number of elements than it tells")
        }
        return count
    }
}
