import CausewayModel

// Classes that no program declares: for tests of migrations, tools and inspectors.

extension Schema {
    /// Describes classes that the program does not declare, for `Realm.Configuration.dynamicSchema`.
    ///
    /// ```swift
    /// let old = Schema(objectSchema: [
    ///     ObjectSchema(className: "Dog", properties: [
    ///         Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
    ///     ])
    /// ])
    /// ```
    public init(objectSchema: [ObjectSchema]) {
        self.init(objectSchema)
    }

    /// The classes as tables.
    ///
    /// - Throws: `Realm.Error.fail` for two classes, or two properties of a class, with one name.
    func checked() throws -> StoredSchema {
        var problems: [String] = []
        for (name, same) in Dictionary(grouping: objectSchema, by: \.className) where same.count > 1 {
            problems.append("- Type '\(name)' appears more than once in the schema.")
        }
        for shown in objectSchema {
            for (name, same) in Dictionary(grouping: shown.properties, by: \.columnName) where same.count > 1 {
                problems.append(
                    "- Property '\(name)' appears more than once in the schema for type '\(shown.className)'.")
            }
        }
        guard problems.isEmpty else {
            throw Realm.Error(
                .fail,
                "Schema validation failed due to the following errors:\n" + problems.sorted().joined(separator: "\n"))
        }
        return StoredSchema(
            objectSchema.map { shown in
                ClassSchema(
                    name: shown.className,
                    kind: shown.isEmbedded ? .embedded : shown.isAsymmetric ? .asymmetric : .object,
                    properties: shown.properties.filter { $0.type != .linkingObjects }.map(\.storedProperty))
            })
    }
}

extension StoredSchema {
    /// With what only the file knows of properties that it has: a public schema tells no counter from an integer, no text
    /// from a string, and no delete rules.
    func adopting(_ file: StoredSchema) -> StoredSchema {
        StoredSchema(
            classes.map { declared in
                ClassSchema(
                    name: declared.name, kind: declared.kind,
                    properties: declared.properties.map { property in
                        guard let known = file[declared.name]?.properties.first(where: { $0.name == property.name }),
                            known.type == property.type, known.collection == property.collection
                        else { return property }
                        var property = property
                        property.isCounter = known.isCounter
                        property.isText = known.isText
                        property.isFullTextIndexed = known.isFullTextIndexed
                        property.deletionRule = known.deletionRule
                        return property
                    })
            })
    }
}

extension ObjectSchema {
    /// Describes a class that the program does not declare. Its objects are `DynamicObject`s.
    ///
    /// ```swift
    /// let toys = ObjectSchema(className: "DogToy", properties: [Property(name: "name", type: .string)])
    /// ```
    public init(className: String, properties: [Property], isEmbedded: Bool = false) {
        self.init(
            className: className, objectClass: DynamicObject.self, properties: properties, isEmbedded: isEmbedded,
            isAsymmetric: false, computedProperties: [])
    }
}

extension Property {
    /// Describes a property of a class that the program does not declare.
    ///
    /// ```swift
    /// let id = Property(name: "id", type: .objectId, isPrimaryKey: true)
    /// let dogs = Property(name: "dogs", type: .object, isArray: true, objectClassName: "Dog")
    /// ```
    ///
    /// A link and a map of objects are always optional, and so is a mixed value: `isOptional` need not say so.
    ///
    /// - Parameter objectClassName: The class that links lead to; only for the type `object`.
    public init(
        name: String, type: PropertyType, isOptional: Bool = false, isPrimaryKey: Bool = false, isIndexed: Bool = false,
        isArray: Bool = false, isSet: Bool = false, isMap: Bool = false, objectClassName: String? = nil
    ) {
        let isAlwaysOptional = type == .any || type == .object && !isArray && !isSet
        self.init(
            name: name, columnName: name, type: type, isArray: isArray, isSet: isSet, isMap: isMap,
            isIndexed: isIndexed || isPrimaryKey, isOptional: isOptional || isAlwaysOptional,
            objectClassName: objectClassName, isPrimary: isPrimaryKey, linkOriginPropertyName: nil)
    }

    fileprivate var storedProperty: StoredProperty {
        StoredProperty(
            name: columnName, type: type.stored, collection: isArray ? .list : isSet ? .set : isMap ? .map : .none,
            // A declared mixed property is not called optional, but holds nil all the same.
            isOptional: isOptional || type == .any, isPrimaryKey: isPrimary, isIndexed: isIndexed && !isPrimary,
            target: objectClassName)
    }
}
