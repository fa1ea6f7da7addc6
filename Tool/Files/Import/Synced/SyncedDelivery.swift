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
            let transaction = try store.read()
            defer { transaction.end() }
            try inParts(transaction, where: { _ in true }, write) { count in
                for _ in 0..<count {
                    written += 1
                    progress(written)
                }
            }
            guard !late.isEmpty else { return }
            try inParts(transaction, where: late.contains, connectAgain)
        } catch {
            let reason = (error as? StoreError)?.message ?? "\(error)"
            guard written > 0 else { throw FileFailure("\(reason) Nothing was imported.") }
            throw FileFailure(
                "\(reason) \(written) of \(objects.count) objects were written, and are sent to the server. Import again with "
                    + "--existing replace.")
        }
    }

    /// Lends objects, in the order of their places, as many at a time as become one transaction, and commits.
    ///
    /// Each commit is durable: what the server has heard of a device, the device must not forget.
    ///
    /// - Parameters:
    ///   - isWanted: whether an object at a place is lent.
    ///   - committed: told how many objects the transaction had.
    private func inParts(
        _ transaction: Transaction, where isWanted: (Int) -> Bool,
        _ body: ([ImportEntry], ObjectFilling) throws -> Void, committed: (Int) -> Void = { _ in }
    ) throws {
        var (part, partBytes, place): ([ImportEntry], Int, Int) = ([], 0, 0)
        func commitPart() throws {
            try transaction.beginWriting()
            try body(part, ObjectFilling(transaction, .null) { [replica] in try replica.container(in: transaction) })
            try replica.record(in: transaction, now: clock.now())
            try transaction.commit()
            committed(part.count)
            (part, partBytes) = ([], 0)
        }
        try objects.forEach { entry, bytes in
            defer { place += 1 }
            guard isWanted(place) else { return }
            part.append(entry)
            partBytes += bytes
            if part.count >= Self.objectsPerTransactionMax || partBytes >= Self.bytesPerTransactionMax {
                try commitPart()
            }
        }
        if !part.isEmpty { try commitPart() }
    }

    private func write(_ part: [ImportEntry], _ filling: ObjectFilling) throws {
        var keys: [ObjectKey] = []
        for entry in part { keys.append(try make(entry, filling)) }
        for (offset, (entry, key)) in zip(part, keys).enumerated() {
            let before = filling.missingLinkCount
            try filling.fill(entry.members, key, try Self.imported(entry, filling), .links, depth: 0)
            if filling.missingLinkCount > before { late.insert(written + offset) }
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

    /// Sets the links of objects that were written before those that they lead to. Objects that have gone meanwhile stay away.
    private func connectAgain(_ part: [ImportEntry], _ filling: ObjectFilling) throws {
        for entry in part {
            let imported = try Self.imported(entry, filling)
            guard let column = imported.table.schema.primaryKeyIndex,
                let key = imported.table.key(for: try filling.primaryKey(entry.members, imported, column))
            else { continue }
            try filling.fill(entry.members, key, imported, .links, depth: 0)
        }
    }

    private static func imported(_ entry: ImportEntry, _ filling: ObjectFilling) throws -> ImportedClass {
        guard let imported = filling.imported(entry.className) else {
            throw FileFailure("The synced file has lost its class '\(entry.className)' meanwhile.")
        }
        return imported
    }
}
