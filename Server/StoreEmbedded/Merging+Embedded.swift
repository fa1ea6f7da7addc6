import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Embedded objects live in rows of their own, and only as long as another object holds them. An object that concurrent
// changes left without a holder is deleted at the end of the changeset that did so; what still arrives for it has no
// effect, because deletion beats it.

extension Merging {
    /// The top-level object that an embedded one is part of, at any depth; nil while nothing holds it.
    func rootName(of row: Row) -> ObjectName? {
        var row = row
        // Bounded: uploads from outside can make objects hold each other in a circle.
        for _ in 0..<Self.depthMax {
            guard let holder = holder(of: row) else { return nil }
            if catalog[holder.classNumber].schema.kind != .embedded {
                return table(holder.classNumber).primaryKey(of: holder.key).map { ObjectName(holder.classNumber, $0) }
            }
            row = holder
        }
        return nil
    }

    private static let depthMax = 100

    private func holder(of row: Row) -> Row? {
        for (origin, column) in catalog.holders(of: row.classNumber) {
            let holders = table(row.classNumber).backlinks(to: row.key, from: table(origin), column)
            if let key = holders.first { return Row(origin, key) }
        }
        return nil
    }

    /// The object that a value held may be without a place once the value is gone.
    func doubt(
        _ value: Value, _ plan: ClassPlan, _ column: Int, in object: WorkingObject
    ) throws(StoreFailure) {
        guard case .object(let key) = value, let target = plan.targets[column], table(target).exists(key) else {
            return
        }
        let root = plan.schema.kind == .embedded ? object.root : object.name
        try doubt(Row(target, key), root: root)
    }

    /// Remembers the row and all that is embedded in it, whole: the tables may drop them with the last link.
    private func doubt(_ row: Row, root: ObjectName?) throws(StoreFailure) {
        guard let primaryKey = table(row.classNumber).primaryKey(of: row.key) else { return }
        let object = try object(ObjectName(row.classNumber, primaryKey))
        guard !object.isUncertain else { return }
        try loadAll(of: object)
        object.root = object.root ?? root
        doubt(object)
        try doubtEmbedded(in: row, root: root)
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
        catalog[row.classNumber].embedded(in: row.key, table(row.classNumber)) { self.table($0) }
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
        removeRecords(of: object, key)
        object.isUncertain = false
        object.isTouched = true
        // Its maker thinks that it has a place.
        if object.image == nil { object.effective = false }
        object.state = ObjectState(life: object.state.isAlive ? object.state.life + 1 : object.state.life)
        endLife(of: object)
    }
}

extension ClassPlan {
    /// The embedded objects that one row holds, in the order of columns and elements.
    func embedded(in key: ObjectKey, _ table: Table, _ tableOf: (Int) -> Table) -> [Row] {
        var rows: [Row] = []
        for column in embeddedColumns {
            guard let target = targets[column] else { continue }
            let values =
                schema.properties[column].collection == .none
                ? [table.value(key, column)] : table.listValues(key, column)
            for case .object(let child) in values where tableOf(target).exists(child) {
                rows.append(Row(target, child))
            }
        }
        return rows
    }
}
