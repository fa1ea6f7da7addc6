import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

// Parts of objects: embedded ones, and collections in mixed values.

extension AccessJudge {
    /// An embedded object on the way up, or the top that it leads to.
    enum Part: Hashable {
        case part(ObjectName)
        case property(Place)
        /// Nothing holds it, so it ends with the changeset.
        case unplaced
    }

    func changingPart(_ object: JudgedObject, _ ascent: inout Ascent<Part>) -> StoreFailure? {
        let name = object.name
        let top = ascent.top(of: .part(name)) { part in
            guard case .part(let name) = part, let place = place(of: name) else { return .top(.unplaced) }
            return merging.catalog[place.holder.classNumber].schema.kind == .embedded
                ? .part(.part(place.holder)) : .top(.property(place))
        }
        switch top {
        case .property(let place):
            let holder = self.object(place.holder)
            guard holder.rules != nil, holder.row != nil else { return nil }
            guard holds(.write, holder) else {
                return told(Self.refusal("change", holder.plan), of: firstHere(name, in: holder))
            }
            guard !holds(.property(place.column), holder) else { return nil }
            return told(Self.refusal("set", holder.plan, place.column), of: firstHere(name, in: holder))
        case .unplaced, .part:
            return nil
        case nil:
            return StoreFailure(
                .permissionDenied, "The embedded object of “\(object.plan.name)” lies too deep in others.")
        }
    }

    /// Of a part and what it is in, the first that exists: it answers for those that do not.
    private func firstHere(_ name: ObjectName, in top: JudgedObject) -> JudgedObject {
        var object = object(name)
        while object.row == nil, object !== top, let place = place(of: object.name) {
            object = self.object(place.holder)
        }
        return object
    }

    /// What holds an embedded object in the record; otherwise what holds it by this changeset.
    private func place(of name: ObjectName) -> Place? {
        recordedPlaces(of: name).first ?? places[name]
    }

    private func recordedPlaces(of name: ObjectName) -> [Place] {
        let table = merging.table(name.classNumber)
        guard let key = table.keyOrGhost(for: name.key) else { return [] }
        var found: [Place] = []
        for (origin, column) in merging.catalog.holders(of: name.classNumber) {
            let holders = merging.table(origin)
            for row in table.backlinks(to: key, from: holders, column) {
                guard let holder = holders.primaryKey(of: row) else { continue }
                found.append(Place(holder: ObjectName(origin, holder), column: column))
            }
        }
        return found
    }

    /// Refuses an operation that gives an embedded object a place while it has another one.
    func taking(_ operation: Operation, by object: JudgedObject) -> StoreFailure? {
        let plan = object.plan
        if plan.embeddedColumns.isEmpty, plan.mixedColumns.isEmpty { return nil }
        for (column, value) in operation.values(plan) {
            guard let part = part(value, plan, column) else { continue }
            let place = Place(holder: object.name, column: column)
            guard recordedPlaces(of: part).allSatisfy({ $0 == place }) else {
                return StoreFailure(
                    .permissionDenied,
                    "“\(plan.name).\(plan.schema.properties[column].name)” is given an embedded object that is part of "
                        + "another. Give it a copy.")
            }
            if places[part] == nil { places[part] = place }
        }
        return nil
    }

    private func part(_ value: Value, _ plan: ClassPlan, _ column: Int) -> ObjectName? {
        switch value {
        case .link(let key):
            plan.isEmbedded(column) ? plan.targets[column].map { ObjectName($0, key) } : nil
        case .anyLink(let link) where NestedCollection(className: link.className) != nil:
            merging.catalog.number(link.className).map { ObjectName($0, link.key) }
        default: nil
        }
    }
}
