import CausewayModel
import CausewayObjectStore
import CausewayObjectStoreReference
import CausewaySeeds
import Testing

/// A file with a property of every type, alone and in every collection, whose values are drawn from a seed.
struct GeneratedFile {
    private static let types = PropertyType.allCases.filter { $0 != .object && $0 != .mixed }
    private static let collections = [CollectionKind.list, .set, .map]
    private static let part = "Part"
    /// The classes of objects, with and without primary keys of each type.
    private static let keys: [(name: String, type: PropertyType?)] = [
        ("Counted", .int), ("Named", .string), ("Old", .objectId), ("Plain", nil), ("Unique", .uuid),
    ]

    static let schema = Schema(
        keys.map { entry in
            let key = entry.type.map {
                [Property(name: "key", type: $0, isOptional: $0 != .int, isPrimaryKey: true)]
            }
            return ClassSchema(name: entry.name, properties: (key ?? []) + properties)
        } + [
            ClassSchema(
                name: part, kind: .embedded,
                properties: [
                    Property(name: "$size", type: .int), Property(name: "value", type: .mixed, isOptional: true),
                    Property(name: "inner", type: .object, isOptional: true, target: part),
                    Property(name: "owner", type: .object, isOptional: true, target: "Plain"),
                ])
        ])

    private static let properties: [Property] =
        types.flatMap { type in
            [Property(name: "\(type)", type: type, isIndexed: type == .string || type == .int)]
                + [Property(name: "\(type)Optional", type: type, isOptional: true)]
                + collections.map { collection in
                    Property(
                        name: "\(type)_\(collection)", type: type, collection: collection,
                        isOptional: collection != .set)
                }
        } + [
            Property(name: "mixed", type: .mixed, isOptional: true, isIndexed: true),
            Property(name: "count", type: .int, isCounter: true), Property(name: "text", type: .string, isText: true),
            Property(name: "words", type: .string, isFullTextIndexed: true),
            Property(name: "link", type: .object, isOptional: true, target: "Plain", deletionRule: .cascadeWhenLast),
            Property(name: "part", type: .object, isOptional: true, target: part),
            Property(name: "parts", type: .object, collection: .list, target: part),
            Property(name: "partsByName", type: .object, collection: .map, isOptional: true, target: part),
        ]
        + collections.map { collection in
            Property(name: "mixed_\(collection)", type: .mixed, collection: collection, isOptional: true)
        }
        + collections.map { collection in
            Property(
                name: "links_\(collection)", type: .object, collection: collection, isOptional: collection == .map,
                target: "Named")
        }

    private let transaction: Transaction
    private var numbers: SeededNumbers
    private var objects: [String: [ObjectKey]] = [:]

    /// - Parameter hasUnnamed: whether there are objects without a primary key.
    static func make(_ path: String, key: [UInt8]?, seed: UInt64, hasUnnamed: Bool = true) throws {
        try Files.change(path, schema, key: key) { transaction in
            var file = GeneratedFile(transaction: transaction, numbers: SeededNumbers(seed: seed))
            try file.createObjects(hasUnnamed: hasUnnamed)
            try file.fillObjects()
            if seed % 2 == 0 { transaction.setAppSchemaVersion(seed % 100) }
        }
    }

    private mutating func createObjects(hasUnnamed: Bool) throws {
        for (name, type) in Self.keys where type != nil || hasUnnamed {
            let table = try #require(transaction.table(name))
            for _ in 0..<12 {
                let primaryKey = type.flatMap { type in
                    numbers.once(in: 6) && type != .int ? .null : PrimaryKey(RandomValues.value(of: type, &numbers))
                }
                if let primaryKey, table.key(for: primaryKey) != nil { continue }
                objects[name, default: []].append(try table.create(primaryKey))
            }
            // Gaps, so that rows are no numbers.
            let gone = objects[name]?.remove(at: 1)
            if let gone { table.delete(gone) }
        }
    }

    private mutating func fillObjects() throws {
        for (name, _) in Self.keys {
            let table = try #require(transaction.table(name))
            for key in objects[name] ?? [] {
                for (column, property) in table.schema.properties.enumerated() where !property.isPrimaryKey {
                    try fill(table, key, column, depth: 0)
                }
            }
        }
    }

    private mutating func fill(_ table: Table, _ key: ObjectKey, _ column: Int, depth: Int) throws {
        let property = table.schema.properties[column]
        var values: [Value] = []
        for _ in 0..<(property.collection == .none ? 1 : numbers.below(5)) {
            let value = try value(of: property, depth: depth)
            if table.accepts(value, column: column) { values.append(value) }
        }
        switch property.collection {
        case .none: if let value = values.first { table.set(key, column, value) }
        case .list: table.listReplace(key, column, values)
        case .set: table.setReplace(key, column, values)
        case .map:
            let names = values.indices.map { "\(numbers.one(of: ["", "$", "a.b", "ä", "x\u{0}"]))\($0)" }
            table.mapReplace(key, column, zip(names, values).map { (key: $0, value: $1) })
        }
    }

    private mutating func value(of property: Property, depth: Int) throws -> Value {
        if property.isOptional, numbers.once(in: 5) { return .null }
        switch property.type {
        case .object where property.target == Self.part: return depth < 4 ? try embedded(depth: depth + 1) : .null
        case .object: return numbers.someone(of: objects[property.target ?? ""] ?? []).map { .object($0) } ?? .null
        case .mixed: return try mixed(mayNest: property.collection != .set, depth: depth)
        case .date: return date()
        default: return RandomValues.value(of: property.type, &numbers)
        }
    }

    /// Both parts have one sign, as all dates that apps make.
    private mutating func date() -> Value {
        guard case .timestamp(let point) = RandomValues.value(of: .date, &numbers), point.seconds < 0 else {
            return .timestamp(Timestamp(seconds: numbers.one(of: [0, 1, .max]), nanoseconds: 7))
        }
        return .timestamp(Timestamp(seconds: point.seconds, nanoseconds: -point.nanoseconds))
    }

    private mutating func mixed(mayNest: Bool, depth: Int) throws -> Value {
        switch numbers.below(6) {
        case 0:
            let name = numbers.one(of: Self.keys).name
            let table = try #require(transaction.table(name))
            return numbers.someone(of: objects[name] ?? []).map { .anyObject(ClassedKey(table.number, $0)) } ?? .null
        case 1...2 where mayNest && depth < 5:
            let kind = numbers.one(of: [NestedCollection.list, .map])
            let table = try #require(transaction.nestedTable(kind))
            let key = try table.create(nil)
            try fill(table, key, NestedCollection.column, depth: depth + 1)
            return .anyObject(ClassedKey(table.number, key))
        case 3: return date()
        default: return RandomValues.value(of: .mixed, &numbers)
        }
    }

    private mutating func embedded(depth: Int) throws -> Value {
        let table = try #require(transaction.table(Self.part))
        let key = try table.create(nil)
        for column in table.schema.properties.indices { try fill(table, key, column, depth: depth) }
        return .object(key)
    }
}

extension SeededNumbers {
    /// Nil if there are none.
    fileprivate mutating func someone<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
