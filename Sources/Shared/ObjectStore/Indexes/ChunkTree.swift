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
        var key = prefix
        key.reserveCapacity(prefix.count + keyByteCount + 1)
        withUnsafeBytes(of: (UInt64(bitPattern: first) ^ 1 << 63).bigEndian) { key.append(contentsOf: $0) }
        return key
    }

    /// The smallest possible tree key after the one of `first`.
    private static func behind(_ prefix: [UInt8], _ first: Int64) -> [UInt8] { key(prefix, first) + [0] }

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

    /// The changes of one prefix, ascending and one a key.
    struct Group {
        var prefix: [UInt8]
        var changes: [Change]
    }

    /// Enters the changes of many prefixes, ascending. False when a chunk that had to be read is damaged; such a chunk
    /// is replaced by the changes.
    ///
    /// Chunks that lie close together are found in one pass over the tree, others with a search for each.
    /// - Parameter isEmpty: whether the tree is known to be empty.
    func apply(_ groups: [Group], _ writer: any StorageWriter, isEmpty: Bool, _ scratch: inout [UInt8]) -> Bool {
        let found = isEmpty ? FoundChunks() : find(groups, writer)
        var isSound = true
        var start = 0
        for (index, group) in groups.enumerated() {
            let places: Places
            if isEmpty {
                places = .known([])
            } else if index < found.ends.count {
                places = .known(found.chunks[start..<found.ends[index]])
                start = found.ends[index]
            } else {
                places = .searched(group.prefix, writer)
            }
            isSound = apply(group.changes, group.prefix, places, writer, &scratch) && isSound
        }
        return isSound
    }

    /// Enters the changes of one prefix that has no chunks yet.
    func fill(_ prefix: [UInt8], _ changes: [Change], _ writer: any StorageWriter, _ scratch: inout [UInt8]) {
        _ = apply(changes, prefix, .known([]), writer, &scratch)
    }

    private struct StoredChunk {
        var first: Int64
        /// Valid until the write is over: the memory of a write does not move.
        var bytes: UnsafeRawBufferPointer
    }

    /// The chunks of the first groups, as far as the pass came.
    private struct FoundChunks {
        var chunks: [StoredChunk] = []
        /// For each group, the number of chunks of it and of all groups before it.
        var ends: [Int] = []
    }

    /// Passes over the tree as long as that is cheaper than a search for each change.
    private func find(_ groups: [Group], _ writer: any StorageWriter) -> FoundChunks {
        var found = FoundChunks()
        guard let first = groups.first, let last = groups.last else { return found }
        var visitsLeft = 64 + 4 * groups.reduce(0) { $0 + $1.changes.count }
        var isWhole = true
        writer.scan(tree: tree, from: first.prefix, upTo: Table.successor(last.prefix), reversed: false) { key, bytes in
            visitsLeft -= 1
            guard visitsLeft >= 0, key.count >= Self.keyByteCount else {
                isWhole = false
                return false
            }
            let prefix = UnsafeRawBufferPointer(rebasing: key[..<(key.count - Self.keyByteCount)])
            while found.ends.count < groups.count {
                let order = groups[found.ends.count].prefix.withUnsafeBytes { bytesOrder($0, prefix) }
                if order == 0, let first = Self.first(key, prefixCount: prefix.count) {
                    found.chunks.append(StoredChunk(first: first, bytes: bytes))
                }
                guard order < 0 else { return true }
                found.ends.append(found.chunks.count)
            }
            return false
        }
        if isWhole { while found.ends.count < groups.count { found.ends.append(found.chunks.count) } }
        return found
    }

    /// Where the chunks of a prefix are.
    private enum Places {
        case known(ArraySlice<StoredChunk>)
        case searched([UInt8], any StorageWriter)
    }

    /// The chunk a key belongs to: the one before it, or the first one.
    private func place(_ key: Int64, _ places: Places) -> StoredChunk? {
        switch places {
        case .known(let chunks):
            let index = Self.position(behind: key, chunks)
            return index > chunks.startIndex ? chunks[index - 1] : chunks.first
        case .searched(let prefix, let writer):
            return (floor(prefix, key, writer) ?? next(prefix, from: prefix, writer)).map {
                StoredChunk(first: $0.first, bytes: $0.bytes)
            }
        }
    }

    private func next(after first: Int64, _ places: Places) -> StoredChunk? {
        switch places {
        case .known(let chunks):
            let index = Self.position(behind: first, chunks)
            return index < chunks.endIndex ? chunks[index] : nil
        case .searched(let prefix, let writer):
            return next(prefix, from: Self.behind(prefix, first), writer).map {
                StoredChunk(first: $0.first, bytes: $0.bytes)
            }
        }
    }

    private static func position(behind key: Int64, _ chunks: ArraySlice<StoredChunk>) -> Int {
        var low = chunks.startIndex
        var high = chunks.endIndex
        while low < high {
            let middle = (low &+ high) >> 1
            if chunks[middle].first <= key { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    private func apply(
        _ changes: [Change], _ prefix: [UInt8], _ places: Places, _ writer: any StorageWriter,
        _ scratch: inout [UInt8]
    ) -> Bool {
        var isSound = true
        var index = 0
        while index < changes.count {
            var entries: [PackedChunk.Entry] = []
            entries.reserveCapacity(limit)
            let replaced = place(changes[index].key, places)
            if let replaced { isSound = Self.append(replaced, to: &entries) && isSound }
            let isAppending = entries.last.map { $0.key < changes[index].key } ?? true
            var following = replaced.flatMap { next(after: $0.first, places) }
            var joined = false
            repeat {
                let start = index
                while index < changes.count, following.map({ changes[index].key < $0.first }) ?? true { index += 1 }
                // Damaged keys need not ascend: one change at least is entered, so that this ends.
                if !joined { index = max(index, start + 1) }
                merge(changes[start..<index], into: &entries, isAppending: isAppending && !joined)
                joined = join(&following, to: &entries, prefix, places, writer)
            } while joined
            store(entries, replacing: replaced?.first, prefix, writer, isAppending: isAppending, &scratch)
        }
        return isSound
    }

    private static func append(_ stored: StoredChunk, to entries: inout [PackedChunk.Entry]) -> Bool {
        guard let chunk = PackedChunk(first: stored.first, stored.bytes) else { return false }
        for index in 0..<chunk.count { entries.append(.init(key: chunk.key(index), value: chunk.value(index))) }
        return true
    }

    /// Merges the next chunk into the entries if these are few and both together leave room for more. `following` is
    /// then the chunk behind it.
    private func join(
        _ following: inout StoredChunk?, to entries: inout [PackedChunk.Entry], _ prefix: [UInt8], _ places: Places,
        _ writer: any StorageWriter
    ) -> Bool {
        guard let next = following, !entries.isEmpty, entries.count < limit / 4,
            let chunk = PackedChunk(first: next.first, next.bytes), entries.count + chunk.count <= limit * 3 / 4
        else { return false }
        _ = Self.append(next, to: &entries)
        writer.remove(tree, Self.key(prefix, next.first))
        following = self.next(after: next.first, places)
        return true
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

    /// The size of the chunks when all are about equally long.
    private func evenSize(_ entries: [PackedChunk.Entry]) -> Int {
        var pieces = 0
        var start = 0
        while start < entries.count {
            start += PackedChunk.fittingCount(entries[start...], limit: limit)
            pieces += 1
        }
        return (entries.count + pieces - 1) / max(pieces, 1)
    }

    private func store(
        _ entries: [PackedChunk.Entry], replacing replaced: Int64?, _ prefix: [UInt8], _ writer: any StorageWriter,
        isAppending: Bool, _ scratch: inout [UInt8]
    ) {
        if let replaced, entries.first?.key != replaced { writer.remove(tree, Self.key(prefix, replaced)) }
        guard !entries.isEmpty else { return }
        // Appending leaves full chunks behind; changes in the middle leave room for more of them.
        let size = isAppending ? limit : evenSize(entries)
        var start = 0
        while start < entries.count {
            let end = start + PackedChunk.fittingCount(entries[start...], limit: size)
            PackedChunk.encode(entries[start..<end], into: &scratch)
            writer.put(tree, Self.key(prefix, entries[start].key), scratch)
            start = end
        }
    }
}
