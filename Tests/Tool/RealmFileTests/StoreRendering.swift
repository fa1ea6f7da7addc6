import CausewayJSON
import CausewayModel
import CausewayObjectStore

/// The content of a file of ours in the JSON of the sample files: what became of a Realm file in an import.
struct StoreRendering {
    let transaction: Transaction
    /// The keys that objects without a primary key had in the Realm file, by class, in the order of the rows.
    let realmKeys: [String: [Int64]]

    func json(_ className: String) -> JSON? {
        guard let table = transaction.table(className) else { return nil }
        var members = [JSON.Member("class", .string(className)), JSON.Member("kind", .string(kind(table.schema.kind)))]
        members.append(
            JSON.Member(
                "primaryKey", table.schema.primaryKeyIndex.map { .string(table.schema.properties[$0].name) } ?? .null))
        members.append(JSON.Member("properties", .array(table.schema.properties.map(property))))
        if table.schema.kind != .embedded {
            members.append(JSON.Member("rows", .array(keys(table).map { object($0, table) })))
        } else {
            members.append(JSON.Member("rowCount", .number("\(table.count)")))
        }
        return .object(members)
    }

    private func kind(_ kind: ClassKind) -> String {
        switch kind {
        case .object: "topLevel"
        case .embedded: "embedded"
        case .asymmetric: "asymmetric"
        }
    }

    private func keys(_ table: Table) -> [ObjectKey] {
        (0..<table.keysEnd.rawValue).map { ObjectKey($0) }.filter { table.exists($0) }
    }

    private func property(_ property: Property) -> JSON {
        let type =
            switch property.type {
            case .data: "binary"
            case .date: "timestamp"
            case .object: "link"
            default: "\(property.type)"
            }
        var members = [
            JSON.Member("name", .string(property.name)), JSON.Member("type", .string(type)),
            JSON.Member("nullable", .bool(property.isOptional)),
            JSON.Member("collection", .string(property.collection == .map ? "dictionary" : "\(property.collection)")),
        ]
        if let target = property.target { members.append(JSON.Member("target", .string(target))) }
        if property.isFullTextIndexed { members.append(JSON.Member("index", .string("fulltext"))) }
        if property.isIndexed { members.append(JSON.Member("index", .string("general"))) }
        return .object(members)
    }

    private func object(_ key: ObjectKey, _ table: Table) -> JSON {
        SampleValue.object(
            "values",
            .object(
                table.schema.properties.enumerated().map { column, property in
                    JSON.Member(property.name, value(key, table, column, property))
                }))
    }

    private func value(_ key: ObjectKey, _ table: Table, _ column: Int, _ property: Property) -> JSON {
        switch property.collection {
        case .none: return json(table.value(key, column), property)
        case .list, .set: return .array(table.listValues(key, column).map { json($0, property) })
        case .map:
            return .object(
                zip(table.mapKeys(key, column), table.listValues(key, column)).map {
                    JSON.Member($0, json($1, property))
                })
        }
    }

    private func json(_ value: Value, _ property: Property) -> JSON {
        switch value {
        case .object(let key):
            guard let target = property.target.flatMap({ transaction.table($0) }) else { return .null }
            return target.schema.kind == .embedded ? object(key, target) : link(key, target)
        case .anyObject(let any):
            if let nested = transaction.nested(value) { return json(nested) }
            guard let target = transaction.table(number: any.classNumber) else { return .null }
            return SampleValue.object("link", link(any.key, target))
        default: return property.type == .mixed ? SampleValue.mixed(value) : SampleValue.json(value)
        }
    }

    private func json(_ nested: (table: Table, key: ObjectKey, kind: NestedCollection)) -> JSON {
        let property = nested.kind.schema.properties[NestedCollection.column]
        let elements = transaction.elements(of: nested.table, nested.key).map { json($0, property) }
        guard nested.kind == .map else { return SampleValue.object("list", .array(elements)) }
        let names = nested.table.mapKeys(nested.key, NestedCollection.column)
        return SampleValue.object("dictionary", .object(zip(names, elements).map { JSON.Member($0, $1) }))
    }

    private func link(_ key: ObjectKey, _ table: Table) -> JSON {
        let name = JSON.Member("class", .string(table.name))
        guard table.schema.primaryKeyIndex != nil else {
            let place = keys(table).firstIndex(of: key)
            let realmKey = place.flatMap { realmKeys[table.name]?[$0] }
            return .object([name, JSON.Member("key", realmKey.map { .number("\($0)") } ?? .null)])
        }
        let primaryKey = table.primaryKey(of: key)?.value
        return .object([name, JSON.Member("pk", primaryKey.map { SampleValue.json($0) } ?? .string("no object"))])
    }
}
