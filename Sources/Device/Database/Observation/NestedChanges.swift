import CausewayModel
import CausewayObjectStore

// Observers report a change inside a mixed value as a change of the property, element or key that holds it.

extension RealmInstance {
    /// The change record between two versions. A change in a collection inside a mixed value also counts for everything
    /// that holds the collection, up to the object.
    ///
    /// - Returns: Nil when the record is no longer kept. Everything may have changed then.
    /// - Complexity: O(levels) for each changed nested collection.
    func observedChanges(_ after: UInt64, _ through: UInt64) -> ChangeRecord? {
        guard var record = changes.between(after, through) else { return nil }
        for kind in NestedCollection.allCases {
            guard let modified = record.classes[kind.className]?.modified.keys,
                let table = transaction.nestedTable(kind)
            else { continue }
            for key in modified { record.credit(table, key) }
        }
        return record
    }

    /// Whether a value is a collection that changed at any level.
    func isNestedModified(_ value: Value, _ record: ChangeRecord?) -> Bool {
        guard let (table, key, _) = transaction.nested(value) else { return false }
        guard let record else { return true }
        return record.classes[table.name]?.modified[key] != nil
    }
}

extension ChangeRecord {
    fileprivate mutating func credit(_ table: Table, _ key: ObjectKey) {
        var (table, key) = (table, key)
        while table.nestedKind != nil, table.exists(key), let holder = table.holder(of: key) {
            let known = classes[holder.table.name]?.modified[holder.key]?.contains(holder.column) == true
            classes[holder.table.name, default: ClassChanges()].modified[holder.key, default: ColumnSet()]
                .insert(holder.column)
            // An earlier call has credited this holder and everything above it.
            if known, holder.table.nestedKind != nil { return }
            (table, key) = (holder.table, holder.key)
        }
    }
}
