import CausewayModel
import CausewayStorage

/// For each prefix an ascending set of object keys: an index (prefix: a value), or the backlinks to the objects of a
/// class (prefix: target and column of the origin), where an origin may count more than once.
///
/// Changes of a write are gathered in memory. They go to the tree when their prefix is read, and at the commit.
final class Postings {
    static let chunkLimit = 512

    let chunks: ChunkTree
    private let pending = PendingChanges()
    /// Changes of backlinks, all made after those in `pending`.
    private let links = PendingLinks()

    init(tree: UInt32) {
        chunks = ChunkTree(tree: tree, limit: Self.chunkLimit, meaning: .count)
    }

    // MARK: - Changing

    func append(_ prefix: UnsafeRawBufferPointer, _ key: ObjectKey, _ kind: PendingChanges.Kind, in table: Table) {
        if pending.isFull { settle(in: table.transaction) }
        pending.append(prefix, key.rawValue, kind)
    }

    /// Notes many new keys under one prefix, ascending.
    func append(_ prefix: UnsafeRawBufferPointer, _ keys: UnsafeBufferPointer<Int64>, in table: Table) {
        if pending.isFull { settle(in: table.transaction) }
        pending.append(prefix, keys)
    }

    /// Notes a change of the backlinks to a target from a column.
    func append(
        linkTo target: ObjectKey, _ column: UInt32, from origin: ObjectKey, _ kind: PendingChanges.Kind,
        in table: Table
    ) {
        if links.isFull { settle(in: table.transaction) }
        links.append(target.rawValue, column, origin.rawValue, kind)
    }

    func forgetPending() {
        pending.removeAll()
        links.removeAll()
    }

    /// Writes the pending changes of one prefix to the tree.
    func settle(_ prefix: [UInt8], in transaction: Transaction) {
        moveLinks(transaction)
        guard !pending.isEmpty, let changes = prefix.withUnsafeBytes({ pending.take($0) }) else { return }
        enter(ChunkBatch(prefix, changes), transaction, isEmpty: false)
    }

    /// Writes all pending changes to the tree.
    func settle(in transaction: Transaction) {
        if !pending.isEmpty { moveLinks(transaction) }
        guard !pending.isEmpty || !links.isEmpty else { return }
        let isEmpty = chunks.isEmpty(transaction.writer)
        enter(
            pending.isEmpty ? links.takeAll(transaction.keyBuffer) : pending.takeAll(), transaction, isEmpty: isEmpty)
    }

    private func moveLinks(_ transaction: Transaction) {
        if !links.isEmpty { links.move(to: pending, transaction.keyBuffer) }
    }

    private func enter(_ batch: ChunkBatch, _ transaction: Transaction, isEmpty: Bool) {
        if !chunks.apply(batch, transaction.writer, isEmpty: isEmpty) {
            transaction.noteDamage(transaction.store.damaged())
        }
    }

    // MARK: - Reading

    /// Visits the chunks of a prefix in order until the body answers false.
    func scan(_ prefix: [UInt8], in transaction: Transaction, _ body: (PackedChunk) -> Bool) {
        settle(prefix, in: transaction)
        if !chunks.scan(prefix, transaction.reader, body) { transaction.noteDamage(transaction.store.damaged()) }
    }

    /// Visits the chunks of all prefixes in a range in order of prefixes, until the body answers false.
    func scan(
        from: [UInt8], upTo: [UInt8]?, in transaction: Transaction, _ body: (PackedChunk) -> Bool
    ) {
        settle(in: transaction)
        var isSound = true
        transaction.reader.scan(tree: chunks.tree, from: from, upTo: upTo, reversed: false) { key, bytes in
            guard let first = ChunkTree.first(key, prefixCount: key.count - ChunkTree.keyByteCount),
                let chunk = PackedChunk(first: first, bytes)
            else {
                isSound = false
                return true
            }
            return body(chunk)
        }
        if !isSound { transaction.noteDamage(transaction.store.damaged()) }
    }
}
