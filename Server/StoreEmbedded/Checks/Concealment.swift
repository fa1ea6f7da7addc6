import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayQuery
import CausewayStore

/// Decides whether a caller may know that an object exists or existed.
///
/// Naming an object reveals nothing. An object that exists and may not be read, a deleted one that could not be read,
/// and one that never existed are refused alike: with `objectUnknown`, in one sentence. A caller who could see an
/// object before it was deleted goes on merging with its tombstone.
final class Concealment {
    private let transaction: Transaction
    private let catalog: RecordCatalog
    private let rules: BoundRules
    /// The version that is being made: its author knows what it deletes.
    private let version: ServerVersion
    /// Whether anything may be hidden from the caller.
    private let hidesAny: Bool
    /// What parts belong to.
    private var ascent = Ascent<Place>()
    /// The answers so far, for objects and for the properties that parts are in.
    private var known: [Place: Bool] = [:]

    /// An object or part, or the property of an object that a part is in.
    private struct Place: Hashable {
        var row: Row
        var column: Int?
    }

    /// The user of these uploads, and what their commit has read of the history.
    private let user: String
    private let past: PastEntries

    /// Nil where the caller may read everything.
    init?(
        _ permissions: Permissions?, of user: String, _ catalog: RecordCatalog, at version: ServerVersion,
        _ past: PastEntries,
        in transaction: Transaction
    ) {
        guard let permissions, permissions.fingerprint != 0 else { return nil }
        self.user = user
        self.past = past
        self.transaction = transaction
        self.catalog = catalog
        self.version = version
        let rules = permissions.bound(in: catalog.schema)
        self.rules = rules
        // Nobody reads one-way objects, and nobody names what is embedded in them.
        hidesAny = catalog.schema.classes.contains { classSchema in
            classSchema.kind == .object
                && rules[classSchema.name].map { $0.read != .constant(true) || !$0.readable.isEmpty } == true
        }
    }

    /// Whether the class may have objects that the caller may not read. Embedded objects are hidden with those around
    /// them.
    func mayHide(_ plan: ClassPlan) -> Bool {
        rules[plan.name].map { $0.read != .constant(true) } ?? hidesAny
    }

    /// Whether an object exists or existed, and the caller may know that.
    func isKnown(_ name: ObjectName) throws(StoreFailure) -> Bool {
        if let key = table(name.classNumber).key(for: name.key) { return isVisible(Row(name.classNumber, key)) }
        guard let end = try End.load(name, in: transaction) else { return false }
        return try sawEnd(name, end)
    }

    // MARK: - What is here

    /// Whether the caller may read an object; for an embedded one, the property of the object that it is in.
    func isVisible(_ row: Row) -> Bool {
        guard mayHide(catalog[row.classNumber]) else { return true }
        guard let top = top(of: row) else { return false }
        if let answer = known[top] { return answer }
        let answer = isReadable(top)
        known[top] = answer
        return answer
    }

    /// The object itself; for an embedded one the property of the top-level object that it is in. Nil when nothing
    /// holds it.
    private func top(of row: Row) -> Place? {
        guard catalog[row.classNumber].schema.kind == .embedded else { return Place(row: row) }
        return ascent.top(of: Place(row: row)) { place in
            guard let (holder, column) = catalog.holder(of: place.row, { table($0) }) else { return nil }
            return catalog[holder.classNumber].schema.kind == .embedded
                ? .part(Place(row: holder)) : .top(Place(row: holder, column: column))
        }
    }

    private func isReadable(_ place: Place) -> Bool {
        let plan = catalog[place.row.classNumber]
        guard let rules = rules[plan.name], matches(place.row, plan, rules.read) else { return false }
        guard let column = place.column, let rule = rules.readable[column] else { return true }
        return matches(place.row, plan, rule)
    }

    private func matches(_ row: Row, _ plan: ClassPlan, _ rule: BoundPredicate) -> Bool {
        if case .constant(let answer) = rule { return answer }
        return transaction.matches(row.key, plan.name, rule)
    }

    private func table(_ classNumber: Int) -> Table {
        return catalog.table(classNumber, in: transaction)
    }

    // MARK: - What has ended

    /// Whether the caller could read an object as it was when it was deleted.
    private func sawEnd(_ name: ObjectName, _ end: End) throws(StoreFailure) -> Bool {
        let plan = catalog[name.classNumber]
        guard mayHide(plan), end.version != version else { return true }
        guard let place = try past.place(of: name, in: end.version, for: user) else { return false }
        if plan.schema.kind != .embedded {
            guard let read = rules[plan.name]?.read, place.entry.before != .absent else { return false }
            if case .constant(let answer) = read { return answer }
            guard let row = try row(of: name, plan, place, end.version) else { return false }
            return read.matches(row)
        }
        guard let root = place.entry.root, root != name else { return false }
        let rootPlan = catalog[root.classNumber]
        // Nothing records in which property it was.
        guard let own = rules[rootPlan.name], own.readable.keys.allSatisfy({ !rootPlan.mayHoldParts($0) }) else {
            return false
        }
        if let key = table(root.classNumber).key(for: root.key) { return isVisible(Row(root.classNumber, key)) }
        guard let rootEnd = try End.load(root, in: transaction) else { return false }
        return try sawEnd(root, rootEnd)
    }

    private func row(
        of name: ObjectName, _ plan: ClassPlan, _ place: PastEntries.Place, _ version: ServerVersion
    ) throws(StoreFailure) -> EndedRow? {
        guard place.entry.before == .image else { return EndedRow(name: name, plan: plan, state: ObjectState()) }
        let image = ImageReference(version: version, number: place.number)
        return try past.image(image, catalog, for: user).map { EndedRow(name: name, plan: plan, state: $0) }
    }
}

/// An object as it was when it was deleted.
private struct EndedRow: RowSource {
    let name: ObjectName
    let plan: ClassPlan
    let state: ObjectState

    func value(of property: Int, in className: String) -> Value {
        guard plan.name.isSame(as: className), plan.schema.properties.indices.contains(property) else { return .null }
        if property == plan.primaryKey { return name.key.value ?? .null }
        let declared = plan.schema.properties[property]
        if declared.isText { return .string(state.text(declared.name)?.string ?? "") }
        return state[declared.name]?.value ?? plan.zeroRow[property]
    }

    func elements(of number: Int, in className: String) -> [Value] {
        // The complement of a property's number stands for the keys of a map.
        let areKeys = number < 0
        let column = areKeys ? ~number : number
        guard plan.name.isSame(as: className), plan.schema.properties.indices.contains(column) else { return [] }
        let property = plan.schema.properties[column]
        guard let kind = property.part, let content = state[property.name, kind] else { return [] }
        return content.elements(areKeys: areKeys || property.collection == .set)
    }

    /// Rules for reading look through no link to another object, and what was embedded is deleted too.
    func object(at link: Value, in target: String) -> EndedRow? { nil }
}
