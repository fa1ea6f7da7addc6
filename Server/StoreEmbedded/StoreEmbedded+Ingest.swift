import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
package import CausewayStore

// One-way objects: kept in the table of their class under their primary key, in the order of their rows, and never told
// to any device. The same primary key is the same object: a later entry replaces the properties that it names, and all
// collections.

extension StoreEmbedded {
    package func accept(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        try ingest(batch, receivedAt: time)
    }

    package func ingest(_ batch: OneWayBatch, receivedAt time: UInt64) throws(StoreFailure) -> UInt64 {
        if let shortage = try shortage(at: time) { throw shortage.failure }
        return try ingest(batch, receivedAt: time, .call)
    }

    func ingest(_ batch: OneWayBatch, receivedAt time: UInt64, _ writing: Writing) throws(StoreFailure) -> UInt64 {
        let (ingested, order) = try ingest(batch, at: time, writing)
        if let order { noteArrivals(order) }
        return ingested
    }

    /// - Returns: the last entry kept, and the order of arrival where it is kept and has changed.
    private func ingest(
        _ batch: OneWayBatch, at time: UInt64, _ writing: Writing
    ) throws(StoreFailure) -> (ingested: UInt64, order: Arrivals?) {
        try write(as: writing) { transaction, meta throws(StoreFailure) in
            guard var client = try ClientState(of: batch.client, in: transaction) else {
                throw StoreFailure(
                    .sequenceGap, "This client is not known here. Open a session before sending one-way objects.")
            }
            try client.check(batch.user, batch.client)
            guard batch.first > 0, batch.first <= client.ingested + 1 else {
                throw StoreFailure(
                    .sequenceGap,
                    "One-way entry \(batch.first) came, but the last one known of this client is \(client.ingested). "
                        + "Send from \(client.ingested + 1) on.")
            }
            if batch.first <= client.ingested, client.hasOfCopy(batch) {
                throw StoreFailure(
                    .sequenceGap,
                    "Another copy of this client's file has sent one-way entries under numbers from \(batch.first) on. Say "
                        + "hello: one of the two goes on as a client of its own.")
            }
            meta.receive(at: time)
            let before = client.ingested
            let known = before - (batch.first - 1)
            // What another copy of the file has sent behind these is none of the caller's.
            guard UInt64(batch.entries.count) > known else {
                return ((batch.first - 1 + UInt64(batch.entries.count), nil), false)
            }
            let catalog = catalog(of: transaction)
            var check = OperationCheck(
                catalog, of: batch.client, predecessors: client.predecessors, isOneWay: true, in: transaction)
            let writer = OneWayWriter(transaction, catalog, meta, clock: time)
            let merging = Merging(transaction, catalog, client: batch.client, version: meta.version)
            var refusals: [Refusal] = []
            for (index, entry) in batch.entries.dropFirst(Int(known)).enumerated() {
                // One-way objects have no lives that a base could say anything about.
                let unseen = Changeset(
                    client: batch.client, sequence: client.ingested, stamp: .zero, base: .zero, operations: [])
                let access = AccessJudge(
                    batch.permissions, merging, entry, of: unseen, nil, elementsMax: options.ruleElementsMax)
                let verdicts = try judge(entry, &check, access)
                if verdicts.isEmpty, refusals.isEmpty {
                    for operation in entry { try writer.keep(operation, &check) }
                    client.ingested += 1
                } else if index > 0, refusals.isEmpty {
                    // What came before this entry is kept and acknowledged; the next attempt begins with it and is told
                    // why.
                    break
                } else {
                    // Later refusals are told in the same answer.
                    refusals += verdicts.refusals(
                        of: entry, sequence: client.ingested + 1 + UInt64(index),
                        atMost: Self.refusalsToldMax - refusals.count)
                    if refusals.count >= Self.refusalsToldMax { break }
                }
            }
            if let first = refusals.first {
                throw StoreFailure(first.failure.code, first.failure.message, refusals: refusals)
            }
            // If the build names no opening nothing is noted, unless it follows one that does.
            if client.ingested > before, batch.opening != 0 || !client.oneWayOpenings.isEmpty {
                client.oneWayOpenings.note(batch.opening, from: before + 1)
            }
            _ = client.hear(at: meta.received)
            client.save(for: batch.client, in: transaction)
            writer.order?.save()
            return ((client.ingested, writer.order), true)
        }
    }

    /// How many refusals fit an answer. The device takes them out, sends the rest, and is then told of others.
    private static let refusalsToldMax = 1_000

    /// The operations of an entry that can never be kept. The rest can be, once the device has taken these out.
    private func judge(
        _ entry: [Operation], _ check: inout OperationCheck, _ access: AccessJudge?
    ) throws(StoreFailure) -> Verdicts {
        var verdicts = Verdicts()
        var refused: Set<ObjectReference> = []
        check.beginEntry()
        // What an object holds is refused with its create, for the same reason.
        for (index, operation) in entry.enumerated() where !refused.contains(operation.target) {
            do throws(StoreFailure) {
                try check.check(operation)
            } catch {
                verdicts.refuse(index, error)
                if case .create(let target, _, _) = operation { refused.insert(target) }
            }
        }
        try access?.judge(&verdicts)
        if !verdicts.isEmpty { verdicts.spread(over: entry) }
        return verdicts
    }

    // MARK: - The operator's queries

    package func count(of className: String) throws(StoreFailure) -> Int {
        try count(className, matching: "TRUEPREDICATE")
    }

    package func count(_ className: String, matching text: String) throws(StoreFailure) -> Int {
        try read { transaction throws(StoreFailure) in
            guard transaction.schema[className] != nil else {
                throw StoreFailure(.queryInvalid, "The database has no class “\(className)”. Correct the name.")
            }
            let predicate: BoundPredicate
            do {
                predicate = try Predicate.parse(text).bound(to: className, in: transaction.schema)
            } catch {
                throw StoreFailure(.queryInvalid, "The query cannot be answered: \(error)")
            }
            do throws(StoreError) {
                return try transaction.count(className, matching: predicate)
            } catch {
                throw StoreFailure(error)
            }
        }
    }
}

/// Writes one-way objects into their tables.
private final class OneWayWriter {
    private let transaction: Transaction
    private let catalog: RecordCatalog
    private let meta: Meta
    private let clock: UInt64
    /// Nil while the order of arrival is not kept.
    private(set) var order: Arrivals?

    init(_ transaction: Transaction, _ catalog: RecordCatalog, _ meta: Meta, clock: UInt64) {
        self.transaction = transaction
        self.catalog = catalog
        self.meta = meta
        self.clock = clock
        order = Arrivals(in: transaction)
    }

    func keep(_ operation: Operation, _ check: inout OperationCheck) throws(StoreFailure) {
        guard let plan = catalog[operation.target.className] else {
            preconditionFailure("A one-way operation was kept that was not checked.")
        }
        switch operation {
        case .create(let target, _, let fields):
            try create(target, fields, plan, &check)
        case .list(let target, let property, .insert(_, _, _, let value)):
            guard let (table, key, column) = place(target, property, plan) else { return }
            table.listAppend(key, column, stored(value, plan, column))
        case .keyed(let target, let property, .put(let name, let value)):
            guard let (table, key, column) = place(target, property, plan) else { return }
            if case .string(let name) = name, plan.schema.properties[column].collection == .map {
                table.mapPut(key, column, name, stored(value, plan, column))
            } else {
                _ = table.setInsert(key, column, stored(name, plan, column))
            }
        case .text(let target, let property, .insert(_, _, _, let string)):
            guard let (table, key, column) = place(target, property, plan) else { return }
            table.set(key, column, .string(string))
        case .delete, .set, .add, .list, .keyed, .text:
            preconditionFailure("A one-way operation was kept that was not checked.")
        }
    }

    private func create(
        _ target: ObjectReference, _ fields: [FieldValue], _ plan: ClassPlan, _ check: inout OperationCheck
    ) throws(StoreFailure) {
        let table = table(plan.name)
        let shape = try check.shape(of: fields, plan)
        var row = plan.zeroRow
        if let primaryKey = plan.primaryKey { row[primaryKey] = target.key.value ?? .null }
        for (field, column) in zip(fields, shape.columns) where column >= 0 {
            row[column] = stored(field.value, plan, column)
        }
        if let key = table.key(for: target.key) {
            noteArrival(Row(plan.number, key), plan)
            let held = HeldParts(of: Row(plan.number, key), catalog, in: transaction)
            // Replacing a value may delete the object too: see `place`.
            for column in shape.columns where column >= 0 && table.exists(key) {
                table.set(key, column, row[column])
            }
            for (column, property) in plan.schema.properties.enumerated()
            where property.collection != .none && table.exists(key) {
                table.clearCollection(key, column)
            }
            return try held.forgetGone()
        }
        do {
            let key = try table.create(target.key, row: row)
            // The rows of an embedded class hold what changesets made as well, and all of them have stamps.
            noteArrival(Row(plan.number, key), plan)
            if plan.schema.kind == .embedded {
                ObjectStamps(life: 1, bornVersion: meta.version, creation: .zero).save(
                    plan.number, key, in: transaction)
            }
        } catch {
            throw StoreFailure(error)
        }
    }

    private func noteArrival(_ row: Row, _ plan: ClassPlan) {
        if plan.schema.kind == .asymmetric { order?.note(row, clock: clock, receivedAt: meta.received) }
    }

    /// The place of a property of an object that the entry has just created. Nil when the object is gone since: an
    /// entry can make embedded objects hold each other in a cycle, and one that lets go of another is then deleted with
    /// it.
    private func place(
        _ target: ObjectReference, _ property: String, _ plan: ClassPlan
    ) -> (table: Table, key: ObjectKey, column: Int)? {
        guard let column = plan.columns[property] else {
            preconditionFailure("A one-way operation was kept that was not checked.")
        }
        let table = table(plan.name)
        return table.key(for: target.key).map { (table, $0, column) }
    }

    private func stored(_ value: Value, _ plan: ClassPlan, _ column: Int) -> Value {
        guard case .link(let key) = value, let target = plan.targets[column] else { return value }
        return .object(table(catalog[target].name).ghost(key))
    }

    private func table(_ name: String) -> Table {
        guard let table = transaction.table(name) else { preconditionFailure("The class \(name) has no table.") }
        return table
    }
}
