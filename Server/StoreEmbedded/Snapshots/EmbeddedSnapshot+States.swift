import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Objects as they travel, read from their columns.

/// The run of plain creations that was read last: neighbours share it.
struct WholeReader {
    var classNumber = -1
    var keys: ClosedRange<ObjectKey>?
    var stamps: ObjectStamps?
    /// By class, once looked up: whether it has any single stamps.
    var hasSingleStamps: [Int: Bool] = [:]
    /// By class, once looked up: whether it has any collections or texts.
    var hasCollections: [Int: Bool] = [:]
}

extension EmbeddedSnapshot {
    func appendWhole(
        _ classNumber: Int, _ keys: ArraySlice<ObjectKey>, to changes: inout [ObjectContent]
    ) throws(StoreFailure) {
        let plan = catalog[classNumber]
        changes.reserveCapacity(changes.count + keys.count)
        for key in keys {
            if catalog.mayHaveParts(plan, in: transaction) {
                for child in try embedded(in: Row(classNumber, key)).reversed() {
                    try appendRow(child, catalog[child.classNumber], to: &changes)
                }
            }
            try appendRow(Row(classNumber, key), plan, to: &changes)
        }
    }

    private func appendRow(
        _ row: Row, _ plan: ClassPlan, to changes: inout [ObjectContent]
    ) throws(StoreFailure) {
        let table = table(row.classNumber)
        guard let primaryKey = table.primaryKey(of: row.key) else {
            preconditionFailure("A row of “\(plan.name)” is alive but has no primary key.")
        }
        let stamps = try stamps(of: row)
        var state = ObjectState(life: stamps.life, born: stamps.born)
        state.fields.reserveCapacity(plan.fieldsByName.count)
        for column in plan.fieldsByName {
            let (stamp, isDefault) = stamps[column]
            state.fields.append(
                ObjectState.Field(
                    plan.schema.properties[column].name, linked(table.value(row.key, column), plan, column),
                    stamp: stamp, isDefault: isDefault))
        }
        // Parts that show nothing too: an insert beside a removed element finds its place by them.
        for (column, kind) in plan.parts where remembers(column, of: row) {
            state.parts.append(try part(column, kind, of: row, plan, table))
        }
        changes.append(ObjectContent(ObjectReference(plan.name, primaryKey), state))
    }

    func appendPart(
        _ row: Row, _ columns: PropertyNumbers, to changes: inout [ObjectContent]
    ) throws(StoreFailure) {
        let plan = catalog[row.classNumber]
        let table = table(row.classNumber)
        guard let primaryKey = table.primaryKey(of: row.key) else {
            preconditionFailure("A row of “\(plan.name)” is alive but has no primary key.")
        }
        let stamps = try stamps(of: row)
        var state = ObjectState(life: stamps.life, born: stamps.born)
        for column in plan.fieldsByName where columns.contains(column) {
            let (stamp, isDefault) = stamps[column]
            state.fields.append(
                ObjectState.Field(
                    plan.schema.properties[column].name, linked(table.value(row.key, column), plan, column),
                    stamp: stamp, isDefault: isDefault))
        }
        for (column, kind) in plan.parts where columns.contains(column) {
            state.parts.append(try part(column, kind, of: row, plan, table))
        }
        changes.append(ObjectContent(ObjectReference(plan.name, primaryKey), state))
    }

    private func part(
        _ column: Int, _ kind: ObjectState.Kind, of row: Row, _ plan: ClassPlan, _ table: Table
    ) throws(StoreFailure) -> ObjectState.Part {
        let place = PartTree.Place(row.classNumber, column, row.key)
        return ObjectState.Part(
            plan.schema.properties[column].name, try PartTree(in: transaction).load(kind, at: place, table))
    }

    func life(of row: Row) throws(StoreFailure) -> UInt32 {
        try stamps(of: row).life
    }

    func value(of column: Int, in row: Row) -> Value {
        linked(table(row.classNumber).value(row.key, column), catalog[row.classNumber], column)
    }

    func elements(of column: Int, in row: Row) -> [Value] {
        let plan = catalog[row.classNumber]
        return table(row.classNumber).listValues(row.key, column).map { linked($0, plan, column) }
    }

    // MARK: - Pieces

    private func stamps(of row: Row) throws(StoreFailure) -> ObjectStamps {
        if !hasSingleStamps(row.classNumber), wholeReader.classNumber == row.classNumber,
            let keys = wholeReader.keys, keys.contains(row.key), let stamps = wholeReader.stamps
        {
            return stamps
        }
        let (stamps, run) = try ObjectStamps.loadWithRun(row.classNumber, row.key, in: transaction)
        if let run {
            wholeReader.classNumber = row.classNumber
            wholeReader.keys = run
            wholeReader.stamps = stamps
        }
        return stamps
    }

    private func hasSingleStamps(_ classNumber: Int) -> Bool {
        if let known = wholeReader.hasSingleStamps[classNumber] { return known }
        let found = hasEntries(of: classNumber, in: Layout.stamps)
        wholeReader.hasSingleStamps[classNumber] = found
        return found
    }

    /// Whether a collection or text of a row has ever held anything.
    private func remembers(_ column: Int, of row: Row) -> Bool {
        let hasAny = wholeReader.hasCollections[row.classNumber] ?? hasEntries(of: row.classNumber, in: Layout.lists)
        wholeReader.hasCollections[row.classNumber] = hasAny
        return hasAny && transaction.tree(Layout.lists).get(Layout.list(row.classNumber, column, row.key)) != nil
    }

    private func hasEntries(of classNumber: Int, in tree: String) -> Bool {
        var found = false
        let prefix = UInt32(truncatingIfNeeded: classNumber)
        transaction.tree(tree).scan(from: Layout.bytes(prefix), upTo: Layout.bytes(prefix + 1)) { _, _ in
            found = true
            return false
        }
        return found
    }

    private func linked(_ value: Value, _ plan: ClassPlan, _ column: Int) -> Value {
        guard case .object(let key) = value, let target = plan.targets[column] else {
            return transaction.travelling(value)
        }
        if let known = targetKeys[target]?[key] { return .link(known) }
        guard let primaryKey = table(target).primaryKey(of: key) else {
            preconditionFailure("“\(plan.name)” links to a row of “\(catalog[target].name)” that has no primary key.")
        }
        if targetKeys[target, default: [:]].count >= Self.targetKeysMax { targetKeys[target] = [:] }
        targetKeys[target, default: [:]][key] = primaryKey
        return .link(primaryKey)
    }

    private static let targetKeysMax = 100_000
}
