import CausewayModel
import Synchronization

// Turns a set of classes into a schema, or throws a list of all problems with RealmSwift's messages.

struct DeclaredSchema: Sendable {
    var models: [String: ObjectModel]
    var schema: StoredSchema
}

extension DeclaredSchema {
    /// The sound schemas of this process by their classes. Realms are opened often, and with few different schemas.
    private static let known = Mutex<[[ObjectIdentifier]: DeclaredSchema]>([:])
    private static let knownMax = 64

    /// The schema of classes; every class that their links lead to must be among them.
    /// - Throws: `Realm.Error.fail` with one line for each problem.
    static func of(_ types: [ObjectBase.Type]) throws -> DeclaredSchema {
        let identities = types.map { ObjectIdentifier($0) }
        if let schema = known.withLock({ $0[identities] }) { return schema }
        // Without the lock: it asks the app's classes for their names.
        let schema = try DeclaredSchema(types)
        known.withLock { known in
            if known.count >= knownMax { known.removeAll() }
            known[identities] = schema
        }
        return schema
    }

    /// The maximum length of a class or property name in UTF-8 bytes. Files and the wire have no room for more.
    private static let classNameLengthMax = 57
    private static let propertyNameLengthMax = 63

    private init(_ types: [ObjectBase.Type]) throws {
        var models: [String: ObjectModel] = [:]
        var problems: [String] = []
        for type in types {
            let model = ObjectModel.of(type)
            if let other = models[model.className] {
                if other.type == type { continue }
                problems.append(
                    "Type '\(model.className)' appears more than once in the schema: as "
                        + "'\(String(reflecting: other.type))' and '\(String(reflecting: type))'. Rename one, or list the "
                        + "classes to use in Realm.Configuration.objectTypes.")
                continue
            }
            models[model.className] = model
        }
        for model in models.values.sorted(by: { $0.className < $1.className }) {
            problems += Self.problems(of: model, among: models)
        }
        guard problems.isEmpty else {
            throw Realm.Error(
                .fail,
                "Schema validation failed due to the following errors:\n"
                    + problems.map { "- " + $0 }.joined(separator: "\n"))
        }
        self.models = models
        schema = StoredSchema(models.values.map(\.schema))
    }

    private static func problems(of model: ObjectModel, among models: [String: ObjectModel]) -> [String] {
        var problems: [String] = []
        let name = model.className
        if name.utf8.count > classNameLengthMax {
            problems.append("Class name '\(name)' is too long: at most \(classNameLengthMax) UTF-8 characters.")
        }
        if !model.hasProperties {
            problems.append(
                "No properties are defined for '\(name)'. Did you remember to mark them with '@Persisted' in your model?"
            )
        }
        for property in model.passedOver {
            problems.append(
                "Property '\(name).\(property)' would not be stored: '\(name)' has properties declared with '@Persisted', "
                    + "and then only those are. Declare it with '@Persisted var' too, or name it in ignoredProperties()."
            )
        }
        let keys = model.properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            problems.append(
                "Properties '\(keys[0].name)' and '\(keys[1].name)' are both marked as the primary key of '\(name)'.")
        }
        if let key = keys.first {
            if model.type._kind == .embedded {
                problems.append("Embedded object type '\(name)' cannot have a primary key.")
            } else if ![.int, .string, .objectId, .uuid].contains(key.shape.type) || key.shape.collection != .none {
                problems.append(
                    "Property '\(key.name)' cannot be made the primary key of '\(name)' because it is not a "
                        + "'string', 'int', 'objectId', or 'uuid' property.")
            }
        } else if model.type._kind == .asymmetric {
            problems.append("Asymmetric object type '\(name)' must have a primary key.")
        }
        var stored: Set<String> = []
        for property in model.properties {
            if !stored.insert(property.storedName).inserted {
                problems.append(
                    "Property '\(property.storedName)' appears more than once in the schema for type '\(name)'. Give each "
                        + "property a name of its own, also in propertiesMapping().")
            }
            problems += Self.problems(of: property, in: model, among: models)
        }
        for inverse in model.inverses {
            problems += Self.problems(of: inverse, in: model, among: models)
        }
        return problems
    }

    private static func problems(
        of property: ObjectModel.Property, in model: ObjectModel, among models: [String: ObjectModel]
    ) -> [String] {
        var problems: [String] = []
        let name = "\(model.className).\(property.name)"
        let shape = property.shape
        if property.storedName.isEmpty {
            problems.append("Property '\(name)' has no name to be stored under: see propertiesMapping().")
        }
        if property.storedName.utf8.count > propertyNameLengthMax {
            problems.append(
                "Property name '\(property.storedName)' of '\(model.className)' is too long: at most "
                    + "\(propertyNameLengthMax) UTF-8 characters.")
        }
        if property.isIndexed,
            ![.int, .bool, .string, .date, .objectId, .uuid, .mixed].contains(shape.type)
                || shape.collection != .none
        {
            let word = shape.collection == .none ? shape.type.word : shape.collection.word
            problems.append("Property '\(name)' of type '\(word)' cannot be indexed.")
        }
        if shape.isCounter, shape.isOptional || shape.collection != .none || property.isPrimaryKey {
            problems.append(
                "Counter property '\(name)' cannot be optional, in a collection or the primary key: a counter is one number "
                    + "that is always there. Declare it as 'Counter', or use 'Int'.")
        }
        if shape.isText, model.kind == .asymmetric {
            problems.append(
                "Property '\(name)' of type 'text' cannot be in an asymmetric object, which nobody edits: use String.")
        }
        if property.isFullTextIndexed {
            if shape.type != .string || shape.collection != .none {
                problems.append(
                    "Property '\(name)' of type '\(shape.type.word)' cannot have a full-text index: only strings can.")
            } else if property.isPrimaryKey {
                problems.append("Property '\(name)' is the primary key and cannot have a full-text index.")
            }
        }
        guard shape.type == .object, let target = shape.target else { return problems }
        if property.deletionRule != .none, model.kind == .embedded {
            problems.append(
                "Property '\(name)' cannot have a delete rule: it belongs to an embedded object, which ends with its "
                    + "parent. Give the rule to a property of the parent's class.")
        }
        if shape.collection == .none, !shape.isOptional {
            problems.append("Object property '\(property.name)' must be marked as optional.")
        }
        switch shape.collection {
        case .list where shape.isOptional, .set where shape.isOptional:
            problems.append(
                "Property '\(name)' cannot be made optional because optional 'object' properties are not supported.")
        case .set where target._kind == .embedded:
            problems.append("Set property '\(name)' cannot be of embedded object type '\(target.className())'.")
        case .map where !shape.isOptional:
            problems.append(
                "Property '\(name)' of type 'dictionary' must be optional: write Map<String, \(target.className())?>.")
        case .none, .list, .set, .map: break
        }
        if target._kind == .asymmetric {
            problems.append("Property '\(name)' of type 'object' cannot be a link to an asymmetric object.")
        } else if models[target.className()]?.type != target {
            problems.append(
                "Property '\(name)' of type '\(shape.collection == .none ? "object" : shape.collection.word)' has unknown object type "
                    + "'\(target.className())'. Add it to Realm.Configuration.objectTypes.")
        }
        return problems
    }

    private static func problems(
        of inverse: ObjectModel.Inverse, in model: ObjectModel, among models: [String: ObjectModel]
    ) -> [String] {
        let name = "\(model.className).\(inverse.name)"
        let origin = inverse.origin.className()
        guard let source = models[origin] else {
            return ["Property '\(name)' of type 'linking objects' has unknown object type '\(origin)'."]
        }
        guard let property = source.property(named: inverse.property) else {
            return [
                "Property '\(origin).\(inverse.property)' declared as origin of linking objects property '\(name)' "
                    + "does not exist."
            ]
        }
        guard property.shape.type == .object else {
            return [
                "Property '\(origin).\(inverse.property)' declared as origin of linking objects property '\(name)' "
                    + "is not a link."
            ]
        }
        guard property.shape.target?.className() == model.className else {
            return [
                "Property '\(origin).\(inverse.property)' declared as origin of linking objects property '\(name)' "
                    + "links to type '\(property.shape.target?.className() ?? "")'."
            ]
        }
        return []
    }
}

extension CollectionKind {
    /// The name of the collection in RealmSwift's messages.
    var word: String {
        switch self {
        case .none: "object"
        case .list: "array"
        case .set: "set"
        case .map: "dictionary"
        }
    }
}

extension StoredType {
    /// The name of the type in RealmSwift's messages.
    var word: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .objectId: "object id"
        case .uuid: "uuid"
        case .object: "object"
        case .decimal128: "decimal128"
        case .mixed: "mixed"
        }
    }
}
