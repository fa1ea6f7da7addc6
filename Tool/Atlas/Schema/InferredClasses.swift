import CausewayFiles
import CausewayModel

/// Makes classes of the shapes of documents.
struct InferredClasses {
    /// The classes of collections, by their collections.
    let collections: ExactDictionary<String>
    private(set) var classes: [ClassSchema]
    private var takenNames: Set<ExactString>
    private var embeddedCount = 0

    /// The most classes of nested documents. Further ones become dictionaries.
    static let embeddedMax = 1_000
    /// Of a class that is called after where its documents are.
    private static let nameCharactersMax = 200

    init(collections: ExactDictionary<String>, known classes: [ClassSchema]) {
        self.collections = collections
        self.classes = classes
        takenNames = Set((collections.values + classes.map(\.name)).map { ExactString($0) })
    }

    /// The name of a collection's primary key.
    static let primaryKey = "_id"

    mutating func add(_ shape: DocumentShape, named name: String, file: String) throws {
        var properties: [Property] = []
        for place in 0..<shape.names.count where shape.names.name(place) == Self.primaryKey {
            properties.append(try primaryKey(shape.fields[place], shape.count, file))
        }
        properties += self.properties(of: shape, named: name).filter { $0.name != Self.primaryKey }
        classes.append(ClassSchema(name: name, properties: properties))
    }

    private func primaryKey(_ field: DocumentShape.Field, _ count: Int, _ file: String) throws -> Property {
        guard field.count == count else {
            throw FileFailure(
                "Only \(field.count) of \(count) documents of '\(file)' have an _id. Export all of them with it, or none."
            )
        }
        let types: [(DocumentToken.Kind, PropertyType)] = [
            (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid),
        ]
        guard let type = types.first(where: { field.kinds == KindSet($0.0) })?.1 else {
            throw FileFailure(
                "The _id of '\(file)' cannot be a primary key, because it is not everywhere an int, a string, an ObjectId or a "
                    + "UUID. Export the collection with another _id.")
        }
        return Property(name: Self.primaryKey, type: type, isPrimaryKey: true)
    }

    private mutating func properties(of shape: DocumentShape, named name: String) -> [Property] {
        var properties: [Property] = []
        for place in 0..<shape.names.count {
            let fieldName = shape.names.name(place)
            // A property needs a name.
            guard !fieldName.isEmpty else { continue }
            properties.append(property(shape.fields[place], fieldName, of: name, documents: shape.count))
        }
        return properties
    }

    private mutating func property(
        _ field: DocumentShape.Field, _ name: String, of className: String, documents count: Int
    ) -> Property {
        let isOptional = field.count < count || !field.kinds.intersection([.null, .foreign]).isEmpty
        let kinds = field.kinds.typed
        if kinds == .array { return list(field, name, of: className) }
        if kinds == .document, let documents = field.documents {
            guard becomesClass(documents) else {
                return Property(name: name, type: .mixed, collection: .map, isOptional: true)
            }
            let target = embedded(documents, className, name)
            return Property(name: name, type: .object, isOptional: true, target: target)
        }
        if kinds == .reference, let target = target(field) {
            return Property(name: name, type: .object, isOptional: true, target: target)
        }
        let type = Self.type(kinds)
        return Property(name: name, type: type, isOptional: isOptional || type == .mixed)
    }

    private mutating func list(_ field: DocumentShape.Field, _ name: String, of className: String) -> Property {
        let kinds = field.elementKinds
        if kinds == .document, let documents = field.documents, becomesClass(documents) {
            let target = embedded(documents, className, name)
            return Property(name: name, type: .object, collection: .list, target: target)
        }
        if kinds == .reference, let target = target(field) {
            return Property(name: name, type: .object, collection: .list, target: target)
        }
        let type = Self.type(kinds.typed)
        let isOptional = type == .mixed || !kinds.intersection([.null, .foreign]).isEmpty
        return Property(name: name, type: type, collection: .list, isOptional: isOptional)
    }

    private func target(_ field: DocumentShape.Field) -> String? {
        field.references.count == 1 ? field.references.first.flatMap { collections[$0.string] } : nil
    }

    private func becomesClass(_ shape: DocumentShape) -> Bool { shape.isClass && embeddedCount < Self.embeddedMax }

    private mutating func embedded(_ shape: DocumentShape, _ parent: String, _ property: String) -> String {
        embeddedCount += 1
        let name = freeName(String("\(parent)_\(property)".suffix(Self.nameCharactersMax)))
        // The place is taken before the classes inside take theirs.
        let place = classes.count
        classes.append(ClassSchema(name: name, kind: .embedded, properties: []))
        classes[place].properties = properties(of: shape, named: name)
        return name
    }

    private mutating func freeName(_ name: String) -> String {
        var name = name
        while !takenNames.insert(ExactString(name)).inserted { name += "_" }
        return name
    }

    private static func type(_ kinds: KindSet) -> PropertyType {
        if kinds == .wholeAndDouble { return .double }
        let types: [(DocumentToken.Kind, PropertyType)] = [
            (.bool, .bool), (.int, .int), (.double, .double), (.string, .string), (.data, .data), (.date, .date),
            (.objectId, .objectId), (.uuid, .uuid), (.decimal, .decimal128),
        ]
        return types.first { kinds == KindSet($0.0) }?.1 ?? .mixed
    }
}
