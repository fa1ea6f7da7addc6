import CausewayFiles
import CausewayJSON
import CausewayModel

/// Makes classes of the schemas of collections.
struct AppClasses {
    private let schema: AppSchema
    private(set) var classes: [ClassSchema] = []
    /// What has no counterpart, for people.
    private(set) var notes: [String] = []

    init(_ schema: AppSchema) throws {
        self.schema = schema
        for collection in schema.collections { try add(collection) }
        for collection in schema.collections { link(collection) }
        try checkSharedLinks()
    }

    private mutating func add(_ collection: AppSchema.Collection) throws {
        let name = collection.title
        guard !classes.contains(where: { $0.name == name }) else {
            throw FileFailure("Two collections have the title '\(name)'. Give --schema the folder of one database.")
        }
        guard NestedCollection(className: name) == nil else {
            throw FileFailure("'\(name)' is no name for a class. Correct the title.")
        }
        let place = classes.count
        classes.append(ClassSchema(name: name, properties: []))
        classes[place].properties = try properties(collection.schema, of: name, isEmbedded: false)
    }

    private mutating func properties(_ json: JSON, of className: String, isEmbedded: Bool) throws -> [Property] {
        let required = Set((json["required"]?.elements ?? []).compactMap { $0.string.map { ExactString($0) } })
        let key = isEmbedded ? nil : json["primaryKey"]?.string ?? InferredClasses.primaryKey
        return try (json["properties"]?.members ?? []).map { member in
            let name = member.name.string
            guard !name.isEmpty, member.value.members != nil else {
                throw FileFailure("The schema of '\(className)' has a property without a name or a type.")
            }
            var property = try self.property(member.value, name, of: className)
            if key == name {
                guard property.collection == .none, [.int, .string, .objectId, .uuid].contains(property.type) else {
                    throw FileFailure(
                        "'\(className).\(name)' cannot be a primary key. Expected: objectId, string, int, long or uuid."
                    )
                }
                property.isPrimaryKey = true
                property.isOptional = false
            } else if required.contains(ExactString(name)), property.collection == .none,
                property.type != .object, property.type != .mixed, !Self.types(member.value).isNullable
            {
                property.isOptional = false
            }
            return property
        }
    }

    private mutating func property(_ json: JSON, _ name: String, of className: String) throws -> Property {
        let types = Self.types(json)
        switch types.names {
        case ["array"]: return try list(json, name, of: className)
        case ["object"]:
            if Self.isReference(json) { return Property(name: name, type: .mixed, isOptional: true) }
            if json["properties"]?.members?.isEmpty == false {
                let target = try embedded(json, className, name)
                return Property(name: name, type: .object, isOptional: true, target: target)
            }
            return try map(json["additionalProperties"], name, of: className)
        default: return Property(name: name, type: try Self.type(types.names, name, className), isOptional: true)
        }
    }

    private mutating func list(_ json: JSON, _ name: String, of className: String) throws -> Property {
        let items = json["items"] ?? .null
        let types = Self.types(items)
        if types.names == ["object"], Self.isReference(items) {
            return Property(name: name, type: .mixed, collection: .list, isOptional: true)
        }
        if types.names == ["object"], items["properties"]?.members?.isEmpty == false {
            let target = try embedded(items, className, name)
            return Property(name: name, type: .object, collection: .list, target: target)
        }
        let isNested = types.names == ["object"] || types.names == ["array"]
        let type = isNested ? .mixed : try Self.type(types.names, name, className)
        // A set holds no lists and no dictionaries.
        let isSet = json["uniqueItems"] == .bool(true) && !isNested
        return Property(
            name: name, type: type, collection: isSet ? .set : .list, isOptional: type == .mixed || types.isNullable)
    }

    private mutating func map(_ values: JSON?, _ name: String, of className: String) throws -> Property {
        let values = values ?? .null
        let types = Self.types(values)
        if types.names == ["object"], values["properties"]?.members?.isEmpty == false {
            let target = try embedded(values, className, name)
            return Property(name: name, type: .object, collection: .map, isOptional: true, target: target)
        }
        let isNested = types.names == ["object"] || types.names == ["array"]
        let type = isNested ? .mixed : try Self.type(types.names, name, className)
        return Property(name: name, type: type, collection: .map, isOptional: type == .mixed || types.isNullable)
    }

    private mutating func embedded(_ json: JSON, _ parent: String, _ property: String) throws -> String {
        let title = json["title"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let name = title ?? "\(parent)_\(property)"
        let place = classes.count
        let isTaken = classes.contains { $0.name == name } || schema.collections.contains { $0.title == name }
        guard isTaken else {
            classes.append(ClassSchema(name: name, kind: .embedded, properties: []))
            classes[place].properties = try properties(json, of: name, isEmbedded: true)
            return name
        }
        // The same class may be embedded in several places.
        var copy = self
        let content = try copy.properties(json, of: name, isEmbedded: true)
        if let known = classes.first(where: { $0.name == name }), known.kind == .embedded, known.properties == content {
            return name
        }
        throw FileFailure(
            "The class '\(name)', embedded in '\(parent).\(property)', is another one with the same title. Give each its own."
        )
    }

    // MARK: - Types

    /// Whether an object is a DBRef. It names its collection itself, so it becomes a link in a mixed value, unless a relationship
    /// says where it leads.
    private static func isReference(_ json: JSON) -> Bool {
        json["properties"]?["$ref"] != nil && json["properties"]?["$id"] != nil
    }

    private static func types(_ json: JSON) -> (names: [String], isNullable: Bool) {
        let given = json["bsonType"] ?? json["type"]
        let names = given?.string.map { [$0] } ?? (given?.elements ?? []).compactMap(\.string)
        return (names.filter { $0 != "null" }, names.contains("null"))
    }

    private static func type(_ names: [String], _ property: String, _ className: String) throws -> PropertyType {
        let types = try names.map { name in
            guard let type = propertyTypes[name] else {
                throw FileFailure(
                    "'\(className).\(property)' has the type '\(name.prefix(100))', which has no counterpart. Remove the property "
                        + "from the schema, or make it mixed.")
            }
            return type
        }
        return types.count == 1 ? types[0] : .mixed
    }

    private static let propertyTypes: [String: PropertyType] = [
        "string": .string, "bool": .bool, "boolean": .bool, "int": .int, "long": .int, "integer": .int,
        "double": .double, "number": .double, "float": .float, "decimal": .decimal128, "date": .date,
        "objectId": .objectId, "uuid": .uuid, "binData": .data, "mixed": .mixed, "object": .mixed, "array": .mixed,
    ]

    // MARK: - Links

    private mutating func link(_ collection: AppSchema.Collection) {
        for relationship in collection.relationships {
            let words = "\(collection.title).\(relationship.path.joined(separator: "."))"
            guard let target = target(of: relationship) else {
                notes.append(
                    "\(words) stays a value: its relationship leads to '\(relationship.collection)', which is not in the schema."
                )
                continue
            }
            guard target.primaryKey == relationship.foreignKey else {
                notes.append(
                    "\(words) stays a value: its relationship is by '\(relationship.foreignKey)', and links are by the primary key."
                )
                continue
            }
            guard let (owner, column) = place(of: relationship.path, from: collection.title) else {
                notes.append("\(words) has a relationship, and the schema has no such property.")
                continue
            }
            let property = classes[owner].properties[column]
            guard !property.isPrimaryKey, property.type != .object else {
                notes.append("\(words) stays as it is: a primary key or an embedded object cannot be a link.")
                continue
            }
            classes[owner].properties[column].type = .object
            classes[owner].properties[column].target = target.name
            classes[owner].properties[column].isOptional = property.collection == .none || property.collection == .map
        }
    }

    /// A relationship makes a property a link in every place where its class is embedded, so all of these must have it.
    private func checkSharedLinks() throws {
        for collection in schema.collections {
            for relationship in collection.relationships {
                guard let (owner, column) = place(of: relationship.path, from: collection.title),
                    classes[owner].kind == .embedded, classes[owner].properties[column].type == .object
                else { continue }
                let name = classes[owner].name
                for other in schema.collections where embeds(name, in: other.title) {
                    let hasIt = other.relationships.contains { relationship in
                        place(of: relationship.path, from: other.title).map { $0 == (owner, column) } ?? false
                    }
                    guard !hasIt else { continue }
                    throw FileFailure(
                        "The class '\(name)' is embedded in '\(collection.title)' and in '\(other.title)', and only the first has a "
                            + "relationship for its '\(classes[owner].properties[column].name)'. Give both the relationship, or each "
                            + "embedded class a title of its own.")
                }
            }
        }
    }

    private func embeds(_ name: String, in className: String) -> Bool {
        var (waiting, seen) = ([className], Set<ExactString>())
        while let next = waiting.popLast() {
            guard seen.insert(ExactString(next)).inserted, let found = classes.first(where: { $0.name == next }) else {
                continue
            }
            if next == name { return true }
            waiting += found.properties.compactMap(\.target).filter { target in
                classes.contains { $0.name == target && $0.kind == .embedded }
            }
        }
        return false
    }

    private func target(of relationship: AppSchema.Relationship) -> (name: String, primaryKey: String?)? {
        let same = schema.collections.filter { $0.name == relationship.collection }
        guard let found = same.first(where: { $0.database == relationship.database }) ?? same.first,
            let known = classes.first(where: { $0.name == found.title })
        else { return nil }
        return (known.name, known.primaryKeyIndex.map { known.properties[$0].name })
    }

    private func place(of path: [String], from name: String) -> (Int, Int)? {
        guard var owner = classes.firstIndex(where: { $0.name == name }), let last = path.last else { return nil }
        for step in path.dropLast() {
            guard let column = classes[owner].index(of: step), let target = classes[owner].properties[column].target,
                let next = classes.firstIndex(where: { $0.name == target }), classes[next].kind == .embedded
            else { return nil }
            owner = next
        }
        return classes[owner].index(of: last).map { (owner, $0) }
    }
}
