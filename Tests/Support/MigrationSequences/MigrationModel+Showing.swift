import CausewayModel
import CausewayObjectStore

extension MigrationModel {
    /// Everything that there is to ask: each property, and each index by a query.
    var questions: [String: Questions] {
        classes.mapValues { content in
            Questions(
                properties: content.schema.filter { $0.collection == .none }.map(\.name),
                lists: content.schema.filter { $0.collection == .list }.map(\.name),
                queries: content.schema.compactMap { Self.query(of: $0)?.text })
        }
    }

    /// What a program has to answer.
    func shown() throws -> [String: ShownClass] {
        try classes.mapValues { content in
            var shown = ShownClass(count: content.rows.count)
            for (key, row) in content.rows {
                var values: [String: [Scalar]] = [:]
                for property in content.schema {
                    let stored =
                        property.collection == .list
                        ? content.lists[key]?[property.name] ?? [] : [row[property.name] ?? .null]
                    values[property.name] = try stored.map { try Scalar(stored: $0) }
                }
                shown.rows[key.rawValue] = values
            }
            for property in content.schema {
                guard let query = Self.query(of: property) else { continue }
                shown.found[query.text] =
                    content.rows.filter { query.finds($0.value[property.name] ?? .null) }.keys.map(\.rawValue).sorted()
            }
            return shown
        }
    }

    /// A query that the property's index answers; nil when it has none.
    private static func query(of property: Property) -> (text: String, finds: (Value) -> Bool)? {
        if property.isFullTextIndexed {
            return (
                "\(property.name) TEXT 'red'",
                { if case .string(let text) = $0 { text.hasPrefix("red") } else { false } }
            )
        }
        guard property.isIndexed else { return nil }
        return property.type == .int
            ? ("\(property.name) == 3", { $0 == .int(3) })
            : (
                "\(property.name) == '\(Self.oneAccent)'",
                { if case .string(let text) = $0 { text.utf8.elementsEqual(Self.oneAccent.utf8) } else { false } }
            )
    }

    mutating func create(_ name: String, _ key: ObjectKey, id: Int64) {
        guard let content = classes[name] else { return }
        var row: [String: Value] = [:]
        for property in content.schema where property.collection == .none {
            row[property.name] = property.isPrimaryKey ? .int(id) : Self.zero(property)
        }
        classes[name]?.rows[key] = row
        classes[name]?.lists[key] = Dictionary(
            uniqueKeysWithValues: content.schema.filter { $0.collection == .list }.map { ($0.name, []) })
    }
}
