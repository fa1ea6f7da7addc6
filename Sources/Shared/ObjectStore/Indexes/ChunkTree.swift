import CausewayStorage

/// Many ordered maps in one tree, each under a prefix of its own, as packed chunks: the key of the tree is the prefix
/// and the chunk's first key (big-endian, its sign bit flipped).
///
/// A chunk that grows over the limit is split, one that shrinks below a quarter joins the next, so changing one entry
/// costs O(log n + limit). No prefix begins with another one.
struct ChunkTree {
    /// What a value means where it is changed.
    enum Meaning {
        /// How often the key is there; none of zero is stored.
        case count
        /// A row; a negative one is not stored.
        case row
    }

    struct Change {
        var key: Int64
        var value: Int64
        /// Added to the value that is there, instead of taking its place.
        var isRelative = false
    }

    let tree: UInt32
    let limit: Int
    let meaning: Meaning

    static let keyByteCount = 8

    // MARK: - Keys of the tree

    static func key(_ prefix: [UInt8], _ first: Int64) -> [UInt8] {
        var key = prefix
        key.reserveCapacity(prefix.count + keyByteCount + 1)
        withUnsafeBytes(of: (UInt64(bitPattern: first) ^ 1 << 63).bigEndian) { key.append(contentsOf: $0) }
        return key
    }

    /// The least key of the tree behind the one of `first`.
    private static func behind(_ prefix: [UInt8], _ first: Int64) -> [UInt8] { key(prefix, first) + [0] }

    static func first(_ key: UnsafeRawBufferPointer, prefixCount: Int) -> Int64? {
        guard key.count == prefixCount + keyByteCount else { return nil }
        return Int64(bitPattern: key.readUInt64(at: prefixCount) ^ 1 << 63)
    }

    // MARK: - Reading

    /// Whether there is nothing under any prefix.
    func isEmpty(_ reader: any StorageReader) -> Bool {
        var isEmpty = true
        reader.scan(tree: tree, from: [], upTo: nil, reversed: false) { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Visits the chunks under a prefix in order until the body answers false. False when one of them is damaged, which
    /// counts as absent.
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

    /// The bytes of the chunk a key would be in; nil when all of the prefix are larger.
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

    private func next(
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

    // MARK: - Writing

    /// Enters changes, ascending and one a key. False when a chunk that had to be read is damaged; it is written anew.
    /// - Parameter isEmpty: nothing is known to be under the prefix.
    func apply(
        _ changes: [Change], _ prefix: [UInt8], _ writer: any StorageWriter, isEmpty: Bool, _ scratch: inout [UInt8]
    ) -> Bool {
        var isSound = true
        var index = 0
        while index < changes.count {
            var entries: [PackedChunk.Entry] = []
            var replaced: Int64?
            var following: Int64?
            if !isEmpty, let place = self.place(changes[index].key, prefix, writer) {
                replaced = place.first
                if let chunk = PackedChunk(first: place.first, place.bytes) {
                    entries.reserveCapacity(chunk.count + changes.count - index)
                    for index in 0..<chunk.count {
                        entries.append(.init(key: chunk.key(index), value: chunk.value(index)))
                    }
                } else {
                    isSound = false
                }
                following = next(prefix, from: Self.behind(prefix, place.first), writer)?.first
            }
            var end = index
            while end < changes.count, following.map({ changes[end].key < $0 }) ?? true { end += 1 }
            // Damaged keys need not ascend: one change at least is entered, so that this ends.
            end = max(end, index + 1)
            let isAppending = entries.last.map { $0.key < changes[index].key } ?? true
            merge(changes[index..<end], into: &entries, isAppending: isAppending)
            if let following, entries.count < limit / 4 {
                absorb(following, prefix, writer, &entries)
            }
            store(entries, replacing: replaced, prefix, writer, isAppending: isAppending, &scratch)
            index = end
        }
        return isSound
    }

    /// The chunk a key belongs to: the one before it, or the first one.
    private func place(
        _ key: Int64, _ prefix: [UInt8], _ writer: any StorageWriter
    ) -> (first: Int64, bytes: UnsafeRawBufferPointer)? {
        floor(prefix, key, writer) ?? next(prefix, from: prefix, writer)
    }

    private func isStored(_ value: Int64) -> Bool {
        switch meaning {
        case .count: value > 0
        case .row: value >= 0
        }
    }

    private func merge(
        _ changes: ArraySlice<Change>, into entries: inout [PackedChunk.Entry], isAppending: Bool
    ) {
        if isAppending {
            for change in changes where isStored(change.value) {
                entries.append(.init(key: change.key, value: change.value))
            }
            return
        }
        var merged: [PackedChunk.Entry] = []
        merged.reserveCapacity(entries.count + changes.count)
        var position = 0
        for change in changes {
            while position < entries.count, entries[position].key < change.key {
                merged.append(entries[position])
                position += 1
            }
            var value = change.value
            if position < entries.count, entries[position].key == change.key {
                if change.isRelative { value &+= entries[position].value }
                position += 1
            }
            if isStored(value) { merged.append(.init(key: change.key, value: value)) }
        }
        merged += entries[position...]
        entries = merged
    }

    /// Takes in the next chunk when both leave room for more.
    private func absorb(
        _ following: Int64, _ prefix: [UInt8], _ writer: any StorageWriter, _ entries: inout [PackedChunk.Entry]
    ) {
        let key = Self.key(prefix, following)
        guard let bytes = writer.get(tree, key), let chunk = PackedChunk(first: following, bytes),
            entries.count + chunk.count <= limit * 3 / 4
        else { return }
        for index in 0..<chunk.count { entries.append(.init(key: chunk.key(index), value: chunk.value(index))) }
        writer.remove(tree, key)
    }

    private func store(
        _ entries: [PackedChunk.Entry], replacing replaced: Int64?, _ prefix: [UInt8], _ writer: any StorageWriter,
        isAppending: Bool, _ scratch: inout [UInt8]
    ) {
        if let replaced, entries.first?.key != replaced { writer.remove(tree, Self.key(prefix, replaced)) }
        guard !entries.isEmpty else { return }
        // Appending leaves full chunks behind; changes in the middle leave room for more of them.
        let pieces = (entries.count + limit - 1) / limit
        let size = isAppending ? limit : (entries.count + pieces - 1) / pieces
        var start = 0
        while start < entries.count {
            let end = min(start + size, entries.count)
            PackedChunk.encode(entries[start..<end], into: &scratch)
            writer.put(tree, Self.key(prefix, entries[start].key), scratch)
            start = end
        }
    }
}
