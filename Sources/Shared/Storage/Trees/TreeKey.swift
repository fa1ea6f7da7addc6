/// Keys as they are stored: the number of the tree, big-endian, then the key's bytes.
enum TreeKey {
    static let treeByteCount = 4

    @inline(__always)
    static func tree(of key: UnsafeRawBufferPointer) -> UInt32 { TreeNode.head(key, at: 0) }

    @inline(__always)
    static func withoutTree(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        // A sound leaf has no shorter key.
        UnsafeRawBufferPointer(
            start: key.baseAddress.map { $0 + treeByteCount }, count: max(0, key.count &- treeByteCount))
    }

    /// Passes the stored form of a key to `body`; short keys are built on the stack.
    @inline(__always)
    static func with<Result>(
        _ tree: UInt32, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: treeByteCount + key.count, alignment: 8) { full in
            full.storeBytes(of: tree.bigEndian, as: UInt32.self)
            if let start = key.baseAddress, let fullStart = full.baseAddress {
                (fullStart + treeByteCount).copyMemory(from: start, byteCount: key.count)
            }
            return body(UnsafeRawBufferPointer(full))
        }
    }

    /// Passes the range of stored keys for a range of one tree's keys to `body`. Nil above means the end of all trees.
    static func withRange<Result>(
        _ tree: UInt32, _ from: UnsafeRawBufferPointer, _ upTo: UnsafeRawBufferPointer?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        with(tree, from) { lower in
            if let upTo { return with(tree, upTo) { body(lower, $0) } }
            guard tree < .max else { return body(lower, nil) }
            return with(tree + 1, UnsafeRawBufferPointer(start: nil, count: 0)) { body(lower, $0) }
        }
    }
}
