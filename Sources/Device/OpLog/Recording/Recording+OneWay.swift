import CausewayMerge
import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Recording {
    mutating func addOneWayParts(of key: ObjectKey, _ table: Table) {
        // No recursion: the app decides how deep they nest.
        var waiting = [(table: table, key: key)]
        while let (table, key) = waiting.popLast() {
            for (column, property) in table.schema.properties.enumerated() {
                guard let target = property.target.flatMap({ transaction.table($0) }), target.schema.kind == .embedded
                else { continue }
                let values =
                    property.collection == .none ? [table.value(key, column)] : table.listValues(key, column)
                for case .object(let part) in values {
                    oneWayParts[target.name, default: []].insert(part)
                    waiting.append((target, part))
                }
            }
        }
    }

    mutating func addOneWay(_ table: Table, _ classChanges: ClassChanges) throws(StoreError) {
        for key in classChanges.inserted { addOneWay(try reference(table, key), table, key) }
        for key in classChanges.inserted { table.delete(key) }
    }

    /// Adds the create and, directly after it, what the object's collections hold.
    mutating func addOneWay(_ object: ObjectReference, _ table: Table, _ key: ObjectKey) {
        oneWay.append(.create(object, life: 1, fields: fields(of: key, table)))
        for (column, property) in table.schema.properties.enumerated() {
            switch property.collection {
            case .list:
                let values = table.listValues(key, column).map { links.travelling($0, target: property.target) }
                let named = property.type == .object ? values.filter { !$0.isNull } : values
                oneWay += newList(named).insertions.map { .list(object, property: property.name, $0) }
            case .set, .map:
                oneWay += operations(
                    from: KeyedState(), to: table.entries(of: key, column, links), object, property.name)
            case .none:
                guard property.isText, let (_, insertion) = newText(table.value(key, column)) else { continue }
                oneWay.append(.text(object, property: property.name, insertion))
            }
        }
    }
}
