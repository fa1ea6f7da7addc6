import CausewayStorage

/// Many ordered maps in one tree, each under a prefix of its own, stored as packed chunks. The tree key of a chunk is
/// the prefix and the chunk's first key (big-endian, its sign bit flipped).
///
/// A chunk that grows over the limit, or would need a page to itself, is split. One that shrinks below a quarter of the
/// limit joins the next. So changing one entry costs O(log n + limit). No prefix begins with another one.
struct ChunkTree {
    /// What a value means where it is changed.
    enum Meaning {
        /// How often the key is there. Zero is not stored.
        case count
        /// A row. Negative rows are not stored.
        case row
    }

    struct Change {
        var key: Int64
        var value: Int64
        /// Whether `value` is added to the stored value instead of replacing it.
        var isRelative = false
    }

    let tree: UInt32
    let limit: Int
    let meaning: Meaning

    static let keyByteCount = 8

    // MARK: - Keys of the tree

    static func key(_ prefix: [UInt8], _ first: Int64) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(prefix.count + keyByteCount + 1)
        set(&key, prefix[...], first)
        return key
    }

    /// The smallest possible tree key after the one of `first`.
    static func behind(_ prefix: [UInt8], _ first: Int64) -> [UInt8] { key(prefix, first) + [0] }

    static func first(_ key: UnsafeRawBufferPointer, prefixCount: Int) -> Int64? {
        guard key.count == prefixCount + keyByteCount else { return nil }
        return Int64(bitPattern: key.readUInt64(at: prefixCount) ^ 1 << 63)
    }

    // MARK: - Reading

    /// Whether the tree has no entries.
    func isEmpty(_ reader: any StorageReader) -> Bool {
        var isEmpty = true
        reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Visits the chunks under a prefix in order until the body answers false. A damaged chunk counts as absent, and
    /// makes the result false.
    @discardableResult
    func scan(_ prefix: [UInt8], _ reader: any StorageReader, _ body: (PackedChunk) -> Bool) -> Bool {
        var isSound = true
        reader.scan(tree: tree, from: prefix, upTo: Table.successor(prefix), reversed: false) { key, bytes in
            guard let first = Self.first(key, prefixCount: prefix.count), let chunk = PackedChunk(first: first, bytes)
            else {
                isSound = false
                return true
            }
            return body(chunk)
        }
        return isSound
    }

    /// The bytes of the chunk that a key would be in; nil when all chunks of the prefix begin above it.
    func floor(
        _ prefix: [UInt8], _ wanted: Int64, _ reader: any StorageReader
    ) -> (first: Int64, bytes: UnsafeRawBufferPointer)? {
        var found: (Int64, UnsafeRawBufferPointer)?
        reader.scan(tree: tree, from: prefix, upTo: Self.behind(prefix, wanted), reversed: true) { key, bytes in
            if let first = Self.first(key, prefixCount: prefix.count) { found = (first, bytes) }
            return false
        }
        return found
    }

    func next(
        _ prefix: [UInt8], from: [UInt8], _ reader: any StorageReader
    ) -> (first: Int64, bytes: UnsafeRawBufferPointer)? {
        var found: (Int64, UnsafeRawBufferPointer)?
        reader.scan(tree: tree, from: from, upTo: Table.successor(prefix), reversed: false) { key, bytes in
            guard let first = Self.first(key, prefixCount: prefix.count) else { return true }
            found = (first, bytes)
            return false
        }
        return found
    }
}
