package import CausewayModel
import CausewayStorage

/// The objects of one class as one transaction sees them. It is the same instance for the life of its transaction.
///
/// 1. Object keys ascend and are never given out twice; key / 1,000 is the leaf and key % 1,000 the slot.
/// 2. A slot is dead, alive or a ghost. A ghost is an object others point to that is not here: its key and primary key
///    are known, nothing else is.
/// 3. The content of a dead slot means nothing and must not be read. A ghost's slot is null in every column but the
///    primary key. When all slots of a leaf are dead, only its number is stored, in `deadLeaves`. Texts are dropped
///    earlier, see `dropTexts`.
/// 4. Leaf pointers are valid until the transaction moves to another version; a leaf that is being written has the
///    address of its writable form, or none.
@usableFromInline
package final class Table {
    /// Not counted: the transaction owns its tables and outlives their use.
    unowned(unsafe) let transaction: Transaction
    package let name: String
    package private(set) var schema: ClassSchema
    /// Whether it was handed out: see ``Transaction/table(_:)``.
    @exclusivity(unchecked) var isHeld = false
    /// One entry a column. The address changes only when the schema gets more columns.
    @usableFromInline package private(set) var leafDirectory: UnsafeMutablePointer<LeafArray>
    private var directoryCapacity: Int
    private let hiddenDirectory: UnsafeMutablePointer<LeafArray>

    // Here and below, exclusivity is not checked where every new row would pay for it: a table is used by one thread, and
    // nothing that changes these calls back into the table.
    @exclusivity(unchecked) private(set) var record: Catalog.ClassRecord
    @exclusivity(unchecked) private(set) var columns: [Column] = [] {
        didSet { allColumns = columns + [absent, ghosts, containers] }
    }
    /// The columns of properties and the hidden ones.
    @exclusivity(unchecked) private(set) var allColumns: [Column] = []
    /// Hidden columns: the slots without an object, those of them with a ghost, and the ids of embedded objects. A
    /// class from which nothing was deleted has no leaf of the first.
    let absent: Column
    let ghosts: Column
    let containers: Column

    /// The next key to give out: all slots below it exist.
    @exclusivity(unchecked) private(set) var nextKey: Int64 = 0
    /// Alive objects.
    @exclusivity(unchecked) package internal(set) var count = 0
    /// Next key and alive objects as the catalog has them.
    private var storedCounters: (nextKey: Int64, count: Int) = (0, 0)
    @exclusivity(unchecked) var changes = TableChanges()
    /// Where new rows are written; see `beginRow`.
    @exclusivity(unchecked) var rowTargets = RowTargets()
    /// Leaves of new rows below this one were packed already.
    @exclusivity(unchecked) var packedEnd = 0
    /// Objects that were deleted, whose links, index entries and primary keys are still there: see `Table+Deleting`.
    @exclusivity(unchecked) var ended: [ObjectKey] = []
    /// Lists changed in this write, also those of deleted objects.
    @exclusivity(unchecked) var writtenLists: [ChangedList: OpenList] = [:]
    /// Links that were appended to lists and are not in them yet: see `Table+Appends`.
    let appends = PendingLinks()
    /// The list used last, and the elements read last.
    @exclusivity(unchecked) var lastList: OpenList?
    @exclusivity(unchecked) var recentElements = RecentElements()
    /// Raised when any list may have other elements, or other addresses of them. The counter's own address stays.
    package let listVersion: UnsafeMutablePointer<UInt>
    /// Leaves of which every slot is dead, for ever: nothing of them is stored.
    @exclusivity(unchecked) private(set) var deadLeaves = LeafRanges()
    /// `listVersion` when this write began.
    @exclusivity(unchecked) private(set) var listVersionBefore: UInt = 1
    /// The rows of primary keys that are integers.
    let integerKeys: IntegerKeys
    /// The backlinks to the objects of this class.
    let backlinks: Postings
    /// What predicates have gathered of each column.
    private var gatheredColumns: [Int: GatheredReference] = [:]
    /// The columns of all classes that link to this one, once asked for.
    private var knownOriginColumns: [OriginColumn]?
    /// The tables that links lead to, by column, as far as they were asked for.
    private var knownTargets: [Target] = []
    /// Whether objects of this class own others, which are deleted with them.
    @exclusivity(unchecked) private(set) var ownsOthers = false
    /// Columns of properties with a delete rule.
    @exclusivity(unchecked) private(set) var cascadingColumns: [Int] = []
    /// Whether the class has mixed properties.
    @exclusivity(unchecked) private(set) var holdsMixed = false
    /// The kind of collection, if this is a hidden class whose rows are collections inside of mixed values.
    package let nestedKind: NestedCollection?
    /// The largest primary key in the tree that is no integer, or a larger one. Valid once `isLargestKnown`.
    let largestPrimaryKey = KeyBuffer()
    @exclusivity(unchecked) var isLargestKnown = false

    init(_ transaction: Transaction, _ record: Catalog.ClassRecord) {
        self.transaction = transaction
        self.record = record
        name = record.schema.name
        schema = record.schema
        nestedKind =
            record.schema.kind == .embedded ? NestedCollection(className: record.schema.name) : nil
        directoryCapacity = record.columns.count + 8
        leafDirectory = .allocate(capacity: directoryCapacity)
        hiddenDirectory = .allocate(capacity: 3)
        listVersion = .allocate(capacity: 1)
        listVersion.initialize(to: 1)
        absent = Column(record.absent, .bits, isNull: false, leaves: hiddenDirectory)
        ghosts = Column(record.ghosts, .bits, isNull: false, leaves: hiddenDirectory + 1)
        containers = Column(record.containers, .fixed16, isNull: true, leaves: hiddenDirectory + 2)
        integerKeys = IntegerKeys(tree: record.primaryKeys)
        backlinks = Postings(tree: record.backlinks)
        addColumns()
        loadCounters()
        writeBegan()
    }

    deinit {
        for column in allColumns { column.releaseLeaves() }
        leafDirectory.deallocate()
        hiddenDirectory.deallocate()
        listVersion.deallocate()
    }

    var primaryKeyColumn: Int? { schema.primaryKeyIndex }

    // MARK: - Columns

    private func addColumns() {
        if record.columns.count > directoryCapacity { growDirectory() }
        let added = (columns.count..<record.columns.count).map { index in
            let column = Column(
                record.columns[index], record.schema.properties[index], leaves: leafDirectory + index)
            column.reserve(leafCount)
            column.firstKey = nextKey
            return column
        }
        if !added.isEmpty || allColumns.isEmpty { columns += added }
        for (column, columnRecord) in zip(columns, record.columns) { column.enterIndexes(columnRecord) }
        knownOriginColumns = nil
        knownTargets = []
        ownsOthers = ownsObjects
        cascadingColumns = record.schema.properties.indices.filter {
            record.schema.properties[$0].deletionRule != .none
        }
        holdsMixed = schema.properties.contains { $0.type == .mixed }
    }

    struct OriginColumn {
        /// Not counted: the transaction owns its tables, and the column is looked up again when it has others.
        unowned(unsafe) let table: Table
        let column: Int
        let id: UInt32
    }

    private struct Target {
        /// Not counted, as above.
        unowned(unsafe) var table: Table?
    }

    /// The table that the links of a column lead to.
    func target(_ column: Int) -> Table {
        if column < knownTargets.count, let table = knownTargets[column].table { return table }
        guard let name = schema.properties[column].target, let table = transaction.knownTable(name) else {
            preconditionFailure("the schema has a link to a class that it does not have")
        }
        while knownTargets.count <= column { knownTargets.append(Target(table: nil)) }
        knownTargets[column].table = table
        return table
    }

    var originColumns: [OriginColumn] {
        if let knownOriginColumns { return knownOriginColumns }
        var result: [OriginColumn] = []
        for origin in transaction.catalog.classes {
            for (index, property) in origin.schema.properties.enumerated()
            where property.target == name || property.type == .mixed && (schema.kind == .object || nestedKind != nil) {
                guard property.type == .object || property.type == .mixed,
                    let table = transaction.knownTable(origin.schema.name)
                else { continue }
                result.append(OriginColumn(table: table, column: index, id: origin.columns[index].id))
            }
        }
        knownOriginColumns = result
        return result
    }

    private var ownsObjects: Bool {
        schema.properties.contains { property in
            property.target.map { transaction.catalog[$0]?.schema.kind == .embedded } ?? false
        }
    }

    private func growDirectory() {
        directoryCapacity = record.columns.count * 2
        let larger = UnsafeMutablePointer<LeafArray>.allocate(capacity: directoryCapacity)
        larger.moveInitialize(from: leafDirectory, count: columns.count)
        leafDirectory.deallocate()
        leafDirectory = larger
        for (index, column) in columns.enumerated() { column.leaves = larger + index }
    }

    private var leafCount: Int { (Int(nextKey) + slotsPerLeaf - 1) / slotsPerLeaf }

    /// The leaves in which there may be an object.
    var leafNumbers: LiveLeaves { LiveLeaves(upTo: leafCount, without: deadLeaves) }

    /// How many slots of a leaf exist.
    func slotCount(_ number: Int) -> Int { min(slotsPerLeaf, Int(nextKey) - number * slotsPerLeaf) }

    // MARK: - With the transaction

    /// Takes over a schema with more columns or indexes, in the middle of a write.
    func extend(_ record: Catalog.ClassRecord) {
        self.record = record
        schema = record.schema
        rowTargets.forget()
        addColumns()
    }

    /// Loads everything again, because the transaction moved to another version.
    func reload(_ record: Catalog.ClassRecord) {
        self.record = record
        schema = record.schema
        rowTargets.forget()
        while columns.count > record.columns.count {
            // The creation of this column was rolled back.
            columns.removeLast().releaseLeaves()
        }
        for column in allColumns { column.forgetLeaves() }
        gatheredColumns.removeAll()
        integerKeys.forget()
        forgetLists()
        addColumns()
        loadCounters()
    }

    private func loadCounters() {
        let bytes = transaction.reader.get(FixedTree.catalog, CatalogKey.counters(table: record.table))
        let isSound = bytes?.count == 16
        nextKey = isSound ? bytes?.loadUnaligned(as: Int64.self) ?? 0 : 0
        count = isSound ? bytes?.loadUnaligned(fromByteOffset: 8, as: Int.self) ?? 0 : 0
        // There are no more leaves than leaf numbers. A record that says otherwise is damaged.
        if bytes != nil, !isSound || nextKey < 0 || nextKey > Int64(UInt32.max) * Int64(slotsPerLeaf) {
            nextKey = 0
            count = 0
            transaction.noteDamage(transaction.store.damaged())
        }
        storedCounters = (nextKey, count)
        loadDeadLeaves()
        for column in allColumns { column.reserve(leafCount) }
    }

    private func loadDeadLeaves() {
        deadLeaves = LeafRanges()
        if let bytes = transaction.reader.get(FixedTree.catalog, CatalogKey.deadLeaves(table: record.table)) {
            do throws(RecordReader.Damage) {
                deadLeaves = try LeafRanges(encoded: bytes, limit: Int(nextKey) / slotsPerLeaf)
            } catch {
                transaction.noteDamage(transaction.store.damaged())
            }
        }
        absent.full = deadLeaves
    }

    func writeBegan() {
        changes = TableChanges(firstNewKey: nextKey)
        packedEnd = leafCount
        listVersionBefore = listVersion.pointee
        isLargestKnown = false
    }

    var hasChanges: Bool { !changes.isEmpty }

    /// What one part of a predicate has gathered of a column, shared with other parts that need the same: a query may
    /// have thousands of them, and each would hold a bit for every object and more. It lives as long as one of them
    /// does. It is not shared while this write has changes of the class.
    func gathered<Gathered: AnyObject>(of column: Int, _ gather: () -> Gathered) -> Gathered {
        guard !hasChanges else { return gather() }
        if let known = gatheredColumns[column], known.version == transaction.version,
            let gathered = known.gathered as? Gathered
        {
            return gathered
        }
        let gathered = gather()
        gatheredColumns[column] = GatheredReference(version: transaction.version, gathered: gathered)
        return gathered
    }

    /// What this write did to the class so far, once its deletions are settled.
    var changeRecord: ClassChanges {
        settleLists()
        return changes.record
    }

    /// Hands everything this write changed to the storage.
    func flush(to writer: any StorageWriter) {
        // Other classes may have linked to this one, or an index was added, while its objects stayed as they were.
        backlinks.settle(in: transaction)
        for column in columns where column.isIndexed {
            column.index?.settle(in: transaction)
            column.words?.settle(in: transaction)
        }
        // A migration may change primary keys, too, while the objects stay as they were.
        integerKeys.flush(transaction)
        guard hasChanges else { return }
        let texts = takeLongTexts()
        for column in allColumns { column.flush(to: writer, transaction.packer) }
        removeEmptyLeaves(writer)
        for text in texts { text.store(to: writer) }
        for (place, list) in writtenLists { list.store(to: writer, listTree(place.column)) }
        // Nobody asks for them until the commit is over, which needs much memory itself.
        (writtenLists, lastList) = ([:], nil)
        // Most commits only change objects.
        guard storedCounters != (nextKey, count) else { return }
        var counters: [UInt8] = []
        withUnsafeBytes(of: nextKey.littleEndian) { counters.append(contentsOf: $0) }
        withUnsafeBytes(of: Int64(count).littleEndian) { counters.append(contentsOf: $0) }
        writer.put(FixedTree.catalog, CatalogKey.counters(table: record.table), counters)
    }

    /// The write is stored now, and leaves have other addresses.
    func committed() {
        storedCounters = (nextKey, count)
        forgetChanges()
    }

    func forgetChanges() {
        rowTargets.forget()
        for column in allColumns { column.forgetWritten() }
        for column in columns where column.isIndexed {
            column.index?.forgetPending()
            column.words?.forgetPending()
        }
        backlinks.forgetPending()
        integerKeys.forget()
        forgetLists()
        ended = []
        writeBegan()
    }

    func transactionEnded() {
        forgetChanges()
    }

    /// Removes the leaves of which every slot is dead, and leaves of `absent` without a set bit.
    private func removeEmptyLeaves(_ writer: any StorageWriter) {
        let before = deadLeaves.count
        defer {
            if deadLeaves.count > before {
                absent.full = deadLeaves
                writer.put(FixedTree.catalog, CatalogKey.deadLeaves(table: record.table), deadLeaves.encoded)
            }
        }
        for number in absent.writtenNumbers {
            guard let words = absent.load(number, from: transaction).map({ SlotBitmap(bits: $0) }) else { continue }
            if words.isEmpty { writer.removeLeaf(column: absent.id, number: UInt32(number)) }
            // Only whole leaves are removed, so that no later row falls on a removed leaf.
            guard words.count == slotsPerLeaf, (number + 1) * slotsPerLeaf <= Int(nextKey),
                ghosts.load(number, from: transaction).map({ SlotBitmap(bits: $0).isEmpty }) ?? true
            else { continue }
            for column in allColumns where column.kind != nil {
                writer.removeLeaf(column: column.id, number: UInt32(number))
                if column.kind == .bytes { LongValues.remove(column.id, leaf: number, from: writer) }
            }
            deadLeaves.insert(number)
        }
    }

    // MARK: - Keys

    /// Gives out consecutive keys and makes room for them; answers the first.
    func takeKeys(_ count: Int) -> Int64 {
        let first = nextKey
        nextKey += Int64(count)
        for column in allColumns { column.reserve(leafCount) }
        return first
    }

    /// Gives out a key and makes room for it.
    func takeKey() -> ObjectKey {
        let key = ObjectKey(nextKey)
        nextKey += 1
        if key.rawValue % Int64(slotsPerLeaf) == 0 {
            for column in allColumns { column.reserve(leafCount) }
        }
        return key
    }
}

extension ObjectKey {
    var leafNumber: Int { Int(rawValue) / 1000 }

    var slot: Int { Int(rawValue) % 1000 }
}
