import CausewayEnvironment
import CausewayModel
import CausewayObjectStore
import CausewayOpLog
import CausewayStorage

/// Writes the objects of an import to a synced file, in several transactions of its device. The app and the server write in between.
///
/// An object comes with its links, so that the server judges it whole. Links to objects that come later are set in the end.
final class SyncedDelivery {
    /// A transaction becomes one changeset, which the server takes at once.
    private static let objectsPerTransactionMax = 1_000
    private static let bytesPerTransactionMax = 1 << 20

    private let objects: ImportedObjects
    private let store: ObjectStore
    private let replica: Replica
    private let clock: any WallClock = SystemClock()
    private var written = 0
    /// The places of objects that have links to later ones.
    private var late: Set<Int> = []

    init(_ objects: ImportedObjects, to store: ObjectStore, _ replica: Replica) {
        self.objects = objects
        self.store = store
        self.replica = replica
    }

    func perform(_ progress: (Int) -> Void) throws {
        do {
            let transaction = try store.write()
            defer { transaction.end() }
            try deliver(transaction, progress)
        } catch {
            let reason = (error as? StoreError)?.message ?? "\(error)"
            guard written > 0 else { throw FileFailure("\(reason) Nothing was imported.") }
            throw FileFailure(
                "\(reason) \(written) of \(objects.count) objects were written, and are sent to the server. Import again with "
                    + "--existing replace.")
        }
    }

    private func deliver(_ transaction: Transaction, _ progress: (Int) -> Void) throws {
        var part = Part()
        try objects.forEach { entry, bytes in
            part.entries.append(entry)
            part.bytes += bytes
            guard part.entries.count >= Self.objectsPerTransactionMax || part.bytes >= Self.bytesPerTransactionMax
            else { return }
            try write(part, transaction, progress)
            part = Part()
            try transaction.beginWriting()
        }
        try write(part, transaction, progress)
        try connectLate(transaction)
    }

    private struct Part {
        var entries: [ImportEntry] = []
        var bytes = 0
    }

    private func write(_ part: Part, _ transaction: Transaction, _ progress: (Int) -> Void) throws {
        let filling = self.filling(transaction)
        var keys: [ObjectKey] = []
        for entry in part.entries { keys.append(try make(entry, filling)) }
        for (offset, (entry, key)) in zip(part.entries, keys).enumerated() {
            let before = filling.missingLinkCount
            try filling.fill(entry.members, key, try Self.imported(entry, filling), .links, depth: 0)
            if filling.missingLinkCount > before { late.insert(written + offset) }
        }
        try commit(transaction)
        for _ in part.entries {
            written += 1
            progress(written)
        }
    }

    /// Makes an object with its plain values, or gives them to the one that is here by now.
    private func make(_ entry: ImportEntry, _ filling: ObjectFilling) throws -> ObjectKey {
        let imported = try Self.imported(entry, filling)
        let row = try filling.row(of: entry.members, imported)
        let key: ObjectKey
        if let column = imported.table.schema.primaryKeyIndex {
            let primaryKey = try filling.primaryKey(entry.members, imported, column)
            if let known = imported.table.key(for: primaryKey) {
                key = known
                imported.table.replace(known, by: row)
            } else {
                key = try imported.table.create(primaryKey, row: row)
            }
        } else {
            key = try imported.table.create(nil, row: row)
        }
        try filling.fill(entry.members, key, imported, .plainCollections, depth: 0)
        return key
    }

    /// Sets the links of the objects that were written before those that they lead to. Objects that have gone meanwhile stay away.
    private func connectLate(_ transaction: Transaction) throws {
        guard !late.isEmpty else { return }
        try transaction.beginWriting()
        var filling = self.filling(transaction)
        var (place, waiting) = (0, 0)
        try objects.forEach { entry, _ in
            defer { place += 1 }
            guard late.contains(place) else { return }
            let imported = try Self.imported(entry, filling)
            guard let column = imported.table.schema.primaryKeyIndex,
                let key = imported.table.key(for: try filling.primaryKey(entry.members, imported, column))
            else { return }
            try filling.fill(entry.members, key, imported, .links, depth: 0)
            waiting += 1
            guard waiting >= Self.objectsPerTransactionMax else { return }
            waiting = 0
            try commit(transaction)
            try transaction.beginWriting()
            filling = self.filling(transaction)
        }
        try commit(transaction)
    }

    private func filling(_ transaction: Transaction) -> ObjectFilling {
        ObjectFilling(transaction, .null) { [replica] in try replica.container(in: transaction) }
    }

    /// Each commit is durable: what the server has heard of a device, the device must not forget.
    private func commit(_ transaction: Transaction) throws {
        try replica.record(in: transaction, now: clock.now())
        try transaction.commit()
    }

    private static func imported(_ entry: ImportEntry, _ filling: ObjectFilling) throws -> ImportedClass {
        guard let imported = filling.imported(entry.className) else {
            throw FileFailure("The synced file has lost its class '\(entry.className)' meanwhile.")
        }
        return imported
    }
}
