import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayQuery

/// An object as one line of JSON, its properties in the schema's order.
enum RowText {
    /// How deep embedded objects inside each other are printed. Devices decide how deep they nest them.
    private static let depthMax = 16

    static func json(_ key: ObjectKey, _ table: Table, _ transaction: Transaction, depth: Int = 0) -> String {
        guard depth < depthMax else { return JSONText.quoted("…") }
        let fields = table.schema.properties.indices.map { column in
            let property = table.schema.properties[column]
            let target = property.target.flatMap { transaction.table($0) }
            let text: String
            if property.collection == .none {
                text = json(table.value(key, column), target, transaction, depth)
            } else {
                let elements = table.listValues(key, column).map { json($0, target, transaction, depth) }
                text =
                    property.collection == .map
                    ? map(table.mapKeys(key, column), elements) : "[" + elements.joined(separator: ",") + "]"
            }
            return "\(JSONText.quoted(property.name)):\(text)"
        }
        return "{" + fields.joined(separator: ",") + "}"
    }

    private static func json(
        _ value: Value, _ target: Table?, _ transaction: Transaction, _ depth: Int
    ) -> String {
        switch value {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .int(let value): return String(value)
        // JSON has no infinity and no NaN.
        case .float(let value): return value.isFinite ? "\(value)" : JSONText.quoted("\(value)")
        case .double(let value): return value.isFinite ? "\(value)" : JSONText.quoted("\(value)")
        case .object(let key):
            guard let target else { return "null" }
            // An embedded object is a part of its parent; any other is named by its key.
            if target.schema.kind == .embedded { return json(key, target, transaction, depth: depth + 1) }
            return target.primaryKey(of: key)?.value.map { json($0, nil, transaction, depth) } ?? "null"
        case .anyObject(let object):
            if let nested = transaction.nested(value) { return json(nested, transaction, depth + 1) }
            let key = transaction.table(number: object.classNumber)?.primaryKey(of: object.key)?.value
            return key.map { json($0, nil, transaction, depth) } ?? "null"
        case .anyLink(let link): return link.key.value.map { json($0, nil, transaction, depth) } ?? "null"
        case .link(let key): return key.value.map { json($0, nil, transaction, depth) } ?? "null"
        // A reader of JSON takes numbers as Doubles, which would lose digits.
        case .decimal(let value): return JSONText.quoted(value.description)
        case .string, .bytes, .timestamp, .objectId, .uuid:
            return JSONText.quoted(text(value))
        }
    }

    /// A collection inside of a mixed value.
    private static func json(
        _ nested: (table: Table, key: ObjectKey, kind: NestedCollection), _ transaction: Transaction, _ depth: Int
    ) -> String {
        guard depth < depthMax else { return JSONText.quoted("…") }
        let elements = transaction.elements(of: nested.table, nested.key).map { json($0, nil, transaction, depth) }
        guard nested.kind == .map else { return "[" + elements.joined(separator: ",") + "]" }
        return map(nested.table.mapKeys(nested.key, NestedCollection.column), elements)
    }

    private static func map(_ names: [String], _ elements: [String]) -> String {
        "{" + zip(names, elements).map { "\(JSONText.quoted($0)):\($1)" }.joined(separator: ",") + "}"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let value): value
        case .objectId(let value): value.hexadecimal
        case .uuid(let value): value.hyphenated
        default: value.literalText
        }
    }
}
