package import CausewayModel

/// A sort key whose path a schema has confirmed: to-one steps that end in a value, which may be an entry of a map or an
/// element of a list.
package struct BoundSortKey: Hashable, Sendable {
    package var path: BoundPath
    package var ascending: Bool

    package init(path: BoundPath, ascending: Bool) {
        self.path = path
        self.ascending = ascending
    }
}

extension SortKey {
    /// Reads a key path such as `address.street`, which may pass links and embedded objects but no list. At its end may
    /// stand one value of a map or list: `marks['Ulm']`, `scores[0]`.
    package init(keyPath: String, ascending: Bool = true) {
        if keyPath.last == "]", let read = try? Selection.parse("TRUEPREDICATE SORT(\(keyPath))"),
            read.steps.count == 1, case .sort(let keys)? = read.steps.first, keys.count == 1
        {
            self.init(keys[0].path, ascending: ascending)
            return
        }
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        self.init(PropertyPath(names), ascending: ascending)
    }

    package func bound(to className: String, in schema: Schema) throws(QueryError) -> BoundSortKey {
        let binder = Binder(schema: schema, className: className)
        let start = try binder.queriedClass()
        let shown = path.names.joined(separator: ".")
        guard path.isSortable, !path.names.isEmpty, path.names.count <= QueryLimits.pathNames else {
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
            let isLast = position == path.names.count - 1
            var step = BoundPath.Step(className: current.name, property: index, of: property)
            if isLast { path.takeOne(of: &step) }
            guard step.collection == .none else {
                throw QueryError(
                    .property,
                    "Cannot sort on key path '\(shown)': property '\(current.name).\(name)' is of unsupported type "
                        + "'array<\(property.target ?? property.type.shown)>'.",
                    remedy: "Only a property with one value an object has an order."
                )
            }
            steps.append(step)
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

extension PropertyPath {
    /// Whether it has names alone, or one value of a map or list at its end.
    fileprivate var isSortable: Bool {
        var names = self
        if case .value? = part { names.part = nil }
        switch places[self.names.count - 1] {
        case .at, .first, .last: names.places[self.names.count - 1] = nil
        case .key, .each, nil: break
        }
        return names == PropertyPath(self.names)
    }

    /// Turns a step to a map or list into one to the value that the path names.
    fileprivate func takeOne(of step: inout BoundPath.Step) {
        if case .value(let key)? = part, step.collection == .map {
            step.mapKey = key
            step.collection = .none
        } else if let place = places[names.count - 1], step.collection == .list {
            step.place = place
            step.collection = .none
        }
    }
}
