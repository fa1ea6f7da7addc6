import CausewayExactValues
import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Transaction {
    /// Per item, all that a reader sees of it, with everything in it, as one text.
    ///
    /// - Parameter unordered: objects of which lists and texts are read in an order that says nothing.
    func readItems(unordered: Set<ObjectReference> = []) -> [Int64: ExactString] {
        guard let items = table("Item") else { return [:] }
        var read: [Int64: ExactString] = [:]
        for key in items.allKeys {
            if case .int(let name)? = items.primaryKey(of: key) {
                read[name] = ExactString(text(items, key, unordered))
            }
        }
        return read
    }

    private func text(_ table: Table, _ key: ObjectKey, _ unordered: Set<ObjectReference>) -> String {
        let isUnordered = !unordered.isEmpty && isIn(unordered, table, key)
        let parts = table.schema.properties.enumerated().map { column, property in
            let value: String
            switch property.collection {
            case .none:
                let text = text(table.value(key, column), property, unordered)
                value = isUnordered && property.isText ? String(text.sorted()) : text
            case .list:
                let values = table.listValues(key, column).map { text($0, property, unordered) }
                value = "\(isUnordered ? values.inOrderOfBytes : values)"
            // The order of a set of links is that of rows, which is another one in each file.
            case .set: value = "\(table.listValues(key, column).map { text($0, property, unordered) }.inOrderOfBytes)"
            case .map:
                let values = table.listValues(key, column).map { text($0, property, unordered) }
                value = "\(zip(table.mapKeys(key, column), values).map { "\($0): \($1)" }.inOrderOfBytes)"
            }
            return "\(property.name)=\(value)"
        }
        return "{" + parts.joined(separator: " ") + "}"
    }

    /// A link is its target's primary key, or that it leads nowhere; what is embedded is its content.
    private func text(_ value: Value, _ property: Property, _ unordered: Set<ObjectReference>) -> String {
        if let (nested, key, kind) = nested(value) {
            guard nested.exists(key) else { return "nil" }
            let values = nested.listValues(key, NestedCollection.column).map { text($0, property, unordered) }
            guard kind == .map else {
                return "\(isIn(unordered, nested, key) ? values.inOrderOfBytes : values)"
            }
            let names = nested.mapKeys(key, NestedCollection.column)
            return "\(zip(names, values).map { "\($0): \($1)" }.inOrderOfBytes)"
        }
        guard case .object(let key) = value, let target = property.target, let linked = table(target) else {
            return value.isNull ? "nil" : "\(ExactValue(value))"
        }
        guard linked.exists(key) else { return "nil" }
        if linked.schema.kind == .embedded { return text(linked, key, unordered) }
        return "→\(linked.primaryKey(of: key).map { "\($0)" } ?? "nil")"
    }

    private func isIn(_ unordered: Set<ObjectReference>, _ table: Table, _ key: ObjectKey) -> Bool {
        table.primaryKey(of: key).map { unordered.contains(ObjectReference(table.name, $0)) } ?? false
    }

    /// Embedded objects that are alive although nothing holds them.
    func orphans() -> [String] {
        tables.filter { $0.schema.kind == .embedded }.flatMap { table in
            table.allKeys.filter { table.backlinkCount(to: $0) == 0 }.map { "\(table.name) \($0.rawValue)" }
        }
    }
}
