package import CausewayModel

extension Schema {
    /// What a file gets of a schema from outside: the rules that it has for deletions stay.
    package func withDeletionRules(of stored: Schema) -> Schema {
        Schema(
            classes.map { classSchema in
                var result = classSchema
                for (index, property) in classSchema.properties.enumerated() {
                    guard let known = stored[classSchema.name], let column = known.index(of: property.name) else {
                        continue
                    }
                    result.properties[index].deletionRule = known.properties[column].deletionRule
                }
                return result
            })
    }
}
