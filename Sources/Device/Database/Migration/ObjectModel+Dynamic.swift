import CausewayModel
import Foundation

// Classes as the file has them, for programs that do not declare them.

extension ObjectModel {
    /// The model of a class of the file, whose objects are `DynamicObject`s. Where the program declares the class, they
    /// know the names that it gives the properties as well.
    static func dynamic(_ schema: ClassSchema, declaredAs declared: ObjectModel? = nil) -> ObjectModel {
        let properties = schema.properties.map { property in
            let wrapper = wrapper(of: property)
            var shape = wrapper.shape
            shape.isOptional = property.isOptional
            shape.isCounter = property.isCounter
            return Property(
                name: property.name, storedName: property.name, offset: 0, wrapper: wrapper, shape: shape,
                isPrimaryKey: property.isPrimaryKey, isIndexed: property.isIndexed,
                isFullTextIndexed: property.isFullTextIndexed, deletionRule: property.deletionRule,
                targetName: property.target)
        }
        return ObjectModel(
            type: DynamicObject.self, className: schema.name, kind: schema.kind, properties: properties, inverses: [],
            holdsOnlyRows: true, isDynamic: true,
            otherNames: (declared?.properties ?? []).reduce(into: [:]) { names, property in
                if property.name != property.storedName { names[property.name] = property.storedName }
            })
    }

    private static func wrapper(of property: StoredProperty) -> any PersistedWrapper.Type {
        if property.isText { return Persisted<Text>.self }
        return switch property.type {
        case .bool: wrapper(of: Bool.self, property)
        case .int: wrapper(of: Int.self, property)
        case .float: wrapper(of: Float.self, property)
        case .double: wrapper(of: Double.self, property)
        case .string: wrapper(of: String.self, property)
        case .decimal128: wrapper(of: Decimal128.self, property)
        case .data: wrapper(of: Data.self, property)
        case .date: wrapper(of: Date.self, property)
        case .objectId: wrapper(of: ObjectId.self, property)
        case .uuid: wrapper(of: UUID.self, property)
        case .mixed:
            switch property.collection {
            case .none: Persisted<AnyRealmValue>.self
            case .list: Persisted<List<AnyRealmValue>>.self
            case .set: Persisted<MutableSet<AnyRealmValue>>.self
            case .map: Persisted<Map<String, AnyRealmValue>>.self
            }
        case .object:
            switch property.collection {
            case .none: Persisted<DynamicObject?>.self
            case .list: Persisted<List<DynamicObject>>.self
            case .set: Persisted<MutableSet<DynamicObject>>.self
            case .map: Persisted<Map<String, DynamicObject?>>.self
            }
        }
    }

    private static func wrapper<Scalar: _PersistableScalar>(
        of type: Scalar.Type, _ property: StoredProperty
    ) -> any PersistedWrapper.Type {
        switch (property.collection, property.isOptional) {
        case (.none, false): Persisted<Scalar>.self
        case (.none, true): Persisted<Scalar?>.self
        case (.list, false): Persisted<List<Scalar>>.self
        case (.list, true): Persisted<List<Scalar?>>.self
        case (.set, false): Persisted<MutableSet<Scalar>>.self
        case (.set, true): Persisted<MutableSet<Scalar?>>.self
        case (.map, false): Persisted<Map<String, Scalar>>.self
        case (.map, true): Persisted<Map<String, Scalar?>>.self
        }
    }
}

extension DeclaredSchema {
    /// The models of all classes of a file.
    static func dynamic(_ schema: StoredSchema) -> DeclaredSchema {
        let schema = schema.withoutNestedCollections
        return DeclaredSchema(
            models: Dictionary(uniqueKeysWithValues: schema.classes.map { ($0.name, ObjectModel.dynamic($0)) }),
            schema: schema)
    }
}
