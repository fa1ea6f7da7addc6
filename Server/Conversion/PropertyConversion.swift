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
        if classSchema.kind == .embedded, let holder = schema.oneWayClass(embedding: className) {
            throw PropertyMapping.Refusal(
                message:
                    "“\(className)” is embedded in the one-way class “\(holder)”: other systems have its objects as they "
                    + "arrived. Add a property with a new name.")
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

extension Schema {
    /// A one-way class whose objects hold embedded objects of a class, at any depth.
    fileprivate func oneWayClass(embedding className: String) -> String? {
        var (seen, next) = ([className], [className])
        while let embedded = next.popLast() {
            let holders = classes.filter {
                $0.properties.contains { $0.target.map { $0.isSame(as: embedded) } ?? false }
            }
            for holder in holders where !seen.contains(where: { $0.isSame(as: holder.name) }) {
                if holder.kind == .asymmetric { return holder.name }
                guard holder.kind == .embedded else { continue }
                seen.append(holder.name)
                next.append(holder.name)
            }
        }
        return nil
    }
}
