import CausewayModel

// The public schema of classes.

extension Realm {
    /// The classes that the Realm manages.
    ///
    /// ```swift
    /// realm.schema["Dog"]?.properties.map(\.name)
    /// ```
    ///
    /// - Complexity: O(n) in the number of all properties. Keep the result for repeated use.
    public var schema: Schema { instance.declared.shown }
}

extension ObjectBase {
    /// The schema of the object's class: the declared one, or for a ``DynamicObject`` the file's.
    ///
    /// ```swift
    /// print(dog.objectSchema.className, dog.objectSchema.properties.count)
    /// ```
    public var objectSchema: ObjectSchema { (_access?.model ?? ObjectModel.of(type(of: self))).shown }

    /// The declared schema of the class; nil for the base classes, which have no properties.
    ///
    /// ```swift
    /// Dog.sharedSchema()?["name"]
    /// ```
    public class func sharedSchema() -> ObjectSchema? {
        let model = ObjectModel.of(self)
        return model.hasProperties ? model.shown : nil
    }
}

extension DeclaredSchema {
    var shown: Schema { Schema(models.values.map(\.shown)) }
}

extension ObjectModel {
    var shown: ObjectSchema {
        ObjectSchema(
            className: className, objectClass: type, properties: properties.map { $0.shown(isDynamic) },
            isEmbedded: kind == .embedded,
            isAsymmetric: kind == .asymmetric, computedProperties: inverses.map(\.shown))
    }
}

extension ObjectModel.Property {
    /// - Parameter isDynamic: Whether only the file declares it. There a mixed value is optional, because it can be nil;
    ///   RealmSwift does not call a declared one so.
    fileprivate func shown(_ isDynamic: Bool) -> Property {
        Property(
            name: name, columnName: storedName, type: PropertyType(shape.type), isArray: shape.collection == .list,
            isSet: shape.collection == .set, isMap: shape.collection == .map, isIndexed: isIndexed || isPrimaryKey,
            isOptional: shape.isOptional && (isDynamic || shape.type != .mixed),
            objectClassName: targetName ?? shape.target?.className(),
            isPrimary: isPrimaryKey, linkOriginPropertyName: nil)
    }
}

extension ObjectModel.Inverse {
    fileprivate var shown: Property {
        Property(
            name: name, columnName: name, type: .linkingObjects, isArray: true, isSet: false, isMap: false,
            isIndexed: false, isOptional: false, objectClassName: origin.className(), isPrimary: false,
            linkOriginPropertyName: property)
    }
}

extension PropertyType {
    init(_ stored: StoredType) {
        self =
            switch stored {
            case .bool: .bool
            case .int: .int
            case .float: .float
            case .double: .double
            case .string: .string
            case .data: .data
            case .date: .date
            case .objectId: .objectId
            case .uuid: .UUID
            case .object: .object
            case .decimal128: .decimal128
            case .mixed: .any
            }
    }

    /// The stored type. An inverse relation is not stored; it counts as objects.
    var stored: StoredType {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .objectId: .objectId
        case .UUID: .uuid
        case .object, .linkingObjects: .object
        case .decimal128: .decimal128
        case .any: .mixed
        }
    }
}
