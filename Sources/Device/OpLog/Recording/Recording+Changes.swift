import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Recording {
    mutating func addModified(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        for key in classChanges.modified.keys.sorted() {
            guard let columns = classChanges.modified[key], table.exists(key) else { continue }
            let object = try reference(table, key)
            for column in columns.columns {
                let property = table.schema.properties[column]
                guard property.isField, !property.isPrimaryKey else { continue }
                let value = links.travelling(table.value(key, column), target: property.target)
                if property.isCounter, let amount = try addition(table, key, column, value, classChanges) {
                    guard amount != 0 else { continue }
                    changes.append(.add(object, property: property.name, Addition(amount)))
                } else {
                    changes.append(.set(object, FieldValue(property.name, value)))
                }
                try keepBase(object, table, key)
            }
        }
    }

    /// What the transaction added to a counter, if that is all it did to it.
    mutating func addition(
        _ table: Table, _ key: ObjectKey, _ column: Int, _ now: Value, _ classChanges: ClassChanges
    ) throws(StoreError) -> Int64? {
        guard let amount = classChanges.additions[ChangedList(key: key, column: column)]?.amount,
            case .int(let now) = now
        else {
            return nil
        }
        guard let old = try lastCommit().table(table.name), old.exists(key),
            case .int(let value) = old.value(key, column), value &+ amount == now
        else { return nil }
        return amount
    }

    mutating func addListEdits(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        let places = classChanges.listEdits.keys.sorted { ($0.key, $0.column) < ($1.key, $1.column) }
        for place in places {
            guard let edits = classChanges.listEdits[place], table.exists(place.key) else { continue }
            let object = try reference(table, place.key)
            let property = table.schema.properties[place.column]
            guard property.collection == .list else { continue }
            var list = try trees.list(object, property.name)
            let travelling = travelling(edits, property, count: list.count)
            // A base promises that a logged changeset is about the object: without an operation there is none.
            guard !travelling.isEmpty else { continue }
            try keepBase(object, table, place.key)
            for edit in travelling {
                switch edit {
                case .insert(let index, let value):
                    let value = links.travelling(value, target: property.target)
                    apply(
                        list.insertion(of: value, at: index, id: state.nextElement()), to: &list, object, property.name)
                case .remove(let index):
                    apply(list.removal(at: index), to: &list, object, property.name)
                case .set(let index, let value):
                    let value = links.travelling(value, target: property.target)
                    apply(list.replacement(at: index, with: value), to: &list, object, property.name)
                case .move(let from, let to):
                    apply(
                        list.movement(from: from, to: to, id: state.nextElement()), to: &list, object, property.name)
                case .clear:
                    apply(list.clearing(), to: &list, object, property.name)
                }
            }
            trees.save(list, object, property.name)
        }
    }

    func travelling(_ edits: [ListEdit], _ property: Property, count: Int) -> [ListEdit] {
        guard property.type == .object else { return edits }
        let links = links
        let hasName = { (value: Value) in !links.travelling(value, target: property.target).isNull }
        let areAllNamed = edits.allSatisfy { edit in
            switch edit {
            case .insert(_, let value), .set(_, let value): hasName(value)
            case .remove, .move, .clear: true
            }
        }
        if areAllNamed { return edits }
        var travelling = TravellingEdits(count: count, hasName: hasName)
        return edits.compactMap { travelling.next($0) }
    }

    /// Adds an operation and applies it to the list, so that the next index means what the app meant.
    mutating func apply(
        _ operation: ListOperation, to list: inout ListState, _ object: ObjectReference, _ property: String
    ) {
        _ = list.join(operation, stamp: stamp)
        changes.append(.list(object, property: property, operation))
    }
}
