package import CausewayModel
import CausewayQuery
package import CausewayStorage
import Glibc

/// One thread's view of the store at one version, which can become a write and come back.
///
/// The transaction and its tables stay the same objects through `advance`, `beginWriting`, `commit` and `abort`, so
/// that whoever holds them keeps working. Not `Sendable`: one thread at a time.
///
/// - `reading` —advance→ `reading` (newest version)
/// - `reading` —beginWriting→ `writing` —commit, abort→ `reading`
/// - any —end→ `ended`
package final class Transaction {
    private enum State {
        case reading(any StorageSnapshot)
        case writing(any StorageWriter)
        case ended
    }

    package let store: ObjectStore
    // Read for every change that is written, and replaced only between them; nothing holds an access to it.
    @exclusivity(unchecked) private var state: State
    private(set) var catalog = Catalog()
    private var tablesByName: ExactDictionary<Table> = [:]
    /// Classes of which callers keep tables or places of columns.
    private var heldClasses: Set<ExactString> = []
    private var treeHandles: ExactDictionary<TreeHandle> = [:]
    /// The tables of collections inside of mixed values, once asked for.
    private var knownNestedTables: [Table]?
    private var hasTreeChanges = false
    /// Whether the write in progress notes the edits of lists and texts that were there before: all of them, or none.
    package private(set) var notesEdits = true
    /// Whether deleted objects may still be in links, lists, indexes and primary keys: see `settle`.
    @exclusivity(unchecked) private var hasEnded = false
    /// The tables with links that were appended to lists and are not in them yet.
    @exclusivity(unchecked) private var tablesWithAppends: [Table] = []
    private var isSettling = false
    /// Damage that was met where nothing can be thrown. The next call that can throw throws it.
    private var damage: StoreError?
    /// Keys are built here, one at a time.
    let keyBuffer = KeyBuffer()
    /// The words of the text that was indexed last.
    @exclusivity(unchecked) var words = TextWords()
    let packer = LeafPacker()
    let texts = OpenTexts()
    /// The least cost of a scan that is shared with a second thread, in nanoseconds as its plan estimates; infinite to
    /// share none. The estimate is about four times too high, and asking a helper takes ten microseconds.
    package var leastSharedScanCost = Transaction.processors > 1 ? 1_000_000.0 : .infinity
    /// The bytes that the parts of one predicate may keep in memory together. Above it, they answer one after the
    /// other.
    package var queryScratchMax = LeafBatch.scratchMax
    /// The most links of a table that wait to enter their lists; see `Table+Appends`.
    package var waitingLinksMax = 1 << 20
    /// A transaction on the same snapshot, for a second thread's share of scans; made when first needed.
    private var knownHelper: Transaction?
    private static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    init(_ store: ObjectStore, snapshot: any StorageSnapshot) {
        self.store = store
        state = .reading(snapshot)
        loadCatalog()
    }

    init(_ store: ObjectStore, writer: any StorageWriter) {
        self.store = store
        state = .writing(writer)
        loadCatalog()
    }

    deinit {
        end()
    }

    // MARK: - What it shows

    package var isWritable: Bool {
        if case .writing = state { true } else { false }
    }

    /// The version of its snapshot; during a write, the version that the write follows.
    package var version: UInt64 { reader.version }

    package var schema: Schema { catalog.schema }

    /// All tables, ordered by class name.
    package var tables: [Table] { catalog.classes.compactMap { table($0.schema.name) } }

    /// The table of a class, the same object for the life of the transaction; nil when there is no such class.
    ///
    /// The caller may keep the table and the places of its columns: the transaction moves to no version whose schema
    /// gives them another meaning.
    package func table(_ className: String) -> Table? {
        guard let table = knownTable(className) else { return nil }
        if !table.isHeld {
            table.isHeld = true
            hold(className)
        }
        return table
    }

    /// Counts the columns of a class as handed out, without making its table. For callers that ask for the table later
    /// and rely on what they know of the class now.
    package func hold(_ className: String) {
        heldClasses.insert(ExactString(className))
    }

    /// Whether no class has an object.
    package var isEmpty: Bool { allTables.allSatisfy { $0.count == 0 } }

    var allTables: [Table] { catalog.classes.compactMap { knownTable($0.schema.name) } }

    /// A table that is valid for as long as the transaction stays on this version.
    func knownTable(_ className: String) -> Table? {
        if let table = tablesByName[className] { return table }
        guard let record = catalog[className] else { return nil }
        let table = Table(self, record)
        tablesByName[className] = table
        return table
    }

    /// The tables of collections inside of mixed values: none in a file without mixed properties.
    var nestedTables: [Table] {
        if let knownNestedTables { return knownNestedTables }
        let tables = NestedCollection.allCases.compactMap { knownTable($0.className) }
        knownNestedTables = tables
        return tables
    }

    var reader: any StorageReader {
        switch state {
        case .reading(let snapshot): snapshot
        case .writing(let writer): writer
        case .ended: preconditionFailure("a transaction was used after its end")
        }
    }

    /// The writer. Traps outside of a write, because callers in this package must be writing.
    var writer: any StorageWriter {
        guard case .writing(let writer) = state else {
            preconditionFailure("a transaction was changed outside of a write")
        }
        return writer
    }

    // MARK: - Moving between versions

    /// Moves to the newest version. False when it was there already. Writing transactions stay where they are.
    ///
    /// Throws `schemaChanged`, and stays at its version, when the classes of the file have changed so that what was
    /// handed out here would mean something else.
    @discardableResult
    package func advance() throws(StoreError) -> Bool {
        guard case .reading(let snapshot) = state else { return false }
        try throwDamage()
        guard !snapshot.isNewest || snapshot.isCrowded else { return false }
        let newest = try store.snapshot()
        let catalog = try followedCatalog(in: newest)
        state = .reading(newest)
        reload(catalog)
        knownHelper?.follow(newest, catalog)
        return newest.version != snapshot.version
    }

    /// Moves to a new snapshot of the same version if this one keeps too much in memory. As after ``advance()``, leaves
    /// and places in lists that were handed out must be asked for again.
    ///
    /// Otherwise it costs next to nothing. Call it only where an advance is allowed, too: no caller may be reading the
    /// file.
    package func letGoOfPages() {
        guard case .reading(let snapshot) = state else { return }
        if snapshot.isCrowded, let renewed = snapshot.renewed() {
            state = .reading(renewed)
        } else if !texts.isCrowded {
            return
        }
        reload(catalog)
        knownHelper = nil
    }

    /// A transaction on the same version that keeps nothing in memory yet, with which a long scan goes on. Nil when
    /// this one does not keep too much, or writes.
    func relief() -> Transaction? {
        guard case .reading(let snapshot) = state else { return nil }
        if snapshot.isCrowded, let renewed = snapshot.renewed() { return Transaction(store, snapshot: renewed) }
        return texts.isCrowded ? Transaction(store, snapshot: snapshot) : nil
    }

    /// Begins to write, on the newest version, after waiting for its turn as the only writer. Throws `schemaChanged` as
    /// ``advance()`` does.
    package func beginWriting() throws(StoreError) {
        try beginWriting { true }
    }

    /// - Parameter notingEdits: whether the writer will ask for the edits of lists and texts that were there before
    ///   (`ClassChanges.listEdits`, `textEdits`). It is called when the turn has come. If not, they are noted only where somebody
    ///   wants to be told of places.
    package func beginWriting(
        using reservation: WriteReservation? = nil, notingEdits: () -> Bool
    ) throws(StoreError) {
        guard case .reading(let snapshot) = state else {
            preconditionFailure("a transaction that writes, or has ended, cannot begin to write")
        }
        try throwDamage()
        let writer = try store.writer(using: reservation)
        // The helper's snapshot must not outlive the one that this transaction leaves.
        knownHelper = nil
        try DamageReporting.throwing { () throws(StoreError) -> Void in
            var newer: Catalog?
            do throws(StoreError) {
                // This holds for another snapshot of the same version, too: what the old one handed out ends with it.
                if writer.base !== snapshot { newer = try followedCatalog(in: writer) }
            } catch {
                writer.abort()
                throw error
            }
            state = .writing(writer)
            notesEdits = notingEdits() || store.storage.tellsPlaces
            if let newer { reload(newer) }
            do throws(StoreError) {
                try throwDamage()
            } catch {
                abort()
                throw error
            }
        }
        for table in tablesByName.values { table.writeBegan() }
    }

    /// Commits the changes, and goes back to reading at the version they made.
    ///
    /// When it throws, everything is undone and the transaction reads the version it began on. A write that changed
    /// nothing makes no version.
    @discardableResult
    package func commit(_ durability: Durability = .durable) throws(StoreError) -> UInt64 {
        let writer = writer
        do {
            let written = try DamageReporting.throwing { () throws(StoreError) -> Written? in
                settle()
                guard hasTreeChanges || tablesByName.values.contains(where: \.hasChanges) else { return nil }
                try throwDamage()
                return try write(to: writer, durability)
            }
            guard let written else {
                abort()
                return version
            }
            let committed = written.snapshot
            state = .reading(committed)
            hasTreeChanges = false
            texts.forgetAll()
            for table in tablesByName.values { table.committed() }
            store.committed(committed.version)
            if written.changedBytes >= Self.largeWriteBytes, store.releasesMemory { FreeMemory.release() }
            return committed.version
        } catch {
            undo(to: writer.base)
            // The storage may have made room in a state of the same version. It can be used when nobody reads the old one.
            if error.code == .mapFull || error.code == .outOfSpace { store.committed(version) }
            throw error
        }
    }

    /// After a write of so many bytes the memory that it needed is returned to the system, in a store that is told to.
    private static let largeWriteBytes = 16 << 20

    private struct Written {
        var snapshot: any StorageSnapshot
        /// About how many bytes were changed.
        var changedBytes: Int
    }

    private func write(to writer: any StorageWriter, _ durability: Durability) throws(StoreError) -> Written {
        let version = writer.version + 1
        let record = changes
        var bytes = record.encoded
        if notesEdits, store.storage.tellsPlaces, let places = try ToldPlaces(record, in: self)?.encoded {
            bytes += places
        }
        for table in tablesByName.values { table.flush(to: writer) }
        writer.put(FixedTree.changes, ObjectStore.changesKey(version), bytes)
        forgetOldRecords(writer, version)
        let changedBytes = writer.changedBytes
        let snapshot = try storing { () throws(StorageError) in try writer.commit(durability) }
        return Written(snapshot: snapshot, changedBytes: changedBytes)
    }

    /// Readers that are further behind than the records treat everything as changed, which is always right. Long
    /// records cost more to read than that, so they are removed sooner.
    ///
    /// Done for many versions at once: the oldest record lies in another page than the newest, and a small commit would
    /// have to write that page as well.
    private func forgetOldRecords(_ writer: any StorageWriter, _ version: UInt64) {
        let step = ObjectStore.forgettingInterval
        guard version % step == 0 else { return }
        if version > ObjectStore.recordedVersions {
            writer.removeRange(
                FixedTree.changes, upTo: ObjectStore.changesKey(version - ObjectStore.recordedVersions + 1))
        }
        guard version > ObjectStore.longRecordedVersions else { return }
        let last = version - ObjectStore.longRecordedVersions
        for old in (last - min(step - 1, last))...last {
            let key = ObjectStore.changesKey(old)
            if let record = writer.get(FixedTree.changes, key), record.count > ObjectStore.shortRecordBytes {
                writer.remove(FixedTree.changes, key)
            }
        }
    }

    /// For whoever asks for the edits of the write in progress after all: where they were not noted, lists count as replaced and
    /// texts as set.
    ///
    /// - Complexity: O(n) for the elements of the changed lists; O(1) if edits were noted.
    package func noteReplacements() {
        if notesEdits { return }
        settle()
        for table in tablesByName.values { table.noteReplacedParts() }
        notesEdits = true
    }

    /// Undoes all changes and goes back to reading the version the write began on.
    package func abort() {
        guard case .writing(let writer) = state else { return }
        writer.abort()
        undo(to: writer.base)
    }

    private func undo(to snapshot: any StorageSnapshot) {
        state = .reading(snapshot)
        hasTreeChanges = false
        hasEnded = false
        tablesWithAppends = []
        texts.forgetAll()
        for table in tablesByName.values { table.forgetChanges() }
        // The caller throws why the write was undone, and not the damage that is met from here on.
        DamageReporting.final {
            do throws(StoreError) {
                reload(try store.catalog(in: snapshot))
            } catch {
                noteDamage(error)
                reload(catalog)
            }
        }
    }

    /// Releases the snapshot; a write is undone. The transaction must not be used again.
    package func end() {
        if case .writing(let writer) = state { writer.abort() }
        state = .ended
        knownHelper = nil
        for table in tablesByName.values { table.transactionEnded() }
    }

    /// A transaction on the same snapshot for a second thread. Nil during a write, which nobody else can see.
    func helper() -> Transaction? {
        guard case .reading(let snapshot) = state else { return nil }
        if let knownHelper { return knownHelper }
        let helper = Transaction(store, snapshot: snapshot)
        knownHelper = helper
        return helper
    }

    /// Moves a helper along with the transaction it helps.
    private func follow(_ snapshot: any StorageSnapshot, _ catalog: Catalog) {
        state = .reading(snapshot)
        reload(catalog)
    }

    /// Leaves the helper to the thread that may still use it.
    func dropHelper() {
        knownHelper = nil
    }

    /// Another transaction that reads the same version. During a write: the version the write began on.
    package func frozenCopy() throws(StoreError) -> Transaction {
        switch state {
        case .reading(let snapshot):
            Transaction(store, snapshot: snapshot.isCrowded ? snapshot.renewed() ?? snapshot : snapshot)
        case .writing(let writer): Transaction(store, snapshot: writer.base)
        case .ended: throw StoreError(.closed, "The transaction has ended. Begin another one.", path: store.path)
        }
    }

    // MARK: - The record of this write

    /// What this write touched so far.
    package var changes: ChangeRecord {
        settle()
        var record = ChangeRecord()
        for table in tablesByName.values where table.hasChanges {
            let changes = table.changeRecord
            if !changes.isEmpty { record.classes[table.name] = changes }
        }
        return record
    }

    /// Whether this write deleted objects that it had made: the record does not name them.
    package var hasDroppedObjects: Bool {
        settle()
        return tablesByName.values.contains { $0.changes.hasDropped }
    }

    // MARK: - Objects that ended

    func noteEnd() {
        hasEnded = true
    }

    func noteAppends(to table: Table) {
        tablesWithAppends.append(table)
    }

    /// Enters the links that wait into their lists. Called before an object is deleted, too, so that no waiting link
    /// belongs to it or leads to it.
    @inline(__always)
    func settleAppends() {
        if !tablesWithAppends.isEmpty { enterAppends() }
    }

    private func enterAppends() {
        let tables = tablesWithAppends
        tablesWithAppends = []
        for table in tables { table.enterAppends() }
    }

    /// Removes deleted objects from all that refers to them: links, lists, indexes, primary keys, the record of
    /// changes.
    ///
    /// Deleting only marks them. Every read of any of these settles first, so that many deletions are one pass over
    /// each of them. Enters the links that wait to enter their lists, too. Costs nothing when there are none of both.
    @inline(__always)
    func settle() {
        if hasEnded || !tablesWithAppends.isEmpty { settleEnded() }
    }

    /// The same for callers that read no lists: waiting links may go on waiting.
    @inline(__always)
    func settleDeleted() {
        if hasEnded { settleEnded() }
    }

    /// - Parameter leavingGhosts: whether deleted objects that others link to stay behind as ghosts.
    func settleEnded(leavingGhosts: Bool = false) {
        settleAppends()
        guard !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        var leavesGhosts = leavingGhosts
        while hasEnded {
            hasEnded = false
            let batches = tablesByName.values.compactMap { $0.takeEnded() }
            // Links to them are removed first: which of them become ghosts must be known before their own links go.
            let ghosts = batches.map { $0.table.unlink($0.keys, leavingGhosts: leavesGhosts) }
            // All ghosts are marked before any link goes: a deleted object takes its backlink from a ghost, too, even
            // its own.
            for (batch, ghosts) in zip(batches, ghosts) { batch.table.markGhosts(ghosts) }
            for (batch, ghosts) in zip(batches, ghosts) { batch.table.release(batch.keys, ghosts: ghosts) }
            // The objects that they owned are deleted next, and leave no ghosts.
            leavesGhosts = false
        }
    }

    /// Runs the body while deleted objects are still in the links and lists that hold them.
    func beforeSettling<Result>(_ body: () -> Result) -> Result {
        settleAppends()
        isSettling = true
        defer { isSettling = false }
        return body()
    }

    /// Deletes every object.
    package func deleteAll(leavingGhosts: Bool = false) {
        settle()
        for table in allTables where table.schema.kind != .embedded { table.endAll() }
        settleEnded(leavingGhosts: leavingGhosts)
    }

    // MARK: - Reloading

    /// The catalog of another version. Throws `schemaChanged` unless it continues all classes that were handed out.
    private func followedCatalog(in reader: any StorageReader) throws(StoreError) -> Catalog {
        let newer: Catalog
        do throws(StoreError) {
            newer = try store.catalog(in: reader)
        } catch {
            noteDamage(error)
            throw error
        }
        guard !newer.isSame(as: catalog) else { return newer }
        let breaks = heldClasses.flatMap { catalog[$0.string]?.breaks(in: newer) ?? [] }
        guard breaks.isEmpty else { throw StoreError.schemaChanged(breaks.sorted(), path: store.path) }
        return newer
    }

    /// Moves the tables to the version that the transaction has moved to. Tables that its catalog does not continue are
    /// dropped: they were not handed out, or the write that changed them was undone.
    private func reload(_ newer: Catalog) {
        let isSame = newer.isSame(as: catalog)
        catalog = newer
        texts.forgetAll()
        knownNestedTables = nil
        for handle in treeHandles.values { handle.number = nil }
        for (name, table) in tablesByName {
            if let record = newer[name], isSame || table.record.isContinued(by: record) {
                table.reload(record)
            } else {
                table.transactionEnded()
                tablesByName[name] = nil
            }
        }
    }

    private func loadCatalog() {
        do {
            catalog = try store.catalog(in: reader)
        } catch {
            noteDamage(error)
        }
    }

    func replaceCatalog(_ catalog: Catalog) {
        settle()
        self.catalog = catalog
        knownNestedTables = nil
        hasTreeChanges = true
        for (name, table) in tablesByName {
            if let record = catalog[name] { table.extend(record) }
        }
    }

    /// Drops all tables, whose changes are with the writer. They are made again from the catalog. For migrations, which
    /// hand out no table before they are done.
    func forgetTables() {
        texts.forgetAll()
        for table in tablesByName.values { table.committed() }
        tablesByName = [:]
        heldClasses = []
        knownNestedTables = nil
    }

    func noteDamage(_ error: StoreError) {
        if damage == nil { damage = error }
        store.tell(error)
    }

    /// Hands damage to the transaction in whose place this one has read.
    func handDamage(to other: Transaction) {
        if let damage, other.damage == nil { other.damage = damage }
    }

    /// Whether anything of the file is known to be damaged.
    var hasMetDamage: Bool { damage != nil || reader.damage != nil }

    /// Throws the damage that was met so far, here or by others that read the file.
    ///
    /// Throws nothing where ``ObjectStore/Options/onDamage`` gets damage when it is met.
    package func throwDamage() throws(StoreError) {
        guard hasMetDamage, !store.tellsDamage else { return }
        if let damage { throw damage }
        if let damage = reader.damage { throw StoreError(damage) }
    }

    // MARK: - Trees for others

    /// A small ordered tree by name, made when it is first written.
    package func tree(_ name: String) -> Tree {
        if let handle = treeHandles[name] { return Tree(handle) }
        let handle = TreeHandle(self, name)
        treeHandles[name] = handle
        return Tree(handle)
    }

    func noteTreeChange() {
        hasTreeChanges = true
    }

    /// Lets the body take the next free numbers for trees and columns.
    func takeNumbers(_ body: (inout UInt32) -> Void) {
        let key = CatalogKey.nextNumber
        let stored = reader.get(FixedTree.catalog, key).flatMap { bytes in
            bytes.count == 4 ? UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) : nil
        }
        var next = stored ?? FixedTree.firstFree
        body(&next)
        writer.put(FixedTree.catalog, key, withUnsafeBytes(of: next.littleEndian) { Array($0) })
    }
}

extension StorageReader {
    func get(_ tree: UInt32, _ key: [UInt8]) -> UnsafeRawBufferPointer? {
        key.withUnsafeBytes { get(tree: tree, key: $0) }
    }
}

extension StorageWriter {
    func put(_ tree: UInt32, _ key: [UInt8], _ value: [UInt8]) {
        key.withUnsafeBytes { key in value.withUnsafeBytes { put(tree: tree, key: key, value: $0) } }
    }

    func remove(_ tree: UInt32, _ key: [UInt8]) {
        key.withUnsafeBytes { remove(tree: tree, key: $0) }
    }

    /// Removes the keys from `from` up to, not including, `upTo` (nil: the end).
    ///
    /// - Returns: whether there was any.
    /// - Complexity: O(entries in the range).
    @discardableResult
    func removeRange(_ tree: UInt32, from: [UInt8] = [], upTo: [UInt8]? = nil) -> Bool {
        var keys: [[UInt8]] = []
        scan(tree: tree, from: from, upTo: upTo, reversed: false) { key, _ in
            keys.append(Array(key))
            return true
        }
        for key in keys { remove(tree, key) }
        return !keys.isEmpty
    }
}
