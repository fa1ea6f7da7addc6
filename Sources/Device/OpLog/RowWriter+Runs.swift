import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

// Many objects that come into view at once and are all new: they go into their leaves column by column.

extension RowWriter {
    /// Makes the rows of a run. False, with nothing done, if one of its objects is here already, or if the class has
    /// properties for which every object must be looked at.
    func insert(_ run: ObjectRun) throws(StoreError) -> Bool {
        // A class that the device's schema does not know is left alone.
        guard let table = transaction.table(run.className) else { return true }
        guard run.life == 1, table.schema.kind == .object, !needsSingleObjects(run, table.schema),
            let keys = NewKeys(run.keys, table.schema), let rows = try? table.beginRows(keys)
        else { return false }
        table.fill(rows, keys, with: columns(of: run, table))
        // Lists and lives of earlier objects with these keys.
        let rememberedLists = trees.hasLists(of: table.schema)
        if rememberedLists || remembersObjects {
            for key in run.keys.keys {
                let object = ObjectReference(run.className, key)
                if rememberedLists { trees.removeLists(object, table.schema) }
                if remembersObjects { trees.save(life: run.life, object) }
            }
        }
        return true
    }

    /// Mixed values may link anywhere, and embedded objects belong to rows that others hold.
    private func needsSingleObjects(_ run: ObjectRun, _ schema: ClassSchema) -> Bool {
        schema.properties.contains { property in
            guard property.collection == .none else { return false }
            if property.type == .mixed { return true }
            guard let target = property.target, isEmbedded(target) else { return false }
            return run.fields.contains { $0.property == property.name && $0.values.present != .nulls }
        }
    }

    /// For every property its column in the run; nil if there is none.
    private func columns(of run: ObjectRun, _ table: Table) -> [SparseColumn?] {
        let said = Dictionary(run.fields.map { ($0.property, $0.values) }, uniquingKeysWith: { first, _ in first })
        return table.schema.properties.map { $0.isField && !$0.isPrimaryKey ? said[$0.name] : nil }
    }
}
