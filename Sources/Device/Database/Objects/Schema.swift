/// The declared classes of a Realm.
///
/// ```swift
/// for objectSchema in realm.schema.objectSchema { print(objectSchema.className) }
/// let name = realm.schema["Dog"]?["name"]
/// ```
public struct Schema: Equatable, Sendable {
    /// The classes, ordered by their names.
    public let objectSchema: [ObjectSchema]

    init(_ classes: [ObjectSchema]) {
        objectSchema = classes.sorted { $0.className < $1.className }
    }

    /// The class of a name, or nil.
    ///
    /// ```swift
    /// let dogs = realm.schema["Dog"]    // an ObjectSchema?
    /// ```
    ///
    /// - Complexity: O(n) in the number of classes.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }
}

/// One class of a Realm: its name, its kind and its properties.
///
/// ```swift
/// let schema: ObjectSchema = dog.objectSchema
/// schema.primaryKeyProperty?.name              // "id"
/// schema.objectClass == Dog.self               // true
/// schema.isEmbedded || schema.isAsymmetric     // false
/// ```
public struct ObjectSchema: Sendable {
    /// The name under which the class is stored.
    public let className: String
    /// The Swift class. `DynamicObject` for a class that only the file declares.
    public let objectClass: AnyClass
    /// The persisted properties, in the order of their declaration, those of superclasses first.
    public let properties: [Property]
    /// Whether its objects are embedded in a parent object.
    public let isEmbedded: Bool
    /// Whether its objects are only sent to the server and never read on the device.
    public let isAsymmetric: Bool
    /// The primary key; nil for a class without one.
    public var primaryKeyProperty: Property? { properties.first { $0.isPrimary } }

    /// The inverse relations, which are computed and never stored.
    let computedProperties: [Property]

    /// The property of a name, an inverse relation included, or nil.
    ///
    /// ```swift
    /// let name = dog.objectSchema["name"]    // a Property?
    /// ```
    public subscript(propertyName: String) -> Property? {
        properties.first { $0.name == propertyName } ?? computedProperties.first { $0.name == propertyName }
    }
}

extension ObjectSchema: Equatable {
    /// Two classes are equal when they have the same name, the same properties, and are of the same kind.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.className == right.className && left.properties == right.properties
            && left.computedProperties == right.computedProperties && left.isEmbedded == right.isEmbedded
            && left.isAsymmetric == right.isAsymmetric
    }
}

/// One property of a class: its names and its type.
///
/// ```swift
/// let property: Property = dog.objectSchema["favoriteToy"]!
/// property.type == .object && property.objectClassName == "DogToy"    // true
/// property.name == property.columnName                                // true: it is not renamed
/// property.isOptional && !property.isIndexed                          // true
/// property.isArray || property.isSet || property.isMap                // false
/// ```
public struct Property: Equatable, Sendable {
    /// The name that code uses.
    public let name: String
    /// The name that the file and the server use.
    public let columnName: String
    /// The type of the value. For a collection, the type of its elements.
    public let type: PropertyType
    /// Whether it is a `List`.
    public let isArray: Bool
    /// Whether it is a `MutableSet`.
    public let isSet: Bool
    /// Whether it is a `Map`.
    public let isMap: Bool
    /// Whether it has an index. A primary key always has one.
    public let isIndexed: Bool
    /// Whether the value may be nil. For a collection, whether its elements may.
    public let isOptional: Bool
    /// The name of the class that links lead to or come from; nil for values.
    public let objectClassName: String?

    let isPrimary: Bool
    /// For an inverse relation, the property whose links it is computed from.
    let linkOriginPropertyName: String?
}

/// The type of a property. The raw values are those of RealmSwift.
///
/// ```swift
/// func isNumber(_ type: PropertyType) -> Bool {
///     switch type {
///     case .int, .float, .double, .decimal128: true
///     case .bool, .string, .data, .date, .object, .linkingObjects, .any, .objectId, .UUID: false
///     }
/// }
/// dog.objectSchema.properties.filter { isNumber($0.type) && $0.type != .uuid }
/// ```
@frozen
public enum PropertyType: Int, Sendable {
    /// Integers of every width.
    case int = 0
    /// True or false.
    case bool = 1
    /// Text.
    case string = 2
    /// Bytes.
    case data = 3
    /// A point in time, in nanoseconds.
    case date = 4
    /// A floating-point number of 32 bits.
    case float = 5
    /// A floating-point number of 64 bits.
    case double = 6
    /// A link, or an embedded object.
    case object = 7
    /// An inverse relation.
    case linkingObjects = 8
    /// A mixed value, `AnyRealmValue`.
    case any = 9
    /// An `ObjectId`.
    case objectId = 10
    /// A decimal number, `Decimal128`.
    case decimal128 = 11
    /// A `UUID`.
    case UUID = 12

    /// The same as ``UUID``.
    public static var uuid: PropertyType { .UUID }
}

// MARK: - As text

extension Schema: CustomStringConvertible {
    /// All classes with their properties.
    public var description: String {
        "Schema {\n" + objectSchema.map { "\t\($0.description.indentedAfterFirstLine)\n" }.joined() + "}"
    }
}

extension ObjectSchema: CustomStringConvertible {
    /// The class with its properties.
    public var description: String {
        let lines = (properties + computedProperties).map { "\t\($0.description.indentedAfterFirstLine)\n" }
        return "\(className) \(isEmbedded ? "(embedded) " : ""){\n" + lines.joined() + "}"
    }
}

extension Property: CustomStringConvertible {
    /// The property with its type and all its flags.
    public var description: String {
        var lines = ["type = \(type.word)"]
        if let objectClassName {
            lines.append("objectClassName = \(objectClassName)")
            lines.append("linkOriginPropertyName = \(linkOriginPropertyName ?? "(null)")")
        }
        lines.append("columnName = \(columnName)")
        let flags = [
            ("indexed", isIndexed), ("isPrimary", isPrimary), ("array", isArray), ("set", isSet),
            ("dictionary", isMap), ("optional", isOptional),
        ]
        lines += flags.map { "\($0) = \($1 ? "YES" : "NO")" }
        return "\(name) {\n" + lines.map { "\t\($0);\n" }.joined() + "}"
    }
}

extension PropertyType: CustomStringConvertible {
    /// The name of the type in messages.
    public var description: String { word }

    var word: String { self == .linkingObjects ? "linking objects" : stored.word }
}
