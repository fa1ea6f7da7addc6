import CausewayModel
import CausewayStorage

/// The rows of integer primary keys, in blocks of up to 256: consecutive keys in consecutive rows take no bytes at all.
///
/// What a write changes is kept in memory until the commit. Keys that are each above all keys before are appended to
/// two arrays; others go into a dictionary. Removed keys are only noted, because whoever finds their row sees that the
/// object is not there.
final class IntegerKeys {
    static let blockLimit = 256
    /// The tag of an integer in keys of the tree; see ``KeyBuffer``.
    static let prefix: [UInt8] = [2]
    private static let noRow: Int64 = -1

    let blocks: ChunkTree

    // Nothing here calls out while it changes these, so accesses never overlap.
    @exclusivity(unchecked) private var tailKeys: [Int64] = []
    @exclusivity(unchecked) private var tailRows: [Int64] = []
    @exclusivity(unchecked) private var changed: [Int64: Int64] = [:]
    /// Stored keys to remove, unless they are among the changed ones.
    @exclusivity(unchecked) private var removed: [Int64] = []
    /// The largest key or a larger number, once `isLargestKnown`; nil when there is no key.
    @exclusivity(unchecked) private var largest: Int64?
    @exclusivity(unchecked) private var isLargestKnown = false

    /// All stored blocks, listed once enough keys were looked up to make that pay. The bytes lie in the snapshot.
    @exclusivity(unchecked) private var directory: Directory?
    @exclusivity(unchecked) private var searchCount = 0
    @exclusivity(unchecked) private var blockCount = -1

    private struct Directory {
        var firsts: [Int64] = []
        var blocks: [UnsafeRawBufferPointer] = []
    }

    init(tree: UInt32) {
        blocks = ChunkTree(tree: tree, limit: Self.blockLimit, meaning: .row)
    }

    /// Drops all state, because the transaction moved to another version or the write is over.
    func forget() {
        if !tailKeys.isEmpty {
            tailKeys = []
            tailRows = []
        }
        if !changed.isEmpty { changed = [:] }
        if !removed.isEmpty { removed = [] }
        isLargestKnown = false
        directory = nil
        searchCount = 0
        blockCount = -1
    }

    // MARK: - Reading

    func row(of key: Int64, _ transaction: Transaction) -> Int64? {
        if let row = pendingRow(of: key) { return row >= 0 ? row : nil }
        return storedRow(of: key, transaction)
    }

    private func pendingRow(of key: Int64) -> Int64? {
        if let index = tailIndex(of: key) { return tailRows[index] }
        return changed.isEmpty ? nil : changed[key]
    }

    private func tailIndex(of key: Int64) -> Int? {
        guard let first = tailKeys.first, key >= first else { return nil }
        var low = 0
        var high = tailKeys.count
        while low < high {
            let middle = (low &+ high) >> 1
            if tailKeys[middle] < key { low = middle &+ 1 } else { high = middle }
        }
        return low < tailKeys.count && tailKeys[low] == key ? low : nil
    }

    private func storedRow(of key: Int64, _ transaction: Transaction) -> Int64? {
        guard let (first, bytes) = storedBlock(for: key, transaction) else { return nil }
        guard let block = PackedChunk(first: first, bytes) else {
            transaction.noteDamage(transaction.store.damaged())
            return nil
        }
        return block.index(of: key).map(block.value)
    }

    private func storedBlock(
        for key: Int64, _ transaction: Transaction
    ) -> (first: Int64, bytes: UnsafeRawBufferPointer)? {
        if directory == nil { noteSearch(transaction) }
        if let firsts = directory?.firsts {
            var low = 0
            var high = firsts.count
            while low < high {
                let middle = (low &+ high) >> 1
                if firsts[middle] <= key { low = middle &+ 1 } else { high = middle }
            }
            guard low > 0, let bytes = directory?.blocks[low &- 1] else { return nil }
            return (firsts[low &- 1], bytes)
        }
        return blocks.floor(Self.prefix, key, transaction.storedReader)
    }

    /// Lists the blocks after searches for an eighth of their number: a search costs as much as listing a few blocks.
    private func noteSearch(_ transaction: Transaction) {
        let reader = transaction.storedReader
        if blockCount < 0 {
            blockCount = reader.count(tree: blocks.tree, from: Self.prefix, upTo: Table.successor(Self.prefix))
        }
        searchCount += 1
        guard searchCount * 8 > blockCount else { return }
        var directory = Directory()
        directory.firsts.reserveCapacity(blockCount)
        directory.blocks.reserveCapacity(blockCount)
        reader.scan(
            tree: blocks.tree, from: Self.prefix, upTo: Table.successor(Self.prefix), reversed: false
        ) { key, bytes in
            if let first = ChunkTree.first(key, prefixCount: Self.prefix.count) {
                directory.firsts.append(first)
                directory.blocks.append(bytes)
            }
            return true
        }
        self.directory = directory
    }

    /// How many blocks may hold keys of a range; nil while changes are pending.
    func blockCount(_ range: (lower: Int64, upper: Int64), _ transaction: Transaction) -> Int? {
        guard tailKeys.isEmpty, changed.isEmpty else { return nil }
        guard range.lower <= range.upper else { return 0 }
        let (from, upTo) = bounds(range, transaction)
        return transaction.storedReader.count(tree: blocks.tree, from: from, upTo: upTo)
    }

    private func bounds(
        _ range: (lower: Int64, upper: Int64), _ transaction: Transaction
    ) -> (from: [UInt8], upTo: [UInt8]) {
        let first = blocks.floor(Self.prefix, range.lower, transaction.storedReader)?.first ?? range.lower
        return (ChunkTree.key(Self.prefix, first), ChunkTree.key(Self.prefix, range.upper) + [0])
    }

    /// Visits the rows of the stored keys in a range, ghosts too, ascending by key.
    func forEachRow(_ range: (lower: Int64, upper: Int64), _ transaction: Transaction, _ body: (Int64) -> Void) {
        guard range.lower <= range.upper else { return }
        let (from, upTo) = bounds(range, transaction)
        transaction.storedReader.scan(tree: blocks.tree, from: from, upTo: upTo, reversed: false) { key, bytes in
            guard let first = ChunkTree.first(key, prefixCount: Self.prefix.count),
                let block = PackedChunk(first: first, bytes)
            else {
                transaction.noteDamage(transaction.store.damaged())
                return true
            }
            for index in 0..<block.count where block.key(index) >= range.lower && block.key(index) <= range.upper {
                body(block.value(index))
            }
            return true
        }
    }

    // MARK: - Changing

    /// Whether a key is larger than all keys, so that none can equal it.
    func isAboveLargest(_ key: Int64, _ transaction: Transaction) -> Bool {
        if !isLargestKnown {
            if let (first, bytes) = blocks.floor(Self.prefix, .max, transaction.storedReader) {
                largest = PackedChunk(first: first, bytes)?.last ?? .max
            } else {
                largest = nil
            }
            isLargestKnown = true
        }
        return largest.map { $0 < key } ?? true
    }

    /// Enters a key that is not there.
    func insert(_ key: Int64, row: Int64, _ transaction: Transaction) {
        if isAboveLargest(key, transaction) {
            tailKeys.append(key)
            tailRows.append(row)
            largest = key
        } else {
            change(key, row)
        }
    }

    /// Enters ascending keys of consecutive rows. Fast when all are above the keys that are there.
    func insert(_ keys: [Int64], firstRow: Int64, _ transaction: Transaction) {
        guard let first = keys.first, let last = keys.last else { return }
        guard isAboveLargest(first, transaction) else {
            for (position, key) in keys.enumerated() { insert(key, row: firstRow + Int64(position), transaction) }
            return
        }
        tailKeys += keys
        tailRows += firstRow..<firstRow + Int64(keys.count)
        largest = last
    }

    /// Removes the key of a row that was deleted, unless another row has taken the key since.
    func remove(_ key: Int64, row: Int64) {
        if let index = tailIndex(of: key) {
            if tailRows[index] == row { tailRows[index] = Self.noRow }
        } else if !changed.isEmpty, let known = changed[key] {
            if known == row { changed[key] = Self.noRow }
        } else {
            removed.append(key)
        }
    }

    private func change(_ key: Int64, _ row: Int64) {
        if let index = tailIndex(of: key) { tailRows[index] = row } else { changed[key] = row }
    }

    /// Writes the pending changes to the tree.
    func flush(_ transaction: Transaction) {
        guard !tailKeys.isEmpty || !changed.isEmpty || !removed.isEmpty else { return }
        var changes = changed.map { ChunkTree.Change(key: $0.key, value: $0.value) }
        changes.reserveCapacity(changes.count + removed.count + tailKeys.count)
        for key in removed where changed.isEmpty || changed[key] == nil {
            changes.append(.init(key: key, value: Self.noRow))
        }
        for (key, row) in zip(tailKeys, tailRows) { changes.append(.init(key: key, value: row)) }
        let areAscending = changes.indices.dropFirst().allSatisfy { changes[$0 - 1].key < changes[$0].key }
        if !areAscending { changes.sort { $0.key < $1.key } }
        let isEmpty = blocks.isEmpty(transaction.writer)
        if !blocks.apply(ChunkBatch(Self.prefix, changes), transaction.writer, isEmpty: isEmpty) {
            transaction.noteDamage(transaction.store.damaged())
        }
    }
}

extension Transaction {
    /// Reads what is stored, without the changes of this write. Its bytes stay where they are until the write is over.
    var storedReader: any StorageReader { isWritable ? writer.base : reader }
}
