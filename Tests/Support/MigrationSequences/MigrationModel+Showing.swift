import CausewayModel
import CausewayObjectStore
import CausewaySeeds

extension MigrationModel {
    /// Everything that there is to ask of these classes: each property, each index by a query, and these queries.
    func questions(_ names: Set<String>, _ queries: Set<LinkQuery>) -> [String: Questions] {
        var result: [String: Questions] = [:]
        for (name, content) in classes where names.contains(name) {
            result[name] = Questions(
                properties: content.schema.filter { $0.collection == .none }.map(\.name),
                lists: content.schema.filter { $0.collection == .list }.map(\.name),
                queries: content.schema.compactMap { Self.query(of: $0)?.text }
                    + queries.filter { $0.className == name }.map(\.text))
        }
        return result
    }

    /// What a program has to answer.
    func shown(_ names: Set<String>, _ queries: Set<LinkQuery>) throws -> [String: ShownClass] {
        var result: [String: ShownClass] = [:]
        for (name, content) in classes where names.contains(name) {
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
            for query in queries where query.className == name {
                shown.found[query.text] = content.rows.keys.filter { finds(query, $0) }.map(\.rawValue).sorted()
            }
            result[name] = shown
        }
        return result
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

    // MARK: - Queries through links

    /// The objects that lead to one whose integer is a number.
    struct LinkQuery: Hashable, Sendable {
        let className: String
        let property: String
        let isList: Bool
        let target: String
        /// A property of the target.
        let asked: String
        let number: Int64

        var text: String { "\(isList ? "ANY " : "")\(property).\(asked) == \(number)" }
    }

    /// A query of this class through one of its links; nil when it has none.
    func drawnQuery(_ name: String, _ numbers: inout SeededNumbers) -> LinkQuery? {
        guard let link = classes[name]?.schema.filter({ $0.type == .object }).randomElement(using: &numbers),
            let target = link.target,
            let asked = classes[target]?.schema.filter({ $0.type == .int && $0.collection == .none })
                .randomElement(using: &numbers)
        else { return nil }
        return LinkQuery(
            className: name, property: link.name, isList: link.collection == .list, target: target, asked: asked.name,
            number: Int64(numbers.below(6)))
    }

    private func finds(_ query: LinkQuery, _ key: ObjectKey) -> Bool {
        guard let content = classes[query.className] else { return false }
        let links =
            query.isList
            ? content.lists[key]?[query.property] ?? [] : [content.rows[key]?[query.property] ?? .null]
        return links.contains { link in
            guard case .object(let key) = link, let row = classes[query.target]?.rows[key] else { return false }
            return row[query.asked] == .int(query.number)
        }
    }
}
