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
        let lines = ProjectionModel.of(type(of: self)).properties.map { property in
            let value = rootObject[keyPath: property.path.keyPath].flatMap(flattened)
            let shown = value.map { "\($0)".indentedAfterFirstLine } ?? "(null)"
            return "\t\(property.name)(\(property.rootPaths.joined(separator: ", "))) = \(shown);\n"
        }
        return "\(type(of: self))<\(Root.className())> {\n\(lines.joined())}"
    }
}
