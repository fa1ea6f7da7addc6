import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// An object that the version being made touches: as much of its state as was asked for.
///
/// Properties are loaded when an operation first names them, so that an operation costs no more than what it names.
/// What was loaded is also the image: the state that the version found.
final class WorkingObject {
    let name: ObjectName
    let plan: ClassPlan
    /// Its row while it is alive in the tables.
    var key: ObjectKey?
    /// The row in which the version found it.
    let firstKey: ObjectKey?
    var state: ObjectState
    /// Nil when it did not exist before this version.
    var image: ObjectState?
    /// The image's lists, sets and maps as they were read, so that the history need not encode them again.
    var imageBytes: [(property: String, bytes: [UInt8])] = []
    /// The stamps in the tables; nil while it is not alive there.
    var stamps: ObjectStamps?
    var end: End?
    var loaded = PropertyNumbers()
    /// Per column of a counter, the version that set it, once loaded or set.
    var setVersions: [Int: ServerVersion] = [:]

    /// What the version does to lists, sets, maps and texts, by column.
    var journals: [Int: EditJournal] = [:]
    /// By column, how many bytes the state of a list, set, map or text takes, as it was written last.
    var wholeBytes: [Int: Int] = [:]

    /// For the history.
    var isTouched = false
    var columns = PropertyNumbers()
    var effective = true
    var root: ObjectName?

    /// Whether what the client wrote about its life had another outcome: F3, F4.
    var livesDiffer = false
    /// The version has a create of it.
    var isMadeByClient = false
    var isUnwritten = false
    /// It may have lost its place; see `Merging+Embedded`.
    var isUncertain = false

    init(_ name: ObjectName, _ plan: ClassPlan, key: ObjectKey?, stamps: ObjectStamps?, end: End?) {
        self.name = name
        self.plan = plan
        self.key = key
        firstKey = key
        self.stamps = stamps
        self.end = end
        state = ObjectState(life: stamps?.life ?? end?.life ?? 0)
        if let stamps { state.born = stamps.born }
        image = stamps.map { _ in state }
    }
}

extension WorkingObject {
    /// The stamp of the value in a column, loaded or not, and whether nobody wrote the value explicitly.
    func standing(of column: Int) -> (stamp: Stamp, isDefault: Bool) {
        if let field = state[plan.schema.properties[column].name] { return (field.stamp, field.isDefault) }
        return stamps?[column] ?? (.zero, true)
    }
}

extension WorkingObject {
    /// The lists, sets, maps and texts that are loaded, with their columns.
    var parts: [(column: Int, content: ObjectState.Content)] {
        state.parts.compactMap { part in plan.columns[part.property].map { ($0, part.content) } }
    }
}

// MARK: - Loading

extension Merging {
    /// - Parameter root: what it is part of, where that is known.
    func object(_ name: ObjectName, partOf root: ObjectName? = nil) throws(StoreFailure) -> WorkingObject {
        if let known = objects[name] { return known }
        let judged = prepared.removeValue(forKey: name)
        let object = if let judged { judged } else { try recorded(name, partOf: root) }
        objects[name] = object
        order.append(object)
        touchedClasses.insert(name.classNumber)
        return object
    }

    /// An object for judging operations before they are applied. The version continues with it if it touches it.
    func prepared(_ name: ObjectName) throws(StoreFailure) -> WorkingObject {
        if let known = objects[name] ?? prepared[name] { return known }
        let object = try recorded(name)
        // A part may go with what holds it, and what does not exist may be created: those are loaded again.
        if object.key != nil, object.plan.schema.kind == .object { prepared[name] = object }
        return object
    }

    /// An object as the record has it. The version need not touch it.
    func recorded(_ name: ObjectName, partOf root: ObjectName? = nil) throws(StoreFailure) -> WorkingObject {
        let plan = catalog[name.classNumber]
        let key = table(name.classNumber).key(for: name.key)
        // The stamps of a run of plain creations that is still open must be written, so that they are found.
        if key != nil { endRuns() }
        let stamps = try key.map { key throws(StoreFailure) in
            try ObjectStamps.load(name.classNumber, key, in: transaction)
        }
        let end = key == nil ? try End.load(name, in: transaction) : nil
        let object = WorkingObject(name, plan, key: key, stamps: stamps, end: end)
        // It was created in this very version: the version found nothing.
        if let stamps, stamps.bornVersion == version { object.image = nil }
        if let key, plan.schema.kind == .embedded { object.root = root ?? rootName(of: Row(name.classNumber, key)) }
        return object
    }

    func load(_ column: Int, of object: WorkingObject) throws(StoreFailure) {
        guard let key = object.key, let stamps = object.stamps, !object.loaded.contains(column),
            object.state.life == stamps.life, table(object.name.classNumber).exists(key)
        else { return }
        object.loaded.insert(column)
        let property = object.plan.schema.properties[column]
        if let kind = property.part {
            let part = ObjectState.Part(property.name, try content(kind, column, of: object, key))
            object.state.putIfMissing(part)
            object.image?.putIfMissing(part)
        } else {
            let (stamp, isDefault) = stamps[column]
            let value = linked(table(object.name.classNumber).value(key, column), object.plan, column)
            let field = ObjectState.Field(property.name, value, stamp: stamp, isDefault: isDefault)
            object.state.putIfMissing(field)
            object.image?.putIfMissing(field)
            if property.isCounter { try loadCounter(column, of: object, key) }
        }
    }

    private func content(
        _ kind: ObjectState.Kind, _ column: Int, of object: WorkingObject, _ key: ObjectKey
    ) throws(StoreFailure) -> ObjectState.Content {
        let place = PartTree.Place(object.name.classNumber, column, key)
        let tree = PartTree(in: transaction)
        guard let bytes = tree.bytes(at: place) else { return ObjectState.Content(kind) }
        if object.image != nil, kind != .text {
            object.imageBytes.append((object.plan.schema.properties[column].name, bytes))
        }
        return try tree.content(kind, bytes, at: place, table(object.name.classNumber))
    }

    func loadAll(of object: WorkingObject) throws(StoreFailure) {
        for column in object.plan.fieldColumns { try load(column, of: object) }
        for (column, _) in object.plan.parts { try load(column, of: object) }
    }

    /// A value as it travels: a link by the primary key of its target.
    func linked(_ value: Value, _ plan: ClassPlan, _ column: Int) -> Value {
        guard case .object(let key) = value, let target = plan.targets[column] else {
            return transaction.travelling(value)
        }
        guard let primaryKey = table(target).primaryKey(of: key) else {
            preconditionFailure("“\(plan.name)” links to a row of “\(catalog[target].name)” that has no primary key.")
        }
        return .link(primaryKey)
    }
}

extension ObjectState {
    fileprivate mutating func putIfMissing(_ field: Field) {
        if self[field.property] == nil { put(field) }
    }

    fileprivate mutating func putIfMissing(_ part: Part) {
        if self[part.property, part.content.kind] == nil { put(part) }
    }
}
