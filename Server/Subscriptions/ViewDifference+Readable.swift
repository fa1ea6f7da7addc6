import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayQuery
import CausewayStore

// Properties that the caller may read of some objects only.
//
// Such a property is left out of an object that enters: entering replaces the whole object on the device, so that what is
// not named stands as in a new object. What is embedded in a property goes where the property goes.

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
    /// The device's objects of the class hold other properties than they should by the rules of now.
    func isToldAnew(_ classNumber: Int) -> Bool {
        let name = snapshot.className(classNumber)
        return heldRules?.readable(name) != rules?.readable(name)
    }

    func enter(_ row: Row, _ readable: Readable, in part: inout Part) throws(StoreFailure) {
        let first = part.entered.count
        try snapshot.appendWhole(row.classNumber, [row.key], to: &part.entered)
        let hidden = try hidden(in: row, readable)
        guard !hidden.isEmpty, first < part.entered.count else { return }
        let whole = Array(part.entered[first...])
        part.entered.removeSubrange(first...)
        part.entered += Self.without(hidden, whole, in: snapshot.schema)
    }

    /// Tells of a change what the caller may see of it. When other properties have become readable than were, or
    /// embedded objects changed, the object is told whole.
    func updateReadable(
        _ row: Row, _ aggregate: Aggregate, _ readable: Readable, in part: inout Part
    ) throws(StoreFailure) {
        let hidden = try hidden(in: row, readable)
        guard aggregate.children.isEmpty, hidden == (try hiddenBefore(aggregate.root, readable)) else {
            return try enterWhole(row, aggregate, in: &part)
        }
        var columns = PropertyNumbers()
        for column in snapshot.schema[snapshot.className(row.classNumber)]?.properties.indices ?? 0..<0
        where aggregate.root.columns.contains(column) && !hidden.contains(column) {
            columns.insert(column)
        }
        try update(row, columns, in: &part)
    }

    private func hidden(in row: Row, _ readable: Readable) throws(StoreFailure) -> Set<Int> {
        var hidden: Set<Int> = []
        for (column, rule) in readable where !(try snapshot.matches(row, rule)) { hidden.insert(column) }
        return hidden
    }

    /// Asked with the rules of now: where they are others, objects are told whole anyway.
    private func hiddenBefore(_ touched: Touched, _ readable: Readable) throws(StoreFailure) -> Set<Int> {
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
        root.state.lists.removeAll { names.contains($0.property) }
        root.state.keyed.removeAll { names.contains($0.property) }
        root.state.texts.removeAll { names.contains($0.property) }
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
        for field in state.lists {
            for element in field.list.visible { add(element.value, of: field.property) }
        }
        for field in state.keyed {
            for entry in field.entries.visible { add(entry.value, of: field.property) }
        }
        return parts
    }
}
