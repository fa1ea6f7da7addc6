package import CausewayStorage
import Synchronization

/// A file of objects: classes as tables, properties as columns, read in snapshots and changed by one writer at a time.
///
/// There is one for each file and process; opening the same file again answers the same instance while somebody holds
/// it. All calls may come from any thread.
package final class ObjectStore: Sendable {
    package struct Options: Sendable {
        /// Keeps the file in memory for as long as somebody holds the store. The path is then only its name.
        package var inMemory: Bool
        package var readOnly: Bool
        /// The address range reserved for the file, which bounds its size. Costs no memory. Nil lets the storage choose.
        package var mapSizeBytes: Int?
        /// The 64 bytes that encrypt the file; nil for a plain one.
        package var encryptionKey: [UInt8]?
        /// How many commits the oldest transaction may be behind before `commit` fails; nil for no limit.
        package var maximumVersions: Int?
        /// How much of an encrypted file lies decrypted in memory while nobody uses it; nil lets the storage choose.
        package var decryptedBytesMaximum: Int?
        /// Whether the memory that a large write needed is returned to the system at its end. Sensible in an app, which
        /// seldom writes so much. A process that goes on to write as much gets the same memory again, page by page.
        package var releasesMemory = false
        /// Called when a read that cannot throw meets damage, on the reading thread and before the read returns.
        /// Without it, such a read treats damaged data as absent, and the next call that can throw throws the reason.
        package var onDamage: (@Sendable (StoreError) -> Void)?

        package init(
            inMemory: Bool = false, readOnly: Bool = false, mapSizeBytes: Int? = nil, encryptionKey: [UInt8]? = nil,
            maximumVersions: Int? = nil
        ) {
            self.inMemory = inMemory
            self.readOnly = readOnly
            self.mapSizeBytes = mapSizeBytes
            self.encryptionKey = encryptionKey
            self.maximumVersions = maximumVersions
        }
    }

    /// How many versions back `changes` can look at least.
    package static let recordedVersions: UInt64 = 1000
    /// Old records are removed at versions that are a multiple of this, so a record may stay up to that much longer.
    package static let forgettingInterval: UInt64 = 32
    /// How many versions back it can look at least, also if commits changed so many single objects that their records
    /// are longer than `shortRecordBytes`.
    package static let longRecordedVersions: UInt64 = 64
    static let shortRecordBytes = 4096

    package let path: String
    let storage: any Storage
    private let onDamage: (@Sendable (StoreError) -> Void)?
    let releasesMemory: Bool
    private let isClosed = Atomic(false)
    private let observers = Mutex(Observers())
    private let otherProcesses = Mutex<(any StorageObservation)?>(nil)
    /// The catalog decoded last, shared by all transactions on the same schema.
    private let catalogCache = Mutex<(bytes: [UInt8], catalog: Catalog)?>(nil)

    private static let editions = Atomic<UInt64>(0)

    private struct Observers {
        var next: UInt64 = 0
        var bodies: [(number: UInt64, body: @Sendable (UInt64) -> Void)] = []
    }

    init(path: String, storage: any Storage, onDamage: (@Sendable (StoreError) -> Void)?, releasesMemory: Bool) {
        self.path = path
        self.storage = storage
        self.onDamage = onDamage
        self.releasesMemory = releasesMemory
    }

    package static func open(path: String, options: Options = Options()) throws(StoreError) -> ObjectStore {
        try DamageReporting.throwing { () throws(StoreError) -> ObjectStore in
            try openReporting(path, options)
        }
    }

    private static func openReporting(_ path: String, _ options: Options) throws(StoreError) -> ObjectStore {
        var storageOptions = StorageOptions(
            inMemory: options.inMemory, readOnly: options.readOnly, mapSizeBytes: options.mapSizeBytes,
            encryptionKey: options.encryptionKey, maximumVersions: options.maximumVersions)
        if let bytes = options.decryptedBytesMaximum { storageOptions.decryptedBytesMaximum = bytes }
        if let onDamage = options.onDamage { storageOptions.onDamage = { onDamage(StoreError($0)) } }
        let storage = try storing { () throws(StorageError) in
            try StorageRegistry.shared.open(path: path, options: storageOptions)
        }
        let store = OpenStores.shared.store(
            path: path, on: storage, onDamage: options.onDamage, releasesMemory: options.releasesMemory)
        try store.upgrade(readOnly: options.readOnly)
        return store
    }

    /// Refuses further use. Transactions that are open stay readable; the file closes with the last of them.
    package func close() {
        isClosed.store(true, ordering: .releasing)
        observers.withLock { $0.bodies = [] }
        otherProcesses.withLock { $0 = nil }
        OpenStores.shared.forget(self, storage)
    }

    // MARK: - Transactions

    /// Begins to read the newest version.
    package func read() throws(StoreError) -> Transaction {
        let snapshot = try snapshot()
        return try DamageReporting.throwing { () throws(StoreError) -> Transaction in
            let transaction = Transaction(self, snapshot: snapshot)
            try transaction.throwDamage()
            return transaction
        }
    }

    /// Waits for its turn as the only writer, first come first served, and begins to write on the newest version. The
    /// transaction may move between threads.
    package func write() throws(StoreError) -> Transaction {
        try write(on: try writer(using: nil))
    }

    /// Begins to write with a turn from ``reserveWrite(_:)``.
    package func write(using reservation: WriteReservation) throws(StoreError) -> Transaction {
        try write(on: try writer(using: reservation))
    }

    private func write(on writer: any StorageWriter) throws(StoreError) -> Transaction {
        try DamageReporting.throwing { () throws(StoreError) -> Transaction in
            let transaction = Transaction(self, writer: writer)
            do throws(StoreError) {
                try transaction.throwDamage()
            } catch {
                transaction.end()
                throw error
            }
            return transaction
        }
    }

    /// Takes a place in the queue of writers now, and calls back on another thread when its turn has come. The
    /// callback should hand the reservation on and return; dropping it unused lets the next writer go.
    package func reserveWrite(_ granted: @escaping @Sendable (WriteReservation) -> Void) {
        storage.reserveWrite(granted)
    }

    /// Returns when a version would survive a power loss: at once after a durable commit, after the window's one fsync
    /// for a grouped one.
    package func whenDurable(_ version: UInt64) async throws(StoreError) {
        do throws(StorageError) {
            try await storage.whenDurable(version)
        } catch {
            throw StoreError(error)
        }
    }

    func snapshot() throws(StoreError) -> any StorageSnapshot {
        try refuseIfClosed()
        return try storing { () throws(StorageError) in try storage.snapshot() }
    }

    func writer(using reservation: WriteReservation?) throws(StoreError) -> any StorageWriter {
        try refuseIfClosed()
        return try storing { () throws(StorageError) in
            if let reservation { try storage.write(using: reservation) } else { try storage.write() }
        }
    }

    func refuseIfClosed() throws(StoreError) {
        guard isClosed.load(ordering: .acquiring) else { return }
        throw StoreError(.closed, "The file was closed. Open it again before using it.", path: path)
    }

    // MARK: - Versions

    /// The version of the newest commit, by any process; the last one known when the file can no longer be read.
    package var newestVersion: UInt64 { (try? storage.newestVersion()) ?? 0 }

    /// What the commits after one version, up to and including another, touched.
    ///
    /// Nil when some of them are no longer recorded, or not made yet: the caller must then treat everything as changed.
    package func changes(after: UInt64, through: UInt64) throws(StoreError) -> ChangeRecord? {
        try DamageReporting.throwing { () throws(StoreError) -> ChangeRecord? in
            try recordedChanges(after, through)
        }
    }

    private func recordedChanges(_ after: UInt64, _ through: UInt64) throws(StoreError) -> ChangeRecord? {
        let snapshot = try snapshot()
        guard after <= through, through <= snapshot.version else { return nil }
        guard after < through else { return ChangeRecord() }
        var merged = ChangeRecord()
        let isWhole = try forEachChange(in: snapshot, after: after, through: through) {
            reader throws(RecordReader.Damage) in merged.merge(try ChangeRecord(&reader))
        }
        return isWhole ? merged : nil
    }

    /// From now on commits tell where they changed collections and texts, in all processes, until all of them have closed
    /// the file.
    package func tellPlaces() { storage.tellPlaces() }

    /// Visits what each commit after one version did, up to and including another, in order.
    ///
    /// The places are nil if the commit tells none. False when some commits are no longer recorded: what was visited by
    /// then is the beginning.
    package func visitChanges(
        after: UInt64, through: UInt64, _ body: (ChangeRecord, ToldPlaces?) -> Void
    ) throws(StoreError) -> Bool {
        try forEachChange(in: snapshot(), after: after, through: through) { reader throws(RecordReader.Damage) in
            body(try ChangeRecord(&reader), try ToldPlaces(&reader))
        }
    }

    /// Visits what was recorded of each commit in a range, in order. False when some commits are no longer recorded: what
    /// was visited by then is the beginning.
    private func forEachChange(
        in snapshot: any StorageSnapshot, after: UInt64, through: UInt64,
        _ visit: (inout RecordReader) throws(RecordReader.Damage) -> Void
    ) throws(StoreError) -> Bool {
        var expected = after + 1
        var isDamaged = false
        snapshot.scan(
            tree: FixedTree.changes, from: Self.changesKey(after + 1), upTo: Self.changesKey(through + 1),
            reversed: false
        ) { key, value in
            guard key.elementsEqual(Self.changesKey(expected)) else { return false }
            var reader = RecordReader(value)
            do throws(RecordReader.Damage) {
                try visit(&reader)
            } catch {
                isDamaged = true
                return false
            }
            expected += 1
            return true
        }
        if isDamaged { throw damaged() }
        return expected > through
    }

    static func changesKey(_ version: UInt64) -> [UInt8] {
        withUnsafeBytes(of: version.bigEndian) { Array($0) }
    }

    /// Calls back after each commit of this process with its version, on the thread that committed, and soon after
    /// commits of other processes, on a thread of the storage. Stops when the returned object goes away.
    package func observeCommits(_ body: @escaping @Sendable (UInt64) -> Void) -> CommitObservation {
        otherProcesses.withLock { observation in
            guard observation == nil else { return }
            observation = storage.observeOtherProcesses { [weak self] in
                guard let self else { return }
                committed(newestVersion)
            }
        }
        let number = observers.withLock { observers in
            observers.next += 1
            observers.bodies.append((observers.next, body))
            return observers.next
        }
        return CommitObservation(self, number)
    }

    fileprivate func stopObserving(_ number: UInt64) {
        observers.withLock { $0.bodies.removeAll { $0.number == number } }
    }

    func committed(_ version: UInt64) {
        for observer in observers.withLock({ $0.bodies }) { observer.body(version) }
    }

    // MARK: - The file

    /// Writes a copy without unused space to a path where no file is yet, while the file is in use.
    /// - Parameters:
    ///   - key: the 64 bytes that encrypt the copy; nil for a plain one.
    ///   - pace: how it leaves room for other work on the disk; nil for a copy that is made as fast as possible.
    package func copy(to path: String, key: [UInt8]? = nil, pace: CopyPace? = nil) throws(StoreError) {
        try refuseIfClosed()
        try reporting { () throws(StorageError) in try storage.copy(to: path, key: key, pace: pace) }
    }

    /// Makes a copy in memory, which can be opened by its path as long as somebody holds it.
    package func copyInMemory(to path: String) throws(StoreError) -> ObjectStore {
        try refuseIfClosed()
        let copy = try reporting { () throws(StorageError) in try storage.copyInMemory(named: path) }
        return OpenStores.shared.store(path: path, on: copy, onDamage: nil, releasesMemory: releasesMemory)
    }

    /// Gives unused space at the end of the file back to the system, after moving there what can be moved.
    package func compact() throws(StoreError) {
        try refuseIfClosed()
        try reporting { () throws(StorageError) in try storage.compact() }
    }

    package func statistics() throws(StoreError) -> StorageStatistics {
        try refuseIfClosed()
        return try reporting { () throws(StorageError) in try storage.statistics() }
    }

    /// Runs a call of the storage that reads the file and throws the damage it meets.
    private func reporting<Result>(_ body: () throws(StorageError) -> Result) throws(StoreError) -> Result {
        try storing { () throws(StorageError) in try DamageReporting.throwing(body) }
    }

    // MARK: - Damage

    /// Whether ``Options/onDamage`` gets damage that cannot be thrown.
    var tellsDamage: Bool { onDamage != nil && !DamageReporting.isThrowing }

    /// Reports bytes that contradict themselves although their pages are whole.
    func tell(_ damage: StoreError) {
        if let onDamage, !DamageReporting.isThrowing { onDamage(damage) }
    }

    func catalog(in reader: any StorageReader) throws(StoreError) -> Catalog {
        let key = CatalogKey.classes
        guard let bytes = key.withUnsafeBytes({ reader.get(tree: FixedTree.catalog, key: $0) }) else {
            return Catalog()
        }
        let known = catalogCache.withLock { cache -> Catalog? in
            guard let cache, cache.bytes.elementsEqual(bytes) else { return nil }
            return cache.catalog
        }
        if let known { return known }
        if let format = bytes.first, format > Catalog.format {
            throw StoreError(
                .unsupportedVersion,
                "The objects of the file have format \(format), and this library knows \(Catalog.format) at most. "
                    + "Update the library.",
                path: path)
        }
        var catalog: Catalog
        do throws(RecordReader.Damage) {
            catalog = try Catalog(encoded: bytes)
        } catch {
            guard error.isUnknown else { throw damaged() }
            throw StoreError(
                .unsupportedVersion,
                "The file has a type of property, collection or index that this library does not know. Update the "
                    + "library. If it is up to date, the file is damaged: restore it from a copy.",
                path: path)
        }
        catalog.edition = Self.editions.wrappingAdd(1, ordering: .relaxed).newValue
        let copy = Array(bytes)
        catalogCache.withLock { [catalog] in $0 = (copy, catalog) }
        return catalog
    }

    func damaged() -> StoreError {
        StoreError(
            .damaged,
            "The file holds bytes that contradict themselves. Restore it from a copy, or delete it to begin anew "
                + "(a synced file fetches its data again).",
            path: path)
    }
}

/// Keeps an observer of commits going; see ``ObjectStore/observeCommits(_:)``.
package final class CommitObservation: Sendable {
    private let store: ObjectStore
    private let number: UInt64

    fileprivate init(_ store: ObjectStore, _ number: UInt64) {
        self.store = store
        self.number = number
    }

    deinit {
        store.stopObserving(number)
    }
}

/// The stores of this process, one for each storage.
final class OpenStores: Sendable {
    static let shared = OpenStores()

    private struct WeakStore {
        weak var store: ObjectStore?
    }

    private let stores = Mutex<[ObjectIdentifier: WeakStore]>([:])

    func store(
        path: String, on storage: any Storage, onDamage: (@Sendable (StoreError) -> Void)?, releasesMemory: Bool
    ) -> ObjectStore {
        stores.withLock { stores in
            if let store = stores[ObjectIdentifier(storage)]?.store { return store }
            stores = stores.filter { $0.value.store != nil }
            let store = ObjectStore(
                path: path, storage: storage, onDamage: onDamage, releasesMemory: releasesMemory)
            stores[ObjectIdentifier(storage)] = WeakStore(store: store)
            return store
        }
    }

    func forget(_ store: ObjectStore, _ storage: any Storage) {
        stores.withLock { stores in
            if stores[ObjectIdentifier(storage)]?.store === store { stores[ObjectIdentifier(storage)] = nil }
        }
    }
}
