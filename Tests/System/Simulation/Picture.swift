import CausewayExactValues
import CausewayModel
import CausewayObjectStore
import CausewayOperations

/// An object as a reader sees it, bit by bit, with everything embedded in it: what two places are compared by.
indirect enum Picture: Hashable {
    case exact(ExactValue)
    case list([Picture])
    case object([ExactString: Picture])

    static func value(_ value: Value) -> Picture { .exact(ExactValue(value)) }
}

extension Picture {
    /// What a reader sees whose schema has only these properties.
    func restricted(to properties: Set<String>) -> Picture {
        guard case .object(let all) = self else { return self }
        return .object(all.filter { properties.contains($0.key.string) })
    }

    /// What a reader sees who may not read the property: it stands as in a new object.
    mutating func empty(_ property: Property) {
        guard case .object(var all) = self else { return }
        all[ExactString(property.name)] =
            switch (property.collection, property.type) {
            case (.list, _), (.set, _): .list([])
            case (.map, _): .object([:])
            case (.none, _) where property.isOptional: .value(.null)
            case (.none, .string): .value(.string(""))
            case (.none, .double): .value(.double(0))
            default: preconditionFailure("No rule hides a property of the type of \(property.name).")
            }
        self = .object(all)
    }
}

extension Picture: CustomStringConvertible {
    var description: String {
        switch self {
        case .exact(let exact): brief(exact.value)
        case .list(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .object(let properties):
            "{" + properties.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        }
    }
}

extension Transaction {
    /// Every top-level object, or those with the given keys.
    func pictures(_ className: String, _ keys: [ObjectKey]? = nil) -> [PrimaryKey: Picture] {
        guard let table = table(className) else { return [:] }
        var pictures: [PrimaryKey: Picture] = [:]
        for key in keys ?? table.allKeys {
            if let name = table.primaryKey(of: key) { pictures[name] = picture(className, key) }
        }
        return pictures
    }

    private func picture(_ className: String, _ key: ObjectKey) -> Picture {
        guard let table = table(className) else { return .value(.null) }
        var properties: [ExactString: Picture] = [:]
        for (column, property) in table.schema.properties.enumerated() {
            properties[ExactString(property.name)] = picture(of: column, property, key, table)
        }
        return .object(properties)
    }

    private func picture(of column: Int, _ property: Property, _ key: ObjectKey, _ table: Table) -> Picture {
        if property.collection == .none { return picture(table.value(key, column), property) }
        let values = table.listValues(key, column).map { picture($0, property) }
        switch property.collection {
        case .none, .list: return .list(values)
        // Elements that are links stand in the order of rows, which is another one in every file.
        case .set: return .list(values.sorted { $0.description.precedes($1.description) })
        case .map:
            return .object(
                Dictionary(uniqueKeysWithValues: zip(table.mapKeys(key, column).map { ExactString($0) }, values)))
        }
    }

    /// A link is its target's primary key; an embedded object is its content, since its name means nothing to a reader.
    private func picture(_ value: Value, _ property: Property) -> Picture {
        precondition(
            !value.isNaN || ExactValue(value) == ExactValue(stored: value), "A file has kept the payload of a NaN.")
        if let (table, key, kind) = nested(value) {
            guard table.exists(key) else { return .value(.null) }
            let elements = self.elements(of: table, key).map { picture($0, property) }
            if kind == .list { return .list(elements) }
            let names = table.mapKeys(key, NestedCollection.column)
            return .object(Dictionary(uniqueKeysWithValues: zip(names.map { ExactString($0) }, elements)))
        }
        guard case .object(let key) = value, let target = property.target, let table = table(target) else {
            return .value(travelling(value))
        }
        if table.schema.kind == .embedded {
            return table.exists(key) ? picture(target, key) : .value(.null)
        }
        return .value(table.primaryKey(of: key).map { .link($0) } ?? .null)
    }
}

extension Transaction {
    /// Embedded objects that are alive although nothing links to them.
    func orphans() -> [String] {
        var orphans: [String] = []
        for table in tables where table.schema.kind == .embedded {
            for key in table.allKeys where table.backlinkCount(to: key) == 0 {
                orphans.append("\(table.name) \(key.rawValue)")
            }
        }
        return orphans
    }
}

extension Transaction {
    /// The top-level object that an embedded one is part of; nil when it is part of none.
    func root(of embedded: ObjectReference) -> ObjectReference? {
        var current = embedded
        while true {
            guard let table = table(current.className), let key = table.keyOrGhost(for: current.key) else { return nil }
            var holder: ObjectReference?
            for origin in tables {
                for (column, property) in origin.schema.properties.enumerated()
                where property.target == table.name || table.nestedKind != nil && property.type == .mixed {
                    guard let row = table.backlinks(to: key, from: origin, column).first,
                        let name = origin.primaryKey(of: row)
                    else { continue }
                    holder = ObjectReference(origin.name, name)
                }
            }
            guard let holder else { return nil }
            if case .container = holder.key { current = holder } else { return holder }
        }
    }
}
