import CausewayStorage

/// The memory in which chunks are merged and encoded, kept from one to the next.
private struct ChunkScratch {
    var key: [UInt8] = []
    var bytes: [UInt8] = []
    var entries: [PackedChunk.Entry] = []
    var merged: [PackedChunk.Entry] = []
}

extension ChunkTree {
    /// Enters the changes of many prefixes. False when a chunk that had to be read is damaged; such a chunk is replaced
    /// by the changes.
    ///
    /// Chunks that lie close together are found in one pass over the tree, others with a search for each.
    /// - Parameter isEmpty: whether the tree is known to be empty.
    func apply(_ batch: ChunkBatch, _ writer: any StorageWriter, isEmpty: Bool) -> Bool {
        var scratch = ChunkScratch()
        let found = isEmpty ? FoundChunks() : find(batch, writer)
        var isSound = true
        var start = 0
        for index in 0..<batch.count {
            let prefix = batch.prefix(index)
            let places: Places
            if isEmpty {
                places = .known([])
            } else if index < found.ends.count {
                places = .known(found.chunks[start..<found.ends[index]])
                start = found.ends[index]
            } else {
                places = .searched(Array(batch.prefixes[prefix]), writer)
            }
            let isWhole = apply(batch.changes(index), batch.prefixes[prefix], places, writer, &scratch)
            isSound = isSound && isWhole
        }
        return isSound
    }

    /// Enters the changes of prefixes that have no chunks yet.
    func fill(_ batch: ChunkBatch, _ writer: any StorageWriter) {
        _ = apply(batch, writer, isEmpty: true)
    }

    // MARK: - Finding the chunks

    private struct StoredChunk {
        var first: Int64
        /// Valid until the write is over: the memory of a write does not move.
        var bytes: UnsafeRawBufferPointer
    }

    /// The chunks of the first prefixes, as far as the pass came.
    private struct FoundChunks {
        var chunks: [StoredChunk] = []
        /// For each prefix, the number of chunks of it and of all prefixes before it.
        var ends: [Int] = []
    }

    /// Passes over the tree as long as that is cheaper than a search for each change.
    private func find(_ batch: ChunkBatch, _ writer: any StorageWriter) -> FoundChunks {
        var found = FoundChunks()
        guard !batch.isEmpty else { return found }
        let first = Array(batch.prefixes[batch.prefix(0)])
        let last = Array(batch.prefixes[batch.prefix(batch.count - 1)])
        var visitsLeft = 64 + 4 * batch.changes.count
        var isWhole = true
        batch.prefixes.withUnsafeBytes { prefixes in
            writer.scan(tree: tree, from: first, upTo: Table.successor(last), reversed: false) { key, bytes in
                visitsLeft -= 1
                guard visitsLeft >= 0, key.count >= Self.keyByteCount else {
                    isWhole = false
                    return false
                }
                let prefix = UnsafeRawBufferPointer(rebasing: key[..<(key.count - Self.keyByteCount)])
                while found.ends.count < batch.count {
                    let wanted = UnsafeRawBufferPointer(rebasing: prefixes[batch.prefix(found.ends.count)])
                    let order = bytesOrder(wanted, prefix)
                    if order == 0, let first = Self.first(key, prefixCount: prefix.count) {
                        found.chunks.append(StoredChunk(first: first, bytes: bytes))
                    }
                    guard order < 0 else { return true }
                    found.ends.append(found.chunks.count)
                }
                return false
            }
        }
        if isWhole { while found.ends.count < batch.count { found.ends.append(found.chunks.count) } }
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

    // MARK: - Merging the changes of one prefix

    private func apply(
        _ changes: ArraySlice<Change>, _ prefix: ArraySlice<UInt8>, _ places: Places, _ writer: any StorageWriter,
        _ scratch: inout ChunkScratch
    ) -> Bool {
        var isSound = true
        var index = changes.startIndex
        while index < changes.endIndex {
            scratch.entries.removeAll(keepingCapacity: true)
            let replaced = place(changes[index].key, places)
            if let replaced {
                let isWhole = Self.append(replaced, to: &scratch.entries)
                isSound = isSound && isWhole
            }
            let isAppending = scratch.entries.last.map { $0.key < changes[index].key } ?? true
            var following = replaced.flatMap { next(after: $0.first, places) }
            var joined = false
            repeat {
                let start = index
                while index < changes.endIndex, following.map({ changes[index].key < $0.first }) ?? true { index += 1 }
                // Damaged keys need not ascend: one change at least is entered, so that this ends.
                if !joined { index = max(index, start + 1) }
                merge(changes[start..<index], &scratch, isAppending: isAppending && !joined)
                joined = join(&following, prefix, places, writer, &scratch)
            } while joined
            store(replacing: replaced?.first, prefix, writer, isAppending: isAppending, &scratch)
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
        _ following: inout StoredChunk?, _ prefix: ArraySlice<UInt8>, _ places: Places, _ writer: any StorageWriter,
        _ scratch: inout ChunkScratch
    ) -> Bool {
        guard let next = following, !scratch.entries.isEmpty, scratch.entries.count < limit / 4,
            let chunk = PackedChunk(first: next.first, next.bytes),
            scratch.entries.count + chunk.count <= limit * 3 / 4
        else { return false }
        _ = Self.append(next, to: &scratch.entries)
        remove(next.first, prefix, writer, &scratch)
        following = self.next(after: next.first, places)
        return true
    }

    private func isStored(_ value: Int64) -> Bool {
        switch meaning {
        case .count: value > 0
        case .row: value >= 0
        }
    }

    private func merge(_ changes: ArraySlice<Change>, _ scratch: inout ChunkScratch, isAppending: Bool) {
        if isAppending {
            for change in changes where isStored(change.value) {
                scratch.entries.append(.init(key: change.key, value: change.value))
            }
            return
        }
        scratch.merged.removeAll(keepingCapacity: true)
        var position = 0
        for change in changes {
            while position < scratch.entries.count, scratch.entries[position].key < change.key {
                scratch.merged.append(scratch.entries[position])
                position += 1
            }
            var value = change.value
            if position < scratch.entries.count, scratch.entries[position].key == change.key {
                if change.isRelative { value &+= scratch.entries[position].value }
                position += 1
            }
            if isStored(value) { scratch.merged.append(.init(key: change.key, value: value)) }
        }
        scratch.merged += scratch.entries[position...]
        swap(&scratch.entries, &scratch.merged)
    }

    // MARK: - Storing

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

    /// Stores the gathered entries in place of a chunk.
    private func store(
        replacing replaced: Int64?, _ prefix: ArraySlice<UInt8>, _ writer: any StorageWriter, isAppending: Bool,
        _ scratch: inout ChunkScratch
    ) {
        if let replaced, scratch.entries.first?.key != replaced { remove(replaced, prefix, writer, &scratch) }
        // Appending leaves full chunks behind; changes in the middle leave room for more of them.
        let size = isAppending ? limit : evenSize(scratch.entries)
        var start = 0
        while start < scratch.entries.count {
            let end = start + PackedChunk.fittingCount(scratch.entries[start...], limit: size)
            PackedChunk.encode(scratch.entries[start..<end], into: &scratch.bytes)
            Self.set(&scratch.key, prefix, scratch.entries[start].key)
            writer.put(tree, scratch.key, scratch.bytes)
            start = end
        }
    }

    private func remove(
        _ first: Int64, _ prefix: ArraySlice<UInt8>, _ writer: any StorageWriter, _ scratch: inout ChunkScratch
    ) {
        Self.set(&scratch.key, prefix, first)
        writer.remove(tree, scratch.key)
    }

    static func set(_ key: inout [UInt8], _ prefix: ArraySlice<UInt8>, _ first: Int64) {
        key.removeAll(keepingCapacity: true)
        key.append(contentsOf: prefix)
        withUnsafeBytes(of: (UInt64(bitPattern: first) ^ 1 << 63).bigEndian) { key.append(contentsOf: $0) }
    }
}
