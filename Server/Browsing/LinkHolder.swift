import CausewayJSON
import CausewayModel
import CausewayObjectStore

/// An object that links to another one, or that holds what does.
struct LinkHolder {
    let table: Table
    let key: ObjectKey

    /// How many holders are named of each property.
    static let shownMax = 20
    /// How many levels of embedded objects are climbed.
    private static let depthMax = 128

    /// The object that stands for itself: the one that an embedded object or a collection is part of, at whatever depth. Nil for a
    /// part that nothing holds.
    init?(of row: ObjectKey, in table: Table) {
        var (table, row) = (table, row)
        for _ in 0..<Self.depthMax {
            if table.schema.kind == .object, NestedCollection(className: table.name) == nil {
                (self.table, key) = (table, row)
                return
            }
            guard let holder = table.holder(of: row) else { return nil }
            (table, row) = (holder.table, holder.key)
        }
        return nil
    }

    /// The link that names it: by its primary key, or by its row where the class has none.
    func writeLink(to json: inout JSONWriter) {
        if table.schema.primaryKeyIndex != nil {
            guard let key = table.primaryKey(of: key) else { return json.null() }
            return json.write(link: ClassedLink(table.name, key))
        }
        json.object { json in
            json.field("$ref", table.name)
            json.field("$row", key.rawValue)
        }
    }
}

extension IncomingLinks {
    func write(to json: inout JSONWriter) {
        json.object { json in
            // Collections inside of mixed values have no name that anybody gave.
            json.field("class", NestedCollection(className: table.name) == nil ? table.name : "")
            json.field("property", table.schema.properties[column].name)
            json.field("count", count)
            json.name("objects")
            json.array(first.compactMap { LinkHolder(of: $0, in: table) }) { $0.writeLink(to: &$1) }
        }
    }
}
