import CausewayModel
import CausewayObjectStore

// Changes inside of mixed values, as observers count them: of the property, the element or the key that holds them.

extension RealmInstance {
    /// What the file recorded between two versions. What changed in a collection inside of a mixed value counts as
    /// changed in all that holds it, up to the object.
    ///
    /// - Returns: Nil when the record is no longer kept: then everything may have changed.
    /// - Complexity: O(levels) for each collection that changed.
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

    /// Whether a value is a collection in which something changed, at any level.
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
            // Whoever came by before has gone on from here.
            if known, holder.table.nestedKind != nil { return }
            (table, key) = (holder.table, holder.key)
        }
    }
}
