import CausewayModel
import CausewayObjectStore
import Synchronization

/// One class in one Realm instance: its table, its Swift type, and what the inlined reads of its objects need.
///
/// It is public only because `@Persisted` reads through it. It has no public members.
public final class _ClassAccess {
    // Uncounted but safe: the instance owns its class accesses, and every user of one (object, list, results) retains
    // the instance.
    unowned(unsafe) let instance: RealmInstance
    let model: ObjectModel
    /// Nil in a frozen Realm, where each thread has a table of its own.
    private let onlyTable: Table?
    /// The same without a reference; see `withTable`.
    private let uncountedTable: Unmanaged<Table>?
    /// In a frozen Realm, the leaves that any thread has read so far.
    private let foundLeaves: UnsafeMutablePointer<LeafArray>?
    /// The column of each of the model's properties, in the model's order.
    let columns: [Int]
    let header: UnsafeMutablePointer<_AccessHeader>

    /// The table's schema when the class was first used. Columns added later belong to no property of the model.
    let schema: ClassSchema
    private let primaryKeyColumn: Int?
    let primaryKeyPlace: PropertyPlace?
    /// The model's properties, in its order.
    let places: UnsafeMutableBufferPointer<PropertyPlace>
    /// Columns of the file that the class does not declare, among the first `undeclaredBelow`.
    @exclusivity(unchecked) private var undeclared: [Int] = []
    @exclusivity(unchecked) private var undeclaredBelow = 0
    /// The columns of embedded objects, which belong to their parent.
    private let owningColumns: Set<Int>
    /// The target class of each column's links, filled on first use.
    private let targets: PublishedPointers
    /// The first key that each aborted transaction created. Keys from there on may be reused for other objects.
    private var aborted: [(epoch: UInt, firstKey: ObjectKey)] = []
    @exclusivity(unchecked) private var firstCreated: ObjectKey?
    private var isRetired = false

    let isEmbedded: Bool

    init(_ model: ObjectModel, table: Table, in instance: RealmInstance) {
        ShortTexts.prepare()
        isEmbedded = model.kind == .embedded
        self.instance = instance
        self.model = model
        onlyTable = instance.isFrozen ? nil : table
        uncountedTable = onlyTable.map { Unmanaged.passUnretained($0) }
        foundLeaves = instance.isFrozen ? Self.emptyLeaves(like: table) : nil
        let schema = table.schema
        self.schema = schema
        primaryKeyColumn = schema.primaryKeyIndex
        owningColumns = Set(
            schema.properties.indices.filter { column in
                schema.properties[column].target.map { instance.isEmbedded($0) } ?? false
            })
        columns = model.properties.map { property in
            guard let column = schema.index(of: property.storedName) else {
                misuse("Property '\(model.className).\(property.name)' is missing from the file's schema.")
            }
            return column
        }
        // Objects without declared properties have no wrappers that could be bound.
        places = .allocate(capacity: model.isDynamic ? 0 : columns.count)
        for (position, property) in model.properties.enumerated() where !model.isDynamic {
            places.initializeElement(
                at: position,
                to: PropertyPlace(
                    offset: property.offset, column: columns[position], position: position,
                    type: WrapperType(property)))
        }
        primaryKeyPlace = model.isDynamic ? nil : model.primaryKeyIndex.map { [places] in places[$0] }
        targets = PublishedPointers(schema.properties.count)
        header = .allocate(capacity: 1)
        header.initialize(
            to: _AccessHeader(
                thread: instance.confinement.inlineThread, isFrozen: instance.isFrozen, epoch: 1,
                directory: foundLeaves ?? table.leafDirectory, access: Unmanaged.passUnretained(self)))
    }

    deinit {
        if let foundLeaves {
            for column in 0..<schema.properties.count { foundLeaves[column].leaves.deallocate() }
            foundLeaves.deallocate()
        }
        header.deallocate()
        targets.deallocate()
        places.deallocate()
    }

    // MARK: - The table

    /// The table. In a frozen Realm, that of the current thread.
    var table: Table {
        @inline(__always) get { onlyTable ?? instance.frozenTable(of: model) }
    }

    /// Whether the table has an object of this key: not deleted, not one that only others point to.
    @inline(__always)
    func exists(_ key: ObjectKey) -> Bool {
        withTable { $0.exists(key) }
    }

    /// Calls with the table, without a reference to it unless the Realm is frozen.
    @inline(__always)
    func withTable<Result>(_ body: (Table) -> Result) -> Result {
        guard let uncountedTable else { return body(table) }
        return uncountedTable._withUnsafeGuaranteedRef(body)
    }

    private static func emptyLeaves(like table: Table) -> UnsafeMutablePointer<LeafArray> {
        let columns = table.schema.properties.count
        let result = UnsafeMutablePointer<LeafArray>.allocate(capacity: columns)
        for column in 0..<columns {
            let count = table.leafDirectory[column].count
            let leaves = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: max(1, count))
            leaves.initialize(repeating: nil, count: count)
            (result + column).initialize(to: LeafArray(leaves: leaves, count: count))
        }
        return result
    }

    /// Makes a leaf available to inlined reads, if it has a layout that they can read.
    func bringLeaf(_ column: Int, _ number: Int) {
        let leaf = table.leaf(column, number)
        guard let foundLeaves, let leaf, number < foundLeaves[column].count else { return }
        // Long values belong to the transaction of this thread, and other threads must not read them.
        if StringLeaf(leaf).hasLongValues { return }
        let place = UnsafeMutableRawPointer(foundLeaves[column].leaves + number)
        // An atomic pointer has the layout of a pointer.
        place.assumingMemoryBound(to: Atomic<UnsafeRawPointer?>.self).pointee.store(leaf, ordering: .releasing)
    }

    // MARK: - Values

    func value(_ key: ObjectKey, _ column: Int) -> Value {
        letGoOfPages(before: key, column)
        return table.value(key, column)
    }

    /// Lets the transaction drop decrypted pages of an encrypted file if it holds too many. Runs before the first read
    /// of a leaf or of a long value. Callers must tolerate it as they tolerate a refresh. A frozen Realm keeps its
    /// pages, because its threads share them.
    @inline(__always)
    func letGoOfPages(before key: ObjectKey, _ column: Int) {
        if !instance.isFrozen, !table.hasAskedFor(column, of: key) { instance.transaction.letGoOfPages() }
    }

    func write(_ key: ObjectKey, _ column: Int, _ value: Value) {
        if column == primaryKeyColumn {
            guard table.value(key, column) == value else {
                misuse("Primary key can't be changed after an object is inserted.")
            }
            return
        }
        table.set(key, column, value)
        if owningColumns.contains(column) {
            // The assignment has deleted the embedded object that the property held before.
            instance.rowsDeleted()
        } else {
            instance.contentChanged()
        }
    }

    /// The target class of a column's links in the same Realm; nil when the column holds no links.
    func target(_ column: Int) -> _ClassAccess? { uncountedTarget(column)?.takeUnretainedValue() }

    /// The same without a reference: the instance owns the class accesses.
    @inline(__always)
    func uncountedTarget(_ column: Int) -> Unmanaged<_ClassAccess>? {
        if let known = targets[column] { return Unmanaged.fromOpaque(known) }
        return findTarget(column)
    }

    @inline(never)
    private func findTarget(_ column: Int) -> Unmanaged<_ClassAccess>? {
        guard let name = schema.properties[column].target else { return nil }
        let found = model.isDynamic ? instance.dynamicAccess(named: name) : instance.access(named: name)
        targets[column] = UnsafeRawPointer(Unmanaged.passUnretained(found).toOpaque())
        return Unmanaged.passUnretained(found)
    }

    func column(of property: ObjectModel.Property) -> Int {
        guard let index = model.properties.firstIndex(where: { $0.name == property.name }) else {
            misuse("Invalid property name '\(property.name)' for class '\(model.className)'.")
        }
        return columns[index]
    }

    // MARK: - Rows

    /// Whether the row exists, for an accessor that last saw it at an epoch.
    func stillExists(_ key: ObjectKey, seenAt epoch: UInt) -> Bool {
        guard !isRetired else { return false }
        if epoch == header.pointee.epoch { return true }
        if aborted.contains(where: { epoch <= $0.epoch && key >= $0.firstKey }) { return false }
        return exists(key)
    }

    /// The columns that the class does not declare. A new row leaves them at zero or null. Recomputed when another
    /// process has added columns.
    var undeclaredColumns: [Int] {
        if undeclaredBelow != table.columnCount {
            undeclaredBelow = table.columnCount
            undeclared = (0..<undeclaredBelow).filter { !columns.contains($0) }
        }
        return undeclared
    }

    func created(_ key: ObjectKey) {
        if firstCreated == nil { firstCreated = key }
        instance.contentChanged()
    }

    func delete(_ keys: [ObjectKey]) {
        table.deleteCascading(keys, leavingGhosts: instance.leavesGhosts)
        instance.rowsDeleted()
    }

    func delete(_ key: ObjectKey) {
        if table.hasDeleteRules {
            table.deleteCascading([key], leavingGhosts: instance.leavesGhosts)
        } else {
            table.delete(key, leavingGhost: instance.leavesGhosts)
        }
        instance.rowsDeleted()
    }

    /// Called when rows may have been deleted or the table's directory may have moved.
    func snapshotChanged() {
        header.pointee.epoch &+= 1
        header.pointee.directory = table.leafDirectory
    }

    /// Called when the Realm was invalidated. Its objects stay invalid for ever.
    func retire() {
        isRetired = true
        header.pointee.epoch &+= 1
    }

    func transactionEnded() {
        firstCreated = nil
        snapshotChanged()
    }

    /// Called when a transaction was rolled back. Accessors of rows that it created stay invalid for ever.
    func transactionAborted() {
        if let firstCreated { aborted.append((header.pointee.epoch, firstCreated)) }
        transactionEnded()
    }

    // MARK: - Accessor objects

    /// A managed object for a row.
    func object(_ key: ObjectKey) -> ObjectBase {
        let object = model.type.init()
        bind(object, to: key)
        return object
    }

    /// A managed object for a row, typed.
    func object<T: ObjectBase>(_ key: ObjectKey, as type: T.Type) -> T {
        Self.typed(object(key), as: type)
    }

    static func typed<T: ObjectBase>(_ object: ObjectBase, as type: T.Type) -> T {
        if Swift.type(of: object) == type { return unsafeDowncast(object, to: T.self) }
        guard let object = object as? T else {
            misuse(
                "Class '\(type.className())' is used under the name of class '\(Swift.type(of: object).className())'.")
        }
        return object
    }

    /// Makes an object the accessor of a row. It loses its own values.
    func bind(_ object: ObjectBase, to key: ObjectKey) {
        object._instance = instance
        object._header = header
        object._epoch = header.pointee.epoch
        let raw = Int(key.rawValue)
        object._leaf = raw / slotsPerLeaf
        object._slot = raw % slotsPerLeaf
        let base = Unmanaged.passUnretained(object).toOpaque()
        for place in places { place.bind(base, model) }
        bindInverses(base)
    }

    private func bindInverses(_ object: UnsafeMutableRawPointer) {
        for index in model.inversePlaces.indices {
            model.inversePlaces[index].bind(object + model.inversePlaces[index].offset, index)
        }
    }
}
