package import CausewayModel
import CausewayQuery

/// What the object store promises, written to be read: dictionaries of rows, every rule a loop over everything.
package struct ReferenceStore {
    package struct Row: Equatable {
        package var primaryKey: PrimaryKey?
        /// By column; null for collections.
        package var values: [Value]
        /// Elements of lists and sets, and values of maps, by column; keys of maps by its complement.
        package var lists: [Int: [Value]] = [:]
    }

    /// What a mixed value holds when it is a list or a dictionary.
    package enum Collection: Equatable {
        case list([Value])
        case map([ExactString: Value])
    }

    package let schema: Schema
    package var rows: [String: [ObjectKey: Row]] = [:]
    /// By the value that holds each. Those that ended stay: nothing leads to them.
    package var collections: [Value: Collection] = [:]
    package var ghosts: [String: [ObjectKey: PrimaryKey]] = [:]

    package init(schema: Schema) {
        self.schema = schema
        for known in schema.classes {
            rows[known.name] = [:]
            ghosts[known.name] = [:]
        }
    }

    package func keys(_ className: String) -> [ObjectKey] {
        (rows[className] ?? [:]).keys.sorted()
    }

    package func key(_ className: String, for primaryKey: PrimaryKey) -> ObjectKey? {
        rows[className]?.first { $0.value.primaryKey == primaryKey }?.key
            ?? ghosts[className]?.first { $0.value == primaryKey }?.key
    }

    // MARK: - Links

    package struct Origin: Hashable {
        package var className: String
        package var column: Int
        package var key: ObjectKey
    }

    /// Every link to an object, one entry a link.
    package func origins(of target: ObjectKey, _ className: String) -> [Origin] {
        originsByTarget[className]?[target] ?? []
    }

    /// All links, by the class and key of their targets.
    package var originsByTarget: [String: [ObjectKey: [Origin]]] {
        var result: [String: [ObjectKey: [Origin]]] = [:]
        for known in schema.classes {
            for (column, property) in known.properties.enumerated() {
                guard let target = property.target else { continue }
                for (key, row) in rows[known.name] ?? [:] {
                    let linked = property.collection == .none ? [row.values[column]] : row.lists[column] ?? []
                    for case .object(let other) in linked {
                        result[target, default: [:]][other, default: []]
                            .append(Origin(className: known.name, column: column, key: key))
                    }
                }
            }
        }
        return result
    }

    // MARK: - Changing

    package mutating func create(_ className: String, _ key: ObjectKey, _ primaryKey: PrimaryKey?, _ values: [Value]) {
        ghosts[className]?[key] = nil
        rows[className]?[key] = Row(primaryKey: primaryKey, values: values)
    }

    package mutating func set(_ className: String, _ key: ObjectKey, _ column: Int, _ value: Value) {
        let before = rows[className]?[key]?.values[column] ?? .null
        rows[className]?[key]?.values[column] = value
        if value != before { deleteOwned([before], className, column, keeping: []) }
    }

    package mutating func setList(_ className: String, _ key: ObjectKey, _ column: Int, _ values: [Value]) {
        let before = rows[className]?[key]?.lists[column] ?? []
        rows[className]?[key]?.lists[column] = values
        if column < 0 { return }
        deleteOwned(before, className, column, keeping: values)
    }

    private mutating func deleteOwned(_ values: [Value], _ className: String, _ column: Int, keeping: [Value]) {
        guard let target = schema[className]?.properties[column].target, schema[target]?.kind == .embedded else {
            return
        }
        for case .object(let key) in values where !keeping.contains(.object(key)) {
            delete(target, key, leavingGhost: false)
        }
    }

    package mutating func delete(_ className: String, _ key: ObjectKey, leavingGhost: Bool) {
        guard let row = rows[className]?[key] else { return }
        let others = origins(of: key, className).filter { $0.className != className || $0.key != key }
        rows[className]?[key] = nil
        if leavingGhost, !others.isEmpty, let primaryKey = row.primaryKey {
            ghosts[className]?[key] = primaryKey
        } else {
            for origin in others {
                let property = schema[origin.className]?.properties[origin.column]
                if property?.collection == .map {
                    let values = rows[origin.className]?[origin.key]?.lists[origin.column]
                    rows[origin.className]?[origin.key]?.lists[origin.column] = values?.map {
                        $0 == .object(key) ? .null : $0
                    }
                } else if property?.collection != CollectionKind.none {
                    rows[origin.className]?[origin.key]?.lists[origin.column]?.removeAll { $0 == .object(key) }
                } else {
                    rows[origin.className]?[origin.key]?.values[origin.column] = .null
                }
            }
        }
        for (column, property) in (schema[className]?.properties ?? []).enumerated() where property.type == .object {
            deleteOwned(row.lists[column] ?? [row.values[column]], className, column, keeping: [])
        }
    }
}

/// One row for the row evaluator.
package struct ReferenceRow: RowSource {
    package let store: ReferenceStore
    package let className: String
    package let key: ObjectKey

    package init(store: ReferenceStore, className: String, key: ObjectKey) {
        self.store = store
        self.className = className
        self.key = key
    }

    package func value(of property: Int, in className: String) -> Value {
        store.rows[className]?[key]?.values[property] ?? .null
    }

    package func elements(of property: Int, in className: String) -> [Value] {
        store.rows[className]?[key]?.lists[property] ?? []
    }

    package func object(at link: Value, in target: String) -> ReferenceRow? {
        guard case .object(let key) = link, store.rows[target]?[key] != nil else { return nil }
        return ReferenceRow(store: store, className: target, key: key)
    }

    package func namesSameObject(_ left: Value, _ right: Value, in target: String) -> Bool {
        func key(_ link: Value) -> ObjectKey? {
            switch link {
            case .object(let key): key
            case .link(let primaryKey): store.key(target, for: primaryKey)
            default: nil
            }
        }
        guard let left = key(left), let right = key(right) else { return false }
        return left == right
    }
}
