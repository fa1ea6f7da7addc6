import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Many objects as they travel, read column by column.

extension EmbeddedSnapshot {
    func runs(
        _ classNumber: Int, _ keys: ArraySlice<ObjectKey>, bytesMax: Int, singlesMax: Int
    ) throws(StoreFailure) -> ObjectRuns? {
        let plan = catalog[classNumber]
        guard plan.travelsInColumns, let apart = apart(plan, keys) else { return nil }
        var result = ObjectRuns()
        var alike: ArraySlice<ObjectKey> = keys
        if !apart.isEmpty {
            result.singles = keys.filter(apart.contains)
            alike = keys.filter { !apart.contains($0) }[...]
        }
        while let first = alike.first, result.singles.count <= singlesMax {
            let (stamps, born) = try ObjectStamps.loadWithRun(classNumber, first, in: transaction)
            let end = born.flatMap { born in alike.firstIndex { $0 > born.upperBound } } ?? alike.endIndex
            let together = alike[..<end]
            alike = alike[end...]
            if born == nil || stamps.life != 1 || together.count < ObjectRun.leastCount {
                result.singles += together
            } else if let run = run(plan, together, stamps, bytesMax: bytesMax) {
                result.runs.append(run)
            } else {
                return nil
            }
        }
        result.singles.sort()
        return result.singles.count > singlesMax ? nil : result
    }

    /// The objects that were written after their creation, or have held elements, text or embedded objects. Nil if
    /// there are too many to look at: there may be others between these keys.
    private func apart(_ plan: ClassPlan, _ keys: ArraySlice<ObjectKey>) -> Set<ObjectKey>? {
        guard let first = keys.first, let last = keys.last else { return nil }
        var found: Set<ObjectKey> = []
        let end = ObjectKey(last.rawValue + 1)
        transaction.tree(Layout.stamps).scan(
            from: Layout.row(plan.number, first), upTo: Layout.row(plan.number, end)
        ) { place, _ in
            if let row: UInt64 = Layout.number(place, at: 4) { found.insert(ObjectKey(Int64(bitPattern: row))) }
            return found.count <= keys.count
        }
        for (column, _) in plan.parts where found.count <= keys.count {
            transaction.tree(Layout.lists).scan(
                from: Layout.list(plan.number, column, first), upTo: Layout.list(plan.number, column, end)
            ) { place, _ in
                if let row: UInt64 = Layout.number(place, at: 8) { found.insert(ObjectKey(Int64(bitPattern: row))) }
                return found.count <= keys.count
            }
        }
        for column in plan.embeddedColumns where plan.schema.properties[column].collection == .none {
            for key in keys where !table(plan.number).value(key, column).isNull { found.insert(key) }
        }
        return found.count <= keys.count ? found : nil
    }

    private func run(
        _ plan: ClassPlan, _ keys: ArraySlice<ObjectKey>, _ stamps: ObjectStamps, bytesMax: Int
    ) -> ObjectRun? {
        guard let primaryKey = plan.primaryKey else { return nil }
        let rows = table(plan.number).rows(keys)
        // Leaves hold more than these rows, and a few large values are better told one by one.
        guard rows.leafBytes / 4 <= max(bytesMax, 64 << 10),
            let keys = rows.primaryKeys(primaryKey)
        else { return nil }
        var fields: [ObjectRun.Field] = []
        fields.reserveCapacity(plan.fieldsByName.count)
        for column in plan.fieldsByName {
            guard let values = rows.column(column) else { return nil }
            let (stamp, isDefault) = stamps[column]
            fields.append(
                ObjectRun.Field(plan.schema.properties[column].name, values, stamp: stamp, isDefault: isDefault))
        }
        return ObjectRun(className: plan.name, keys: keys, life: stamps.life, born: stamps.born, fields: fields)
    }
}
