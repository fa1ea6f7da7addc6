import CausewayModel
import CausewayStorage

/// Brings a file of an older catalog format to this one, in one transaction, when it is opened.
///
/// Format 1 had one tree entry for each indexed value, each link and each primary key. It had a bit for each slot that
/// holds an object; now there is one for each slot that holds none. Format 2 recorded declared indexes of mixed values
/// without building them, and had no full-text indexes. Format 3 kept a leaf of bits for every thousand objects that
/// were all deleted. Format 4 kept long values in their leaves, where they stay until the leaf is written again. Format 5 kept
/// a long text in one piece, which it stays until it is edited.
struct FormatUpgrade {
    private let writer: any StorageWriter
    private var packer = LeafPacker()

    init(_ writer: any StorageWriter) {
        self.writer = writer
    }

    mutating func run(_ catalog: Catalog, from format: UInt8) {
        if format == 1 { packTrees(catalog) }
        if format < 4 { for record in catalog.classes { forgetDeadLeaves(record) } }
        let catalog = format < 3 ? catalog.withoutUnbuiltIndexes : catalog
        writer.put(FixedTree.catalog, CatalogKey.classes, catalog.encoded)
    }

    private mutating func packTrees(_ catalog: Catalog) {
        for record in catalog.classes {
            invertAlive(record)
            packPrimaryKeys(record)
            // The entries of each prefix ascend by object key, as the new ones do.
            pack(record.backlinks, prefixCount: { _ in 12 })
            for column in record.columns where column.index != 0 { pack(column.index, prefixCount: { $0 - 8 }) }
        }
    }

    private mutating func invertAlive(_ record: Catalog.ClassRecord) {
        guard let counters = writer.get(FixedTree.catalog, CatalogKey.counters(table: record.table)),
            counters.count == 16
        else { return }
        let nextKey = Int(counters.loadUnaligned(as: Int64.self))
        guard nextKey > 0, nextKey <= Int(UInt32.max) * slotsPerLeaf else { return }
        for number in 0..<(nextKey + slotsPerLeaf - 1) / slotsPerLeaf {
            var absent = SlotBitmap(first: min(slotsPerLeaf, nextKey - number * slotsPerLeaf))
            if let bytes = writer.leaf(column: record.absent, number: UInt32(number)), LeafCheck.isSound(bytes, .bits),
                let leaf = bytes.baseAddress
            {
                absent = absent.subtracting(SlotBitmap(bits: leaf))
            }
            writer.removeLeaf(column: record.absent, number: UInt32(number))
            guard !absent.isEmpty else { continue }
            let leaf = WritableLeaf(.bits)
            for slot in 0..<slotsPerLeaf { leaf.setBit(slot, absent.contains(slot)) }
            packer.pack(leaf) { writer.replaceLeaf(column: record.absent, number: UInt32(number), $0) }
        }
    }

    private func forgetDeadLeaves(_ record: Catalog.ClassRecord) {
        guard let counters = writer.get(FixedTree.catalog, CatalogKey.counters(table: record.table)),
            counters.count == 16
        else { return }
        let nextKey = counters.loadUnaligned(as: Int64.self)
        guard nextKey > 0, nextKey <= Int64(UInt32.max) * Int64(slotsPerLeaf) else { return }
        var dead = LeafRanges()
        for number in 0..<Int(nextKey) / slotsPerLeaf {
            guard bits(record.absent, number)?.count == slotsPerLeaf, bits(record.ghosts, number)?.isEmpty ?? true
            else {
                continue
            }
            dead.insert(number)
            for column in [record.absent, record.ghosts, record.containers] {
                writer.removeLeaf(column: column, number: UInt32(number))
            }
        }
        if !dead.isEmpty {
            writer.put(FixedTree.catalog, CatalogKey.deadLeaves(table: record.table), dead.encoded)
        }
    }

    private func bits(_ column: UInt32, _ number: Int) -> SlotBitmap? {
        guard let bytes = writer.leaf(column: column, number: UInt32(number)), LeafCheck.isSound(bytes, .bits),
            let leaf = bytes.baseAddress
        else { return nil }
        return SlotBitmap(bits: leaf)
    }

    private mutating func packPrimaryKeys(_ record: Catalog.ClassRecord) {
        let blocks = ChunkTree(tree: record.primaryKeys, limit: IntegerKeys.blockLimit, meaning: .row)
        var changes: [ChunkTree.Change] = []
        var keys: [[UInt8]] = []
        writer.scan(
            tree: blocks.tree, from: IntegerKeys.prefix, upTo: Table.successor(IntegerKeys.prefix), reversed: false
        ) { key, bytes in
            if let primaryKey = ChunkTree.first(key, prefixCount: IntegerKeys.prefix.count), bytes.count == 8 {
                changes.append(.init(key: primaryKey, value: bytes.loadUnaligned(as: Int64.self)))
            }
            keys.append(Array(key))
            return true
        }
        for key in keys { writer.remove(blocks.tree, key) }
        blocks.fill(ChunkBatch(IntegerKeys.prefix, changes), writer)
    }

    /// Packs entries whose keys end in an object key, and whose values are a count or nothing.
    private mutating func pack(_ tree: UInt32, prefixCount: (Int) -> Int) {
        var batch = ChunkBatch()
        var (prefix, hasChanges) = ([UInt8](), false)
        var keys: [[UInt8]] = []
        writer.scan(tree: tree, from: [], upTo: nil, reversed: false) { key, bytes in
            keys.append(Array(key))
            let count = prefixCount(key.count)
            guard count >= 0, key.count == count + 8 else { return true }
            let row = Int64(bitPattern: key.readUInt64(at: count))
            let change = ChunkTree.Change(key: row, value: bytes.count == 4 ? Int64(bytes.readUInt32()) : 1)
            if !prefix.elementsEqual(key[..<count]) {
                if hasChanges { prefix.withUnsafeBytes { batch.end($0, isAscending: true) } }
                prefix = Array(key[..<count])
            }
            hasChanges = true
            batch.append(change)
            return true
        }
        if hasChanges { prefix.withUnsafeBytes { batch.end($0, isAscending: true) } }
        for key in keys { writer.remove(tree, key) }
        let chunks = ChunkTree(tree: tree, limit: Postings.chunkLimit, meaning: .count)
        chunks.fill(batch, writer)
    }
}

extension ObjectStore {
    /// Upgrades a file of an older catalog format. Files without a catalog, and newer ones, stay as they are. So does
    /// an older file that is opened read-only, if its format can be read.
    func upgrade(readOnly: Bool) throws(StoreError) {
        guard let format = olderFormat(in: try snapshot()) else { return }
        guard !readOnly else {
            if Catalog.readableFormats.contains(format) { return }
            throw StoreError(
                .unsupportedVersion,
                "The objects of the file have format \(format), which cannot be read without being upgraded to format "
                    + "\(Catalog.format). Open the file once for writing.",
                path: path)
        }
        let writer = try writer(using: nil)
        do throws(StoreError) {
            // Another process may have been faster.
            guard let format = olderFormat(in: writer) else { return writer.abort() }
            var upgrade = FormatUpgrade(writer)
            upgrade.run(try catalog(in: writer), from: format)
            if let damage = writer.damage { throw StoreError(damage) }
        } catch {
            writer.abort()
            throw error
        }
        _ = try storing { () throws(StorageError) in try writer.commit(.durable) }
    }

    private func olderFormat(in reader: any StorageReader) -> UInt8? {
        reader.get(FixedTree.catalog, CatalogKey.classes)?.first.flatMap {
            (1..<Catalog.format).contains($0) ? $0 : nil
        }
    }
}

extension Catalog {
    /// The catalog without indexes that were declared and never built. Declaring one again builds it.
    fileprivate var withoutUnbuiltIndexes: Catalog {
        var records = classes
        for position in records.indices {
            for (place, column) in records[position].columns.enumerated()
            where column.index == 0 && records[position].schema.properties[place].type == .mixed {
                records[position].schema.properties[place].isIndexed = false
            }
        }
        return Catalog(classes: records)
    }
}
