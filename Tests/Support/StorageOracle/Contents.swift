package import CausewayStorage

/// A storage as a dictionary: obviously right.
package struct Contents: Equatable, Sendable {
    package var trees: [UInt32: [[UInt8]: [UInt8]]] = [:]
    package var leaves: [LeafPlace: [UInt8]] = [:]

    package init() {}

    package func get(_ tree: UInt32, _ key: [UInt8]) -> [UInt8]? { trees[tree]?[key] }

    package func entries(
        _ tree: UInt32, from: [UInt8] = [], upTo: [UInt8]? = nil, reversed: Bool = false, limit: Int = .max
    ) -> [[[UInt8]]] {
        var entries = (trees[tree] ?? [:]).filter { key, _ in
            !key.lexicographicallyPrecedes(from) && upTo.map { key.lexicographicallyPrecedes($0) } ?? true
        }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        if reversed { entries.reverse() }
        return entries.prefix(limit).map { [$0.key, $0.value] }
    }

    package var entryCount: Int { trees.values.reduce(0) { $0 + $1.count } }

    /// The leaves that differ, ascending.
    package func changedLeaves(since older: Contents) -> [LeafPlace] {
        Set(leaves.keys).union(older.leaves.keys).filter { leaves[$0] != older.leaves[$0] }.sorted()
    }

    /// The keys that differ, with their trees.
    package func changedKeys(since older: Contents) -> [(tree: UInt32, key: [UInt8])] {
        Set(trees.keys).union(older.trees.keys).flatMap { tree in
            let (new, old) = (trees[tree] ?? [:], older.trees[tree] ?? [:])
            return Set(new.keys).union(old.keys).filter { new[$0] != old[$0] }.map { (tree, $0) }
        }
    }
}
