package import CausewayMerge
import CausewayModel
package import CausewayObjectStore
import CausewayOperations

// MARK: - What the device holds of the server's state

extension Replica {
    /// Prepares the digests of one resync.
    ///
    /// - Parameters:
    ///   - seed: of the digests.
    ///   - acknowledged: the last changeset of this device that the server's state includes.
    package func digests(seed: UInt64, acknowledged: UInt64) -> ReplicaDigests {
        ReplicaDigests(self, seed: seed, acknowledged: acknowledged)
    }
}

/// The digests of what a device holds, for one resync.
///
/// The digests are of the server's state as this device believes it to be, with its changesets up to `acknowledged`
/// joined: what its bases would hold if the resync found no difference. Later pending changesets do not count, and are
/// replayed over whatever the resync brings [I4].
///
/// A digest covers no stamps, and a restored server may have lost the stamps of a base: an operation that is older than them would
/// win there and lose here. So an object with such an operation pending counts as different, and the server sends it whole.
package struct ReplicaDigests {
    package let seed: UInt64
    package let acknowledged: UInt64
    private let replica: Replica
    private var indexes: [String: DigestIndex<PrimaryKey>] = [:]

    init(_ replica: Replica, seed: UInt64, acknowledged: UInt64) {
        self.replica = replica
        self.seed = seed
        self.acknowledged = acknowledged
    }

    /// The report on a range. The first one about a class reads the whole class.
    package mutating func report(
        on ask: DigestAsk, in transaction: Transaction
    ) throws(StoreError) -> DigestReport {
        let className = ask.range.className
        if let index = indexes[className] { return index.report(on: ask) }
        let index = try BaseReader(replica, transaction, acknowledged: acknowledged).index(of: className, seed: seed)
        indexes[className] = index
        return index.report(on: ask)
    }
}

/// Reads the server's state of objects: from their bases, or from their columns if they have none.
private final class BaseReader {
    private let transaction: Transaction
    private let trees: Trees
    private let links: Links
    /// Knows how acknowledged changesets join their bases. Nothing is applied here.
    private let application: ViewApplication
    private var columns: [String: [Int]] = [:]
    /// The stamp of the oldest operation that stays pending.
    private let oldestPending: Stamp
    /// Whether the base of the object whose digest is being made, or of one of its parts, has a later stamp than that, and
    /// operations stay pending about it.
    private var isContested = false

    init(_ replica: Replica, _ transaction: Transaction, acknowledged: UInt64) throws(StoreError) {
        self.transaction = transaction
        trees = Trees(transaction)
        links = Links(transaction)
        application = try replica.beginApplying(acknowledged: acknowledged, in: transaction)
        oldestPending = try trees.entry(application.acknowledged + 1, of: trees.log)?.stamp ?? .zero
    }

    func index(of className: String, seed: UInt64) throws(StoreError) -> DigestIndex<PrimaryKey> {
        guard let table = transaction.table(className), table.schema.kind == .object else { return DigestIndex() }
        var digester = ObjectDigester(seed: seed, schema: transaction.schema)
        var entries: [DigestIndex<PrimaryKey>.Entry] = []
        entries.reserveCapacity(table.count)
        for key in table.allKeys {
            guard let primaryKey = table.primaryKey(of: key) else { continue }
            let object = ObjectReference(className, primaryKey)
            let base = try base(of: object)
            let state = if let base { base.state } else { try row(object, table, key) }
            if let entry = try entry(object, state, &digester) { entries.append(entry) }
        }
        // Objects that the app has deleted, which the server does not know yet.
        for object in trees.objectsWithBase(of: className) where table.key(for: object.key) == nil {
            guard let base = try base(of: object) else { continue }
            if let entry = try entry(object, base.state, &digester) { entries.append(entry) }
        }
        return DigestIndex(entries)
    }

    private func base(of object: ObjectReference) throws(StoreError) -> BaseCopy? {
        let base = try application.baseUntold(of: object)
        if let base, base.lastSequence > application.acknowledged, base.state.latestStamp > oldestPending {
            isContested = true
        }
        return base
    }

    /// Nil for an object that has ended.
    private func entry(
        _ object: ObjectReference, _ state: ObjectState, _ digester: inout ObjectDigester
    ) throws(StoreError) -> DigestIndex<PrimaryKey>.Entry? {
        defer { isContested = false }
        guard state.isAlive else { return nil }
        var digest = try digester.digest(object, state) { (part: ObjectReference) throws(StoreError) -> ObjectState? in
            try self.state(of: part)
        }
        if isContested { digest = digest + Digest(low: 1, high: 0) }
        return DigestIndex.Entry(place: digester.place(of: object.key), object.key, digest)
    }

    private func state(of object: ObjectReference) throws(StoreError) -> ObjectState? {
        if let base = try base(of: object) { return base.state }
        guard let table = transaction.table(object.className), let key = table.key(for: object.key) else { return nil }
        return try row(object, table, key)
    }

    /// The columns in the order of a state, so that the parts need not be sorted for every object.
    private func columnsInOrder(of table: Table) -> [Int] {
        if let known = columns[table.name] { return known }
        let sorted = table.schema.columnsOfState
        columns[table.name] = sorted
        return sorted
    }

    private func row(_ object: ObjectReference, _ table: Table, _ key: ObjectKey) throws(StoreError) -> ObjectState {
        var fields: [ObjectState.Field] = []
        var parts: [ObjectState.Part] = []
        for column in columnsInOrder(of: table) {
            let property = table.schema.properties[column]
            switch property.part {
            case .list:
                guard table.listCount(key, column) > 0 else { continue }
                parts.append(ObjectState.Part(property.name, .list(try trees.list(object, property.name))))
            case .keyed:
                parts.append(ObjectState.Part(property.name, .keyed(table.entries(of: key, column, links))))
            case .text:
                guard case .string(let string) = table.value(key, column), !string.isEmpty else { continue }
                parts.append(
                    ObjectState.Part(
                        property.name, .text(try trees.texts.state(object, property.name, showing: string))))
            case nil:
                let value = links.travelling(table.value(key, column), target: property.target)
                fields.append(ObjectState.Field(property.name, value, stamp: .zero))
            }
        }
        let isEmbedded = table.schema.kind == .embedded
        return ObjectState(life: isEmbedded ? 1 : try trees.life(object) ?? 1, fields: fields, parts: parts)
    }
}
