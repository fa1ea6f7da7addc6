package import CausewayModel

/// What an operator wants of one property: another type.
package struct PropertyConversion: Hashable, Sendable {
    package var className: String
    package var property: String
    package var type: PropertyType
    /// Nil for as it is.
    package var isOptional: Bool?
    package var misfits: PropertyMapping.MisfitRule

    package init(
        _ className: String, _ property: String, to type: PropertyType, isOptional: Bool? = nil,
        misfits: PropertyMapping.MisfitRule = .refuse
    ) {
        self.className = className
        self.property = property
        self.type = type
        self.isOptional = isOptional
        self.misfits = misfits
    }

    /// What becomes of the property.
    ///
    /// - Parameter schema: the database's.
    package func mapping(in schema: Schema) throws(PropertyMapping.Refusal) -> PropertyMapping {
        guard NestedCollection(className: className) == nil, let classSchema = schema[className] else {
            throw PropertyMapping.Refusal(message: "There is no class “\(className)”.")
        }
        guard let column = classSchema.index(of: property) else {
            throw PropertyMapping.Refusal(message: "“\(className)” has no property “\(property)”.")
        }
        guard classSchema.kind != .asymmetric else {
            throw PropertyMapping.Refusal(
                message:
                    "“\(className)” is a one-way class: other systems have its objects as they arrived. Add a property "
                    + "with a new name.")
        }
        return try PropertyMapping(
            of: classSchema.properties[column], in: className, to: type, isOptional: isOptional, misfits: misfits)
    }

    /// The schema as it will be. The property is behind the others of its class.
    package func applied(to schema: Schema) throws(PropertyMapping.Refusal) -> Schema {
        let mapping = try mapping(in: schema)
        let classes = schema.classes.map { known in
            guard known.name.isSame(as: className) else { return known }
            var changed = known
            changed.properties.removeAll { $0.name.isSame(as: property) }
            changed.properties.append(mapping.property)
            return changed
        }
        return Schema(classes).withNestedCollections
    }
}
