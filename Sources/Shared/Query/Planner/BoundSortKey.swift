package import CausewayModel

/// A sort key whose path a schema has confirmed: to-one steps that end in a value.
package struct BoundSortKey: Hashable, Sendable {
    package var path: BoundPath
    package var ascending: Bool

    package init(path: BoundPath, ascending: Bool) {
        self.path = path
        self.ascending = ascending
    }
}

extension SortKey {
    /// Reads a key path such as `address.street`, which may pass links and embedded objects but no list.
    package init(keyPath: String, ascending: Bool = true) {
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        self.init(PropertyPath(names), ascending: ascending)
    }

    package func bound(to className: String, in schema: Schema) throws(QueryError) -> BoundSortKey {
        let binder = Binder(schema: schema, className: className)
        let start = try binder.queriedClass()
        let shown = path.names.joined(separator: ".")
        guard path == PropertyPath(path.names), !path.names.isEmpty, path.names.count <= QueryLimits.pathNames else {
            throw QueryError(
                .property, "Cannot sort on key path '\(path.text)': it is not a path of property names",
                remedy: "Sort by a property, or by a property of a link: 'owner.name'."
            )
        }
        guard !path.names.contains(where: { $0.first == "@" && Aggregate(word: String($0.dropFirst())) != nil }) else {
            throw QueryError(
                .property, "Cannot sort on key path '\(shown)': KVC collection operators are not supported.")
        }
        var current = start
        var steps: [BoundPath.Step] = []
        for (position, name) in path.names.enumerated() {
            guard let index = current.index(of: name) else {
                throw QueryError(
                    .property,
                    "Cannot sort on key path '\(shown)': property '\(current.name).\(name)' does not exist.",
                    remedy: binder.remedy(for: name, in: current)
                )
            }
            let property = current.properties[index]
            guard property.collection == .none else {
                throw QueryError(
                    .property,
                    "Cannot sort on key path '\(shown)': property '\(current.name).\(name)' is of unsupported type "
                        + "'array<\(property.target ?? property.type.shown)>'.",
                    remedy: "Only a property with one value an object has an order."
                )
            }
            steps.append(BoundPath.Step(className: current.name, property: index, of: property))
            let isLast = position == path.names.count - 1
            if isLast, property.type == .object {
                throw QueryError(
                    .property,
                    "Cannot sort on key path '\(shown)': property '\(current.name).\(name)' of type "
                        + "'\(property.target ?? "object")' cannot be the final property in the key path.",
                    remedy: "Go on to one of its properties: '\(shown).name'."
                )
            }
            if !isLast {
                guard property.type == .object else {
                    throw QueryError(
                        .property,
                        "Cannot sort on key path '\(shown)': property '\(current.name).\(name)' of type "
                            + "'\(property.type.shown)' may only be the final property in the key path."
                    )
                }
                current = try binder.target(of: property, in: current)
            }
        }
        return BoundSortKey(path: BoundPath(steps: steps), ascending: ascending)
    }
}
