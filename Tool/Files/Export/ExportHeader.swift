import CausewayJSON
import CausewayModel

/// The first line of an export: the format, the schema, and how many objects follow.
struct ExportHeader {
    static let format: Int64 = 1
    private static let formatName = "causewayExport"
    static let classesMax = 10_000
    static let propertiesMax = 10_000

    var schema: Schema
    /// Tells an export that was cut off; nil if its writer did not say.
    var objectCount: Int?
    /// Of the app that wrote the objects; nil if it is not known.
    var schemaVersion: UInt64?

    var line: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            json.field(Self.formatName, Self.format)
            if let objectCount { json.field("objects", objectCount) }
            if let schemaVersion { json.field("schemaVersion", schemaVersion) }
            SchemaText.writeClasses(schema, to: &json)
        }
        return writer.bytes
    }
}

extension ExportHeader {
    init(_ json: JSON) throws {
        guard let format = json[Self.formatName]?.int else {
            throw FileFailure(
                "The line is no header of an export. Expected: {\"\(Self.formatName)\": \(Self.format), \"classes\": […]}. Lines that are "
                    + "plain JSON objects are read by --format mongoexport."
            )
        }
        guard format == Self.format else {
            throw FileFailure(
                "The export has format \(format), and this program reads format \(Self.format). Use the program that wrote it, "
                    + "or a newer one.")
        }
        objectCount = json["objects"]?.int.map { Int($0) }
        schemaVersion = json["schemaVersion"]?.int.flatMap { UInt64(exactly: $0) }
        guard let classes = json["classes"]?.elements, classes.count <= Self.classesMax else {
            throw FileFailure("The header has no list of at most \(Self.classesMax) classes.")
        }
        var schemas: [ClassSchema] = []
        for json in classes { schemas.append(try Self.classSchema(json)) }
        schema = Schema(schemas)
        for (left, right) in zip(schema.classes, schema.classes.dropFirst()) where left.name.isSame(as: right.name) {
            throw FileFailure("The header names the class '\(left.name)' twice. Remove one of the two.")
        }
        for classSchema in schema.classes {
            for property in classSchema.properties { try check(property, of: classSchema.name) }
        }
    }

    /// Checks what a property links to. That the class is there, the file checks.
    private func check(_ property: Property, of className: String) throws {
        guard let target = property.target.flatMap({ schema[$0] }) else { return }
        if target.kind == .asymmetric {
            throw FileFailure(
                "'\(className).\(property.name)' links to the one-way class '\(target.name)'. Nothing can.")
        }
        if target.kind == .embedded, property.collection == .set {
            throw FileFailure("'\(className).\(property.name)' is a set of embedded objects. Use a list.")
        }
    }

    private static func classSchema(_ json: JSON) throws -> ClassSchema {
        guard let name = json["name"]?.string, !name.isEmpty, NestedCollection(className: name) == nil else {
            throw FileFailure("The header has a class without a name, or with one that is the file's own.")
        }
        guard let kind = [ClassKind.object, .embedded, .asymmetric].first(where: { "\($0)" == json["kind"]?.string })
        else {
            throw FileFailure("The kind of class '\(name)' is not known. Expected: object, embedded or asymmetric.")
        }
        guard let properties = json["properties"]?.elements, properties.count <= propertiesMax else {
            throw FileFailure("Class '\(name)' has no list of at most \(propertiesMax) properties.")
        }
        return ClassSchema(name: name, kind: kind, properties: try properties.map { try property($0, of: name) })
    }

    private static func property(_ json: JSON, of className: String) throws -> Property {
        guard let name = json["name"]?.string, !name.isEmpty else {
            throw FileFailure("Class '\(className)' has a property without a name.")
        }
        let path = "'\(className).\(name)'"
        guard let type = PropertyType.allCases.first(where: { "\($0)" == json["type"]?.string }) else {
            let names = PropertyType.allCases.map { "\($0)" }.joined(separator: ", ")
            throw FileFailure("The type of \(path) is not known. Expected: \(names).")
        }
        let collections = [CollectionKind.none, .list, .set, .map]
        guard let collection = collections.first(where: { "\($0)" == json["collection"]?.string ?? "none" }) else {
            throw FileFailure("The collection of \(path) is not known. Expected: list, set or map.")
        }
        let rules = [DeletionRule.none, .cascade, .cascadeWhenLast]
        guard let rule = rules.first(where: { "\($0)" == json["deletionRule"]?.string ?? "none" }) else {
            throw FileFailure("The deletion rule of \(path) is not known. Expected: cascade or cascadeWhenLast.")
        }
        func isSet(_ flag: String) -> Bool { json[flag] == .bool(true) }
        let property = Property(
            name: name, type: type, collection: collection, isOptional: isSet("optional"),
            isPrimaryKey: isSet("primaryKey"), isIndexed: isSet("indexed"), isFullTextIndexed: isSet("fullText"),
            target: json["target"]?.string, isCounter: isSet("counter"), isText: isSet("text"), deletionRule: rule)
        guard (property.target != nil) == (type == .object) else {
            throw FileFailure("\(path) needs a target if it is a link, and cannot have one otherwise.")
        }
        if property.isCounter, type != .int || collection != .none || property.isOptional {
            throw FileFailure("\(path) is a counter, which is one required int. Correct its type.")
        }
        return property
    }
}
