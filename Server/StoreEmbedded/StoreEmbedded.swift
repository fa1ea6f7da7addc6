import CausewayJournal
package import CausewayModel
package import CausewayObjectStore
import CausewayOperations
import CausewayStorage
package import CausewayStore
import Synchronization

/// The record of one database, kept in an object store of its own: `<folder>/database.causeway`.
///
/// Objects lie in the columns of their class, as on a device, so that standing queries and the operator's queries run
/// on one engine. Beside them lie ordered trees (`Layout`) with what only the server knows:
///
/// 1. *stamps*: per object its life, and the stamp of each of its values. Runs of objects that one changeset created
///    share one record, because most objects come that way.
/// 2. *lists*: per list the elements with their ids, removed ones included.
/// 3. *ends*: per deleted object its tombstone, with the life it reached; removed with the history that it was met in.
/// 4. *history*: per version what it touched, by whom, and *images* of what it found. Bounded in number, size and age;
///    the oldest goes first. *edits* say of large collections and texts what each version did to them.
/// 5. *marks*: what collections and texts may forget once the history no longer reaches back to a version; see
///    `MarkTree`.
/// 6. *declared*: per class and property who added it, and when a device last declared it.
/// 7. *clients*: per client its user and its last committed changeset, written in the transaction that applies it [I2].
/// 8. *creators*: per user how many objects its clients have created that exist; see `CreatorTree`.
///
/// Everything that one upload changes commits in one transaction. Commits run one at a time; snapshots never wait.
package final class StoreEmbedded: StoreBackend, OneWayIntake {
    /// The file of the objects, in the folder of a database.
    package static let fileName = "database.causeway"

    package struct Options: Hashable, Sendable {
        /// How many versions a device may be behind and still be told only what changed; how many bytes the history may
        /// take; how old a version may become, by a clock that is believed (`Meta.receive(at:)`). The limit that is met
        /// first counts. A device that is further behind is resynced, which takes more messages and loses nothing.
        package var historyVersionsMax: UInt64
        package var historyBytesMax: UInt64
        package var historyAgeMaxMilliseconds: UInt64
        /// From how many bytes on the history keeps what a version did to a list, set, map or text, so that devices are
        /// told that alone. Smaller ones are told whole: the message of such a change has at most 300 bytes either way.
        package var editedBytesMin: Int
        /// How many bytes of a client's refusals are kept. Beyond that its changesets fail until it says which of them
        /// it has stored. Only a whole changeset goes beyond, because it is taken whole. A refused operation counts at
        /// least `RefusalTree.bytesOfRefusal`.
        package var refusalBytesMax: UInt64
        /// How many bytes of refusals that a device has been told stay, the newest ones, for other copies of its file.
        package var toldRefusalBytesMax: UInt64
        /// How many operations of a changeset may be refused. If more are, nothing of it is applied.
        package var refusalsMax: Int
        /// How many entries of the history one commit reads for one user, however many uploads are in it, to find out
        /// whether they saw an object before it was deleted. Beyond that they count as not having seen it: the
        /// operation is refused, and their device submits it again. The last record that is read may go beyond.
        package var pastEntriesMax: Int
        /// How many elements of collections are read for rules while one changeset is judged, operation by operation.
        /// After that the rest of each object's operations is judged at once.
        package var ruleElementsMax: Int
        /// How many receipts of calls with keys are kept, and for how long. The oldest go first.
        package var receiptsMax: UInt64
        package var receiptAgeMaxMilliseconds: UInt64
        /// What hellos may add to the schema.
        package var schemaBounds: SchemaBounds
        /// After how many days in which nothing was heard of a client less is kept of it; see `ClientKeeping`.
        package var clientDaysMax: UInt64
        /// From how many bytes in use on only what removes is taken; nil when the disk alone is the limit.
        package var storageBytesMax: UInt64?
        /// How many objects of top-level classes the clients of one user may have created that exist; nil is any number.
        package var objectsOfUserMax: Int?
        package var mapSizeBytes: Int?
        package var inMemory: Bool

        package init(
            historyVersionsMax: UInt64 = 1_000_000, historyBytesMax: UInt64 = 1 << 30,
            historyAgeMaxMilliseconds: UInt64 = 30 * 86_400_000, editedBytesMin: Int = 128,
            refusalBytesMax: UInt64 = 256 << 10,
            toldRefusalBytesMax: UInt64 = 256 << 10, refusalsMax: Int = 10_000, pastEntriesMax: Int = 100_000,
            ruleElementsMax: Int = 1 << 20, receiptsMax: UInt64 = 200_000,
            receiptAgeMaxMilliseconds: UInt64 = 86_400_000, schemaBounds: SchemaBounds = SchemaBounds(),
            clientDaysMax: UInt64 = 365, storageBytesMax: UInt64? = nil, objectsOfUserMax: Int? = nil,
            mapSizeBytes: Int? = nil, inMemory: Bool = false
        ) {
            self.historyVersionsMax = historyVersionsMax
            self.historyBytesMax = historyBytesMax
            self.historyAgeMaxMilliseconds = historyAgeMaxMilliseconds
            self.editedBytesMin = editedBytesMin
            self.refusalBytesMax = refusalBytesMax
            self.toldRefusalBytesMax = toldRefusalBytesMax
            self.refusalsMax = refusalsMax
            self.pastEntriesMax = pastEntriesMax
            self.ruleElementsMax = ruleElementsMax
            self.receiptsMax = receiptsMax
            self.receiptAgeMaxMilliseconds = receiptAgeMaxMilliseconds
            self.schemaBounds = schemaBounds
            self.clientDaysMax = clientDaysMax
            self.storageBytesMax = storageBytesMax
            self.objectsOfUserMax = objectsOfUserMax
            self.mapSizeBytes = mapSizeBytes
            self.inMemory = inMemory
        }
    }

    package let epoch: UInt64
    /// Names this opening in the `Lineage`.
    let run: UInt64
    package let store: ObjectStore
    /// Whether it changes by the entries of a journal alone.
    let isReplica: Bool
    private let optionsInForce: Mutex<Options>
    var options: Options { optionsInForce.withLock { $0 } }
    private let pastEntries = Atomic(0)
    private let newest: Atomic<UInt64>
    /// The newest one-way arrival that readers may look for.
    let arrivals: Atomic<UInt64>
    private let catalogs = Mutex<RecordCatalog?>(nil)
    /// When the elements of which schemas were last noted as declared; see `StoreEmbedded+Declaring`.
    let declared = Mutex(DeclaredSchemas())

    let keeping = Mutex(ClientKeeping())
    let snapshots = OpenSnapshots()
    /// Nil when the disk alone is the limit.
    private let room: Mutex<StorageRoom?>

    /// Why nothing may be added; nil when something may.
    package func shortage(at time: UInt64) throws(StoreFailure) -> StorageShortage? {
        try room.withLock { room throws(StoreFailure) in
            try room?.shortage(at: time) { () throws(StoreFailure) in
                do throws(StoreError) {
                    return UInt64(try store.statistics().usedBytes)
                } catch {
                    throw StoreFailure(error)
                }
            }
        }
    }

    /// Entries of the history that commits have read to find out what callers may know, since this was opened.
    package var pastEntriesRead: Int { pastEntries.load(ordering: .relaxed) }

    func note(_ past: PastEntries) {
        pastEntries.add(past.entriesRead, ordering: .relaxed)
    }

    package var version: ServerVersion {
        ServerVersion(newest.load(ordering: .acquiring))
    }

    /// Opens the database in a folder, or creates it.
    ///
    /// - Parameter epochSeed: names this run of the server, and the database when it is created; drawn at random at
    ///   every opening, not zero.
    package static func open(
        folder: String, options: Options = Options(), epochSeed: UInt64
    ) throws(StoreFailure) -> StoreEmbedded {
        try open(folder: folder, options: options, epochSeed: epochSeed, isReplica: false)
    }

    static func open(
        folder: String, options: Options, epochSeed: UInt64, isReplica: Bool
    ) throws(StoreFailure) -> StoreEmbedded {
        var storeOptions = ObjectStore.Options()
        storeOptions.inMemory = options.inMemory
        storeOptions.mapSizeBytes = options.mapSizeBytes
        let store: ObjectStore
        do {
            store = try ObjectStore.open(path: folder + "/" + fileName, options: storeOptions)
        } catch {
            throw StoreFailure(error)
        }
        try prepare(store, epochSeed: epochSeed, isReplica: isReplica)
        do {
            return try StoreEmbedded(store, options, epochSeed: epochSeed, isReplica: isReplica)
        } catch {
            throw StoreFailure(error)
        }
    }

    private init(
        _ store: ObjectStore, _ options: Options, epochSeed: UInt64, isReplica: Bool
    ) throws(StoreError) {
        self.store = store
        self.isReplica = isReplica
        optionsInForce = Mutex(options)
        room = Mutex(options.storageBytesMax.map { StorageRoom(bytesMax: $0) })
        let reading = try store.read()
        let meta = Meta(in: reading)
        arrivals = Atomic(Arrivals.newest(in: reading) ?? 0)
        reading.end()
        epoch = meta.epoch
        run = epochSeed
        newest = Atomic(meta.version.rawValue)
    }

    /// Other bounds of the history, of clients, refusals and the schema count from the next commit on. The rest stays.
    /// Of a replica they come from the journal; what is the machine's is taken.
    package func take(_ options: Options) {
        var options = options
        if isReplica { options.settings = self.options.settings }
        optionsInForce.withLock { known in
            known.historyVersionsMax = options.historyVersionsMax
            known.historyBytesMax = options.historyBytesMax
            known.historyAgeMaxMilliseconds = options.historyAgeMaxMilliseconds
            known.clientDaysMax = options.clientDaysMax
            known.refusalsMax = options.refusalsMax
            known.schemaBounds = options.schemaBounds
            known.storageBytesMax = options.storageBytesMax
            known.objectsOfUserMax = options.objectsOfUserMax
        }
        room.withLock { $0 = options.storageBytesMax.map { StorageRoom(bytesMax: $0) } }
    }

    /// What the journal's last settings are, from the next entry on.
    func settingsApplied(_ settings: RecordSettings) {
        optionsInForce.withLock { $0.settings = settings }
    }

    package func close() {
        store.close()
    }

    // MARK: - Reading

    package func snapshot() throws(StoreFailure) -> any StoreSnapshot { try browsed().snapshot }

    /// Runs `body` on the newest version.
    func read<Value>(_ body: (Transaction) throws(StoreFailure) -> Value) throws(StoreFailure) -> Value {
        let transaction: Transaction
        do {
            transaction = try store.read()
        } catch {
            throw StoreFailure(error)
        }
        defer { transaction.end() }
        return try body(transaction)
    }

    /// The catalog of the schema, made once for as long as the schema stays.
    func catalog(of transaction: Transaction) -> RecordCatalog {
        let schema = transaction.schema
        if let known = catalogs.withLock({ $0 }), known.schema == schema { return known }
        let catalog = RecordCatalog(schema, in: transaction)
        catalogs.withLock { $0 = catalog }
        return catalog
    }

    // MARK: - Writing

    /// For writes that a device repeats at every hello, so that no welcome waits for the disk.
    static let repeatable = Durability.grouped(within: .milliseconds(100))

    /// Runs `body` in the write transaction. Commits when it returns true; rolls back when it returns false or throws.
    ///
    /// - Parameters:
    ///   - durability: weaker where a device repeats the write at its next hello. The next durable commit makes it durable
    ///     too.
    ///   - writing: an entry of the journal commits together with where the replica then stands.
    func write<Outcome>(
        _ durability: Durability = .durable, as writing: Writing = .call,
        _ body: (Transaction, inout Meta) throws(StoreFailure) -> (outcome: Outcome, commits: Bool)
    ) throws(StoreFailure) -> Outcome {
        let transaction: Transaction
        do {
            transaction = try store.write()
        } catch {
            throw StoreFailure(error)
        }
        defer { transaction.end() }
        var meta = Meta(in: transaction)
        let result: (outcome: Outcome, commits: Bool)
        do throws(StoreFailure) {
            try check(writing, in: transaction)
            result = try body(transaction, &meta)
        } catch {
            transaction.abort()
            throw error
        }
        guard result.commits else {
            transaction.abort()
            return result.outcome
        }
        meta.save(in: transaction, isReplica: isReplica)
        if case .entry(_, let mark) = writing { mark.save(in: transaction) }
        do throws(StoreError) {
            _ = try transaction.commit(writing.durability(durability))
        } catch {
            throw StoreFailure(error)
        }
        // The next commit may be here first, and the newest version never goes back.
        newest.max(meta.version.rawValue, ordering: .releasing)
        return result.outcome
    }

    /// An entry follows the last one that was applied, and a replica changes by entries alone.
    private func check(_ writing: Writing, in transaction: Transaction) throws(StoreFailure) {
        switch writing {
        case .call:
            if isReplica { throw Self.isReplica }
        case .entry(_, let mark):
            guard let known = try JournalMark.load(in: transaction) else { throw Self.notReplica }
            guard mark.position == known.position + 1 else {
                throw StoreFailure(
                    .fault,
                    "Entry \(mark.position) of the journal was to be applied to a replica that stands at "
                        + "\(known.position). Restart the server.")
            }
        case .rehearsal: break
        }
    }
}
