import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Recording {
    // MARK: - Objects that came

    mutating func addInserted(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        guard !classChanges.inserted.isEmpty else { return }
        var fresh: [ObjectKey] = []
        fresh.reserveCapacity(classChanges.inserted.count)
        let returned = Set(classChanges.deleted.map(\.key))
        let leaving = oneWayParts[table.name] ?? []
        let apart = addRuns(table, classChanges)
        if apart.count < classChanges.inserted.count {
            let apart = Set(apart)
            fresh = classChanges.inserted.filter { !apart.contains($0) }
        }
        for key in apart {
            let object = try reference(table, key)
            if leaving.contains(key) {
                addOneWay(object, table, key)
                continue
            }
            // A key that has ended before, here or on the server, begins its next life. The end is its base, to which
            // the device returns if the create is refused.
            let past = remembersObjects ? try trees.pastLife(object) : 0
            let isKnown = returned.contains(key) || past > 0 || (remembersObjects && trees.hasBase(object))
            if isKnown { try keepBase(object, table, key) } else { fresh.append(key) }
            creates.append(.create(object, life: past + 1, fields: fields(of: key, table, classChanges.additions)))
            if remembersObjects { trees.save(life: past + 1, object) }
            try addNewLists(object, table, key)
            addNewTexts(object, table, key)
            addNewEntries(object, table, key)
        }
        if apart.count < classChanges.inserted.count { fresh.sort() }
        if !fresh.isEmpty { touched.fresh.append(TouchedBy.Rows(className: table.name, keys: fresh)) }
    }

    /// Adds, as columns, the new objects of which nothing is known and which differ only in their values. Returns the
    /// others, ascending.
    private mutating func addRuns(_ table: Table, _ classChanges: ClassChanges) -> [ObjectKey] {
        let all = classChanges.inserted
        let properties = table.schema.properties
        guard mayCreateInColumns, table.schema.kind == .object, classChanges.additions.isEmpty,
            !properties.contains(where: { $0.type == .mixed && $0.collection == .none })
        else { return all }
        var apart: [ObjectKey] = []
        var alike = all
        let parts = partColumns(table)
        if !parts.isEmpty {
            apart = all.filter { key in parts.contains { holdsParts(key, $0, table) } }
            if !apart.isEmpty {
                let known = Set(apart)
                alike = all.filter { !known.contains($0) }
            }
        }
        var runs: [CreationRun] = []
        for start in stride(from: 0, to: alike.count, by: CreationRun.mostCount) {
            guard let run = run(table, alike[start..<min(start + CreationRun.mostCount, alike.count)]) else {
                return all
            }
            runs.append(run)
        }
        creations += runs
        return apart
    }

    /// The columns of collections, texts and embedded objects, which take operations of their own.
    private func partColumns(_ table: Table) -> [Int] {
        table.schema.properties.indices.filter { column in
            let property = table.schema.properties[column]
            if !property.isField { return true }
            return property.target.flatMap { transaction.table($0) }?.schema.kind == .embedded
        }
    }

    private func holdsParts(_ key: ObjectKey, _ column: Int, _ table: Table) -> Bool {
        let property = table.schema.properties[column]
        if property.collection != .none { return table.listCount(key, column) > 0 }
        let value = table.value(key, column)
        return property.isText ? value != .string("") : !value.isNull
    }

    /// Nil when a value cannot be read in columns.
    func run(_ table: Table, _ keys: ArraySlice<ObjectKey>) -> CreationRun? {
        let rows = table.rows(keys)
        guard let primaryKey = table.schema.primaryKeyIndex, let names = rows.primaryKeys(primaryKey) else {
            return nil
        }
        var fields: [CreationRun.Field] = []
        for (column, property) in table.schema.properties.enumerated() {
            guard property.isField, !property.isPrimaryKey else { continue }
            guard let values = rows.column(column) else { return nil }
            // A counter's first value is no set: a second creation of the object must not end what was added.
            fields.append(CreationRun.Field(property.name, values, isDefault: property.isCounter))
        }
        return CreationRun(className: table.name, life: 1, keys: names, fields: fields)
    }

    /// - Parameter additions: what the transaction added to counters, to be logged as additions: if two devices create
    ///   the object, the additions of both count. Empty for a one-way entry, which has no other writer.
    mutating func fields(
        of key: ObjectKey, _ table: Table, _ additions: [ChangedList: CounterAddition] = [:]
    ) -> [FieldValue] {
        var fields: [FieldValue] = []
        fields.reserveCapacity(table.schema.properties.count)
        for (column, property) in table.schema.properties.enumerated() {
            guard property.isField, !property.isPrimaryKey else { continue }
            var value = links.travelling(table.value(key, column), target: property.target)
            // If an assignment followed an addition, the object begins with what is there now.
            if property.isCounter, let addition = additions[ChangedList(key: key, column: column)],
                addition.amount != 0, value == .int(addition.first &+ addition.amount),
                let object = table.primaryKey(of: key).map({ ObjectReference(table.name, $0) })
            {
                value = .int(addition.first)
                changes.append(.add(object, property: property.name, Addition(addition.amount)))
            }
            // A counter's first value is no set: a second creation of the object must not end what was added.
            fields.append(FieldValue(property.name, value, isDefault: property.isCounter))
        }
        return fields
    }

    /// A new object's lists begin empty: everything in them is an insert.
    private mutating func addNewLists(
        _ object: ObjectReference, _ table: Table, _ key: ObjectKey
    ) throws(StoreError) {
        for (column, property) in table.schema.properties.enumerated() where property.collection == .list {
            let values = table.listValues(key, column)
            guard !values.isEmpty else { continue }
            let (list, insertions) = newList(values.map { links.travelling($0, target: property.target) })
            changes += insertions.map { .list(object, property: property.name, $0) }
            trees.save(list, object, property.name)
        }
    }

    mutating func newList(_ values: [Value]) -> (list: ListState, insertions: [ListOperation]) {
        var list = ListState()
        let insertions = values.enumerated().map { index, value in
            let insertion = list.insertion(of: value, at: index, id: state.nextElement())
            _ = list.join(insertion, stamp: stamp)
            return insertion
        }
        return (list, insertions)
    }

    // MARK: - Objects that went

    mutating func addDeleted(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        // An embedded object ends with what held it, without an operation of its own.
        for deletion in classChanges.deleted {
            guard let primaryKey = deletion.primaryKey else { continue }
            let object = ObjectReference(table.name, primaryKey)
            trees.removeLists(object, table.schema)
            guard table.schema.kind == .object else { continue }
            try makeBaseWhole(object)
            let life = (try trees.life(object) ?? 1) + 1
            deletes.append(.delete(object, life: life))
            try keepBase(object, table, deletion.key, isEnding: true)
            trees.save(life: life, object)
            // The same key may come back in this very transaction.
            remembersObjects = true
        }
    }
}
