import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore

// Properties that the caller may read of some objects only.
//
// Such a property is left out of an object that enters. Entering replaces the whole object on the device, so a property
// that is not named has the value of a new object. Objects embedded in a property go where the property goes.
//
// The same holds for what the device wrote there itself: it stays as long as it is pending, and goes when the server
// has it. Otherwise two devices of one user, or one device before and after a resync, would hold different values.

/// Conditions by the number of the property. What is not in it can always be read.
typealias Readable = [Int: BoundPredicate]

extension BoundRules {
    /// Nil when every property of the class can be read wherever its object can.
    func readable(_ className: String) -> Readable? {
        guard let readable = self[className]?.readable, !readable.isEmpty else { return nil }
        return readable
    }
}

extension ViewDifference {
    /// Whether the device's objects of the class hold other properties than the current rules permit.
    func isToldAnew(_ classNumber: Int) -> Bool {
        let name = snapshot.className(classNumber)
        return heldRules?.readable(name) != rules?.readable(name)
    }

    func enter(_ row: Row, _ readable: Readable, in part: inout Part) throws(StoreFailure) {
        let first = part.entered.count
        try snapshot.appendWhole(row.classNumber, [row.key], to: &part.entered)
        let hidden = try snapshot.hidden(in: row, readable)
        guard !hidden.isEmpty, first < part.entered.count else { return }
        let whole = Array(part.entered[first...])
        part.entered.removeSubrange(first...)
        part.entered += Self.without(hidden, whole, in: snapshot.schema)
    }

    /// Tells as much of a change as the caller may see. The object is told whole when other properties have become
    /// readable, when embedded objects changed, or when the device has written what it may not read.
    func updateReadable(
        _ row: Row, _ aggregate: TouchedAggregate, _ readable: Readable, in part: inout Part
    ) throws(StoreFailure) {
        let hidden = try snapshot.hidden(in: row, readable)
        guard aggregate.children.isEmpty, hidden == (try hiddenBefore(aggregate.root, readable)),
            !aggregate.byClient || !aggregate.root.columns.contains(oneOf: hidden)
        else {
            return try enterWhole(row, aggregate, in: &part)
        }
        var columns = PropertyNumbers()
        for column in snapshot.schema[snapshot.className(row.classNumber)]?.properties.indices ?? 0..<0
        where aggregate.root.columns.contains(column) && !hidden.contains(column) {
            columns.insert(column)
        }
        try update(row, aggregate.root, columns, in: &part)
    }

    /// Whether the device holds an object as the caller may read it, if it alone touched the object, with full effect.
    /// It must have written nothing that the caller may not read, and nothing that decides what may be read.
    func holdsReadable(_ row: Row, _ aggregate: TouchedAggregate) throws(StoreFailure) -> Bool {
        guard let readable = rules?.readable(snapshot.className(row.classNumber)) else { return true }
        let hidden = try snapshot.hidden(in: row, readable)
        // Of an object that it created the device has everything, which is right only if nothing is hidden.
        guard aggregate.root.existed else { return hidden.isEmpty }
        return hidden == (try hiddenBefore(aggregate.root, readable))
            && (hidden.isEmpty || aggregate.children.isEmpty && !aggregate.root.columns.contains(oneOf: hidden))
    }

    /// Of objects that the device made plainly, those of which the caller may not read everything.
    func partlyHidden(_ classNumber: Int, _ keys: [ObjectKey]) throws(StoreFailure) -> [ObjectKey] {
        guard let readable = rules?.readable(snapshot.className(classNumber)) else { return [] }
        var found: [ObjectKey] = []
        for key in keys where !(try snapshot.hidden(in: Row(classNumber, key), readable)).isEmpty { found.append(key) }
        return found
    }

    /// Judged by the current rules: where the earlier rules differ, objects are told whole anyway.
    private func hiddenBefore(_ touched: TouchedRow, _ readable: Readable) throws(StoreFailure) -> Set<Int> {
        var hidden: Set<Int> = []
        for (column, rule) in readable where !(try past.matched(touched, rule)) { hidden.insert(column) }
        return hidden
    }

    // MARK: - Leaving out

    /// - Parameter whole: an object behind everything that is embedded in it.
    private static func without(
        _ hidden: Set<Int>, _ whole: [ObjectContent], in schema: Schema
    ) -> [ObjectContent] {
        guard var root = whole.last, let properties = schema[root.object.className]?.properties else { return [] }
        let names = Set(hidden.map { properties[$0].name })
        root.state.fields.removeAll { names.contains($0.property) }
        root.state.parts.removeAll { names.contains($0.property) }
        let places = Dictionary(whole.enumerated().map { ($1.object, $0) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<Int> = []
        var waiting = [root]
        while let content = waiting.popLast() {
            for part in content.parts(in: schema) {
                guard let place = places[part], place < whole.count - 1, kept.insert(place).inserted else { continue }
                waiting.append(whole[place])
            }
        }
        return kept.sorted().map { whole[$0] } + [root]
    }
}

extension StoreSnapshot {
    /// The properties of an object that may not be read, by the rules given.
    func hidden(in row: Row, _ readable: Readable) throws(StoreFailure) -> Set<Int> {
        var hidden: Set<Int> = []
        for (column, rule) in readable where !(try matches(row, rule)) { hidden.insert(column) }
        return hidden
    }
}

extension ObjectState {
    /// Sets properties that the user may not read to the values of a new object: so their device holds them.
    mutating func hide(_ hidden: Set<Int>, _ properties: [Property]) {
        let zeros = Dictionary(hidden.map { (properties[$0].name, properties[$0].zero) }) { first, _ in first }
        for index in fields.indices {
            if let zero = zeros[fields[index].property] { fields[index].value = zero }
        }
        parts.removeAll { zeros[$0.property] != nil }
    }
}

extension PropertyNumbers {
    fileprivate func contains(oneOf columns: Set<Int>) -> Bool { columns.contains { contains($0) } }
}

extension ObjectContent {
    /// The objects that a state's values lead to as parts of it: embedded ones, and collections inside of mixed values.
    fileprivate func parts(in schema: Schema) -> [ObjectReference] {
        guard let classSchema = schema[object.className] else { return [] }
        var parts: [ObjectReference] = []
        func add(_ value: Value?, of property: String) {
            switch value {
            case .link(let key):
                guard let index = classSchema.index(of: property), let target = classSchema.properties[index].target,
                    schema[target]?.kind == .embedded
                else { return }
                parts.append(ObjectReference(target, key))
            case .anyLink(let link) where NestedCollection(className: link.className) != nil:
                parts.append(ObjectReference(link.className, link.key))
            default: break
            }
        }
        for field in state.fields { add(field.value, of: field.property) }
        for part in state.parts {
            for element in part.content.elements() { add(element, of: part.property) }
        }
        return parts
    }
}
