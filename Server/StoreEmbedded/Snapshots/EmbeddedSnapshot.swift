import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayStore

/// One version of the record, on one read transaction.
final class EmbeddedSnapshot: StoreSnapshot {
    let transaction: Transaction
    let catalog: RecordCatalog
    let version: ServerVersion
    let historyStart: ServerVersion
    private let place: OpenSnapshot
    private var tables: [Int: Table] = [:]
    /// Primary keys of link targets, which many objects share.
    var targetKeys: [Int: [ObjectKey: PrimaryKey]] = [:]
    var wholeReader = WholeReader()

    init(_ transaction: Transaction, _ catalog: RecordCatalog, _ place: OpenSnapshot) {
        self.transaction = transaction
        self.place = place
        self.catalog = catalog
        let meta = Meta(in: transaction)
        version = meta.version
        historyStart = meta.historyStart
    }

    deinit {
        transaction.end()
    }

    var schema: Schema { catalog.schema }

    func table(_ classNumber: Int) -> Table {
        if let table = tables[classNumber] { return table }
        let table = catalog.table(classNumber, in: transaction)
        tables[classNumber] = table
        return table
    }

    func acknowledgement(of client: ClientID) throws(StoreFailure) -> (sequence: UInt64, opening: UInt64) {
        guard let known = try ClientState(of: client, in: transaction) else { return (0, 0) }
        return (known.committed, known.openings.id(of: known.committed) ?? 0)
    }

    func refusals(
        of client: ClientID, after acknowledged: UInt64, through last: UInt64, limit: Int
    ) throws(StoreFailure) -> [Refusal] {
        try RefusalTree(in: transaction).refusals(of: client, after: acknowledged, through: last, limit: limit)
    }

    func receipt(_ key: CallKey) throws(StoreFailure) -> CallReceipt? {
        try ReceiptTree(in: transaction).receipt(key)
    }

    func classNumber(_ name: String) -> Int? { catalog.number(name) }

    func className(_ number: Int) -> String { catalog[number].name }

    // MARK: - Which objects

    func keys(_ classNumber: Int, matching predicate: BoundPredicate) throws(StoreFailure) -> [ObjectKey] {
        do {
            return try transaction.keys(catalog[classNumber].name, matching: predicate)
        } catch {
            throw StoreFailure(error)
        }
    }

    func keys(
        _ classNumber: Int, matching predicate: BoundPredicate, in rows: ClosedRange<ObjectKey>
    ) throws(StoreFailure) -> [ObjectKey] {
        do {
            return try transaction.keys(catalog[classNumber].name, matching: predicate, in: rows)
        } catch {
            throw StoreFailure(error)
        }
    }

    func rowsEnd(_ classNumber: Int) -> ObjectKey { table(classNumber).keysEnd }

    func matches(_ row: Row, _ predicate: BoundPredicate) throws(StoreFailure) -> Bool {
        guard table(row.classNumber).exists(row.key) else { return false }
        if case .constant(let answer) = predicate { return answer }
        return transaction.matches(row.key, catalog[row.classNumber].name, predicate)
    }

    func row(_ name: ObjectName) -> Row? {
        table(name.classNumber).key(for: name.key).map { Row(name.classNumber, $0) }
    }

    func name(of row: Row) -> ObjectName? {
        table(row.classNumber).primaryKey(of: row.key).map { ObjectName(row.classNumber, $0) }
    }

    func embedded(in row: Row) throws(StoreFailure) -> [Row] {
        var found: [Row] = []
        var seen: Set<Row> = [row]
        var next = 0
        var current = row
        while true {
            for child in catalog.parts(of: current, in: transaction, { self.table($0) })
            where seen.insert(child).inserted {
                found.append(child)
            }
            guard next < found.count else { return found }
            current = found[next]
            next += 1
        }
    }

    func holder(of row: Row) -> Row? {
        catalog.holder(of: row) { table($0) }?.row
    }

    // MARK: - What happened

    func history(after start: ServerVersion, for client: ClientID, _ pace: Pace) throws(StoreFailure) -> History {
        try HistoryTree(in: transaction).gather(after: start, through: version, for: client, pace)
    }

    func image(_ reference: ImageReference) throws(StoreFailure) -> ObjectState {
        try HistoryTree(in: transaction).image(reference, catalog)
    }

    func imageFields(_ reference: ImageReference) throws(StoreFailure) -> ObjectState {
        try HistoryTree(in: transaction).imageFields(reference, catalog)
    }

    func life(in image: ImageReference) throws(StoreFailure) -> UInt32 {
        try HistoryTree(in: transaction).life(in: image)
    }

    func edits(_ reference: EditsReference, of column: Int) throws(StoreFailure) -> KeptEdits? {
        try HistoryTree(in: transaction).edits(reference, of: column)
    }

    func endedLife(_ name: ObjectName) throws(StoreFailure) -> UInt32? {
        try End.load(name, in: transaction)?.life
    }

    func lineage() throws(StoreFailure) -> Lineage {
        try Lineage.load(in: transaction)
    }

    func record(of version: ServerVersion) throws(StoreFailure) -> VersionRecord? {
        try HistoryTree(in: transaction).recordIfKept(version).map { VersionRecord($0, version) }
    }

    func user(of client: ClientID) throws(StoreFailure) -> String? {
        try ClientState(of: client, in: transaction)?.user
    }

    // MARK: - One-way objects

    func arrivals(after sequence: UInt64, countMax: Int) throws(StoreFailure) -> [OneWayArrival] {
        try Arrivals.list(after: sequence, countMax: countMax, catalog, in: transaction)
    }
}

extension VersionRecord {
    fileprivate init(_ record: HistoryRecord, _ version: ServerVersion) {
        self.init(
            version: version, author: record.client, time: record.time,
            births: record.births.map { Birth(classNumber: $0.classNumber, keys: $0.keys) },
            touches: record.entries.map { entry in
                Touch(
                    name: entry.name, row: entry.row, before: Before(entry.before), columns: entry.columns,
                    root: entry.root
                )
            })
    }
}

extension VersionRecord.Before {
    fileprivate init(_ before: HistoryRecord.Entry.Before) {
        self =
            switch before {
            case .absent: .absent
            case .unchanged: .unchanged
            case .image: .image
            }
    }
}
