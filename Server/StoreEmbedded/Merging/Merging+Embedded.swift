import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Embedded objects, and collections inside of mixed values, have rows of their own, and exist only as long as another
// object holds them. If concurrent changes leave one without a holder, it is deleted at the end of the changeset that
// did so. What still arrives for it has no effect, because the delete wins.

extension Merging {
    /// The top-level object that an embedded one is part of, at any depth; nil while nothing holds it.
    func rootName(of row: Row) -> ObjectName? {
        let root = roots.top(of: row) { row in
            guard let (holder, _) = catalog.holder(of: row, { table($0) }) else { return nil }
            return catalog[holder.classNumber].schema.kind == .embedded ? .part(holder) : .top(holder)
        }
        guard let root else {
            hasUnplaced = true
            return nil
        }
        return table(root.classNumber).primaryKey(of: root.key).map { ObjectName(root.classNumber, $0) }
    }

    /// Drops the cached roots when a part gets another place: it had none, or begins another life.
    func forgetRoots() {
        roots = Ascent()
        hasUnplaced = false
    }

    /// Notes that the object which a value held may have no place once the value is gone.
    func doubt(
        _ value: Value, _ plan: ClassPlan, _ column: Int, in object: WorkingObject
    ) throws(StoreFailure) {
        guard let row = catalog.part(value, plan, column, in: transaction), table(row.classNumber).exists(row.key)
        else { return }
        let root = plan.schema.kind == .embedded ? object.root : object.name
        try doubt(row, root: root)
    }

    /// Loads the row and all that is embedded in it, whole, before the tables may drop them with the last link.
    private func doubt(_ row: Row, root: ObjectName?) throws(StoreFailure) {
        // Not by recursion: devices decide how deep they nest.
        var waiting = [row]
        while let row = waiting.popLast() {
            guard let primaryKey = table(row.classNumber).primaryKey(of: row.key) else { continue }
            let object = try object(ObjectName(row.classNumber, primaryKey), partOf: root)
            guard !object.isUncertain else { continue }
            try loadAll(of: object)
            object.root = object.root ?? root
            doubt(object)
            waiting += embedded(directlyIn: row).reversed()
        }
    }

    func doubt(_ object: WorkingObject) {
        guard !object.isUncertain else { return }
        object.isUncertain = true
        uncertain.append(object)
    }

    func doubtEmbedded(in row: Row, root: ObjectName?) throws(StoreFailure) {
        for child in embedded(directlyIn: row) { try doubt(child, root: root) }
    }

    private func embedded(directlyIn row: Row) -> [Row] {
        catalog.parts(of: row, in: transaction) { self.table($0) }
    }

    func buryOrphans() throws(StoreFailure) {
        guard !uncertain.isEmpty else { return }
        var candidates = uncertain
        uncertain = []
        var isSettled = false
        while !isSettled {
            isSettled = true
            var remaining: [WorkingObject] = []
            for object in candidates {
                guard let key = object.key else { continue }
                let table = table(object.name.classNumber)
                if table.exists(key), table.backlinkCount(to: key) > 0 {
                    remaining.append(object)
                    continue
                }
                try bury(object, key)
                isSettled = false
            }
            candidates = remaining
        }
        for object in candidates { object.isUncertain = false }
        // Burying may have brought more into doubt.
        if !uncertain.isEmpty { try buryOrphans() }
    }

    private func bury(_ object: WorkingObject, _ key: ObjectKey) throws(StoreFailure) {
        let table = table(object.name.classNumber)
        if table.exists(key) {
            try doubtEmbedded(in: Row(object.name.classNumber, key), root: object.root)
            table.delete(key, leavingGhost: true)
        }
        try removeRecords(of: object, key)
        object.isUncertain = false
        object.isTouched = true
        // Its maker believes that it has a place.
        if object.image == nil { object.effective = false }
        object.state = ObjectState(life: object.state.isAlive ? object.state.life + 1 : object.state.life)
        endLife(of: object)
    }
}

extension RecordCatalog {
    /// Whether a row of a class may have parts in rows of their own.
    func mayHaveParts(_ plan: ClassPlan, in transaction: Transaction) -> Bool {
        !plan.embeddedColumns.isEmpty || !plan.mixedColumns.isEmpty && transaction.hasNestedCollections
    }

    /// The object that holds an embedded one, and in which column.
    func holder(of row: Row, _ tableOf: (Int) -> Table) -> (row: Row, column: Int)? {
        for (origin, column) in holders(of: row.classNumber) {
            let holders = tableOf(row.classNumber).backlinks(to: row.key, from: tableOf(origin), column)
            if let key = holders.first { return (Row(origin, key), column) }
        }
        return nil
    }

    /// The embedded objects and collections that one row holds, in the order of columns and elements.
    func parts(of row: Row, in transaction: Transaction, _ tableOf: (Int) -> Table) -> [Row] {
        let plan = self[row.classNumber]
        guard mayHaveParts(plan, in: transaction) else { return [] }
        let table = tableOf(row.classNumber)
        var rows: [Row] = []
        for column in plan.schema.properties.indices where plan.mayHoldParts(column) {
            let values =
                plan.schema.properties[column].collection == .none
                ? [table.value(row.key, column)] : table.listValues(row.key, column)
            for value in values {
                guard let child = part(value, plan, column, in: transaction),
                    tableOf(child.classNumber).exists(child.key)
                else { continue }
                rows.append(child)
            }
        }
        return rows
    }
}
