extension Projection: CustomStringConvertible {
    /// The projected properties with their values and the paths they are read from.
    ///
    /// ```swift
    /// print(projection.description)
    /// // PersonProjection<Person> {
    /// //     firstName(firstName) = Jane;
    /// //     homeCity(address.city) = Los Angeles;
    /// // }
    /// ```
    public var description: String {
        if isInvalidated { return "[invalid object]" }
        // As an existential, so that the model is that of the object's actual class.
        let type: any ProjectionObservable.Type = type(of: self)
        let lines = ProjectionModel.of(type).properties.map { property in
            let value = rootObject[keyPath: property.path.keyPath].flatMap(flattened)
            let shown = value.map { "\($0)".indentedAfterFirstLine } ?? "(null)"
            return "\t\(property.name)(\(property.rootPaths.joined(separator: ", "))) = \(shown);\n"
        }
        return "\(type)<\(Root.className())> {\n\(lines.joined())}"
    }
}
