import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Objects created plainly, and what is cached from one to the next.
struct Creation {
    /// For the history: runs of rows, joined as long as they follow each other.
    var births: [HistoryRecord.Birth] = []
    /// Per class, the run that the next object may continue.
    var open: [Int: Run] = [:]
    /// Rows of link targets. Emptied when anything is deleted.
    var targets: [Int: [PrimaryKey: ObjectKey]] = [:]
    /// Per class, whether anything of it was ever deleted.
    var hasEnds: [Int: Bool] = [:]

    struct Run {
        var shape: OperationCheck.Shape
        var stamps: ObjectStamps
        var keys: ClosedRange<ObjectKey>
    }

    /// Bounds the memory that a long upload with many links takes.
    static let targetsMax = 100_000
}

extension Merging {
    /// Creates an object that does not exist and never did. Returns false when there is something to merge with.
    ///
    /// Objects with embedded ones, or with collections in mixed values, take the other way, which knows their places.
    func createPlainly(
        _ target: ObjectReference, _ plan: ClassPlan, _ fields: [FieldValue], _ stamp: Stamp,
        _ check: inout OperationCheck
    ) throws(StoreFailure) -> Bool {
        guard plan.schema.kind == .object else { return false }
        if !objects.isEmpty, objects[ObjectName(plan.number, target.key)] != nil { return false }
        if try hasEnds(plan), try End.load(ObjectName(plan.number, target.key), in: transaction) != nil { return false }
        // The object's ghost row may lie within a run of others, where the object once was.
        if try forgotten(plan.number).version != .zero, table(plan.number).keyOrGhost(for: target.key) != nil {
            return false
        }
        let shape = try check.shape(of: fields, plan)
        var row = plan.zeroRow
        if let primaryKey = plan.primaryKey { row[primaryKey] = target.key.value ?? .null }
        for index in fields.indices {
            let column = shape.columns[index]
            guard column >= 0 else { continue }
            if case .link(let key) = fields[index].value {
                if plan.isEmbedded(column) { return false }
                row[column] = .object(linkTarget(key, plan, column))
            } else if case .anyLink(let link) = fields[index].value, NestedCollection(className: link.className) != nil
            {
                return false
            } else {
                row[column] = fields[index].value
            }
        }
        let key: ObjectKey
        do {
            key = try table(plan.number).create(target.key, row: row)
        } catch {
            if error.code == .duplicatePrimaryKey { return false }
            throw StoreFailure(error)
        }
        continueRun(with: key, plan, shape, stamp)
        return true
    }

    func linkTarget(_ key: PrimaryKey, _ plan: ClassPlan, _ column: Int) -> ObjectKey {
        guard let target = plan.targets[column] else {
            preconditionFailure("“\(plan.name)” has a link in column \(column), which is no link.")
        }
        // Rows of embedded objects are removed unnoticed, with what holds them.
        if plan.isEmbedded(column) { return table(target).ghost(key) }
        if let known = creation.targets[target]?[key] { return known }
        let row = table(target).ghost(key)
        if creation.targets[target, default: [:]].count >= Creation.targetsMax { creation.targets[target] = [:] }
        creation.targets[target, default: [:]][key] = row
        return row
    }

    func hasEnds(_ plan: ClassPlan) throws(StoreFailure) -> Bool {
        if let known = creation.hasEnds[plan.number] { return known }
        var found = false
        let prefix = UInt32(truncatingIfNeeded: plan.number)
        transaction.tree(Layout.ends).scan(from: Layout.bytes(prefix), upTo: Layout.bytes(prefix + 1)) { _, _ in
            found = true
            return false
        }
        creation.hasEnds[plan.number] = found
        return found
    }

    // MARK: - Runs

    private func continueRun(with key: ObjectKey, _ plan: ClassPlan, _ shape: OperationCheck.Shape, _ stamp: Stamp) {
        if let run = creation.open[plan.number] {
            if run.shape === shape, run.stamps.creation == stamp,
                run.keys.upperBound.rawValue + 1 == key.rawValue
            {
                creation.open[plan.number]?.keys = run.keys.lowerBound...key
                return
            }
            end(run, plan.number)
        }
        var stamps = ObjectStamps(life: 1, bornVersion: version, creation: stamp)
        for (column, isDefault) in zip(shape.columns, shape.defaults) where column >= 0 {
            if isDefault { stamps.defaults.insert(column) } else { stamps.written.insert(column) }
        }
        creation.open[plan.number] = Creation.Run(shape: shape, stamps: stamps, keys: key...key)
    }

    /// Writes the stamps of everything created plainly so far.
    func endRuns() {
        guard !creation.open.isEmpty else { return }
        for (classNumber, run) in creation.open.sorted(by: { $0.key < $1.key }) { end(run, classNumber) }
        creation.open.removeAll(keepingCapacity: true)
    }

    private func end(_ run: Creation.Run, _ classNumber: Int) {
        save(run.stamps, of: run.keys, classNumber)
    }

    /// Saves the stamps of rows that were created alike.
    func save(_ stamps: ObjectStamps, of keys: ClosedRange<ObjectKey>, _ classNumber: Int) {
        stamps.saveBirths(classNumber, keys, in: transaction)
        noteObjects(Int(keys.upperBound.rawValue - keys.lowerBound.rawValue) + 1, by: stamps.born.client)
        if let last = creation.births.last, last.classNumber == classNumber,
            last.keys.upperBound.rawValue + 1 == keys.lowerBound.rawValue
        {
            creation.births[creation.births.count - 1].keys = last.keys.lowerBound...keys.upperBound
        } else {
            creation.births.append(HistoryRecord.Birth(classNumber: classNumber, keys: keys))
        }
    }
}
