import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Recording {
    /// A new object's sets and maps begin empty: everything in them is a put.
    mutating func addNewEntries(_ object: ObjectReference, _ table: Table, _ key: ObjectKey) {
        for (column, property) in table.schema.properties.enumerated() where property.collection.isKeyed {
            let now = table.entries(of: key, column, links)
            changes += operations(from: KeyedState(), to: now, object, property.name)
        }
    }

    /// Adds the difference of each set or map before and after the transaction. Keys have no places that single steps
    /// could move.
    mutating func addKeyedChanges(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        for key in classChanges.modified.keys.sorted() {
            guard let columns = classChanges.modified[key], table.exists(key) else { continue }
            for column in columns.columns where table.schema.properties[column].collection.isKeyed {
                let now = table.entries(of: key, column, links)
                let old = try entriesBefore(of: key, column, table.name)
                let object = try reference(table, key)
                let operations = operations(from: old, to: now, object, table.schema.properties[column].name)
                // A base promises that a logged changeset is about the object: without an operation there is none.
                guard !operations.isEmpty else { continue }
                try keepBase(object, table, key)
                changes += operations
            }
        }
    }

    func operations(
        from old: KeyedState, to now: KeyedState, _ object: ObjectReference, _ property: String
    ) -> [Operation] {
        var operations: [Operation] = []
        for (key, _) in old.visible where now[key] == nil {
            operations.append(.keyed(object, property: property, .remove(key: key)))
        }
        for (key, value) in now.visible where old[key] != value || old.standing(key) != key {
            operations.append(.keyed(object, property: property, .put(key: key, value: value)))
        }
        return operations
    }

    private mutating func entriesBefore(
        of key: ObjectKey, _ column: Int, _ className: String
    ) throws(StoreError) -> KeyedState {
        let before = try lastCommit()
        guard let table = before.table(className), table.exists(key),
            table.schema.properties.indices.contains(column)
        else { return KeyedState() }
        return table.entries(of: key, column, Links(before))
    }
}
