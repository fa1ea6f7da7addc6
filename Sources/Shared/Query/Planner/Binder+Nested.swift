import CausewayModel

// Subscripts of mixed values.

extension Binder {
    /// The steps into mixed values at the end of a path. Decides whether its first subscript belongs to the property
    /// itself.
    ///
    /// - Parameter path: Loses its part, last place or aggregate where that is a step into a mixed value.
    func nestedSteps(_ path: inout PropertyPath, at last: Property) throws(QueryError) -> [NestedStep] {
        guard !path.nested.isEmpty || last.type == .mixed else { return [] }
        var steps = path.nested
        // A position of a list of mixed values is a place in it, unless something stands behind it.
        let position = path.names.count - 1
        if let place = path.places[position], last.type == .mixed,
            last.collection == .none || !steps.isEmpty || path.part?.isPlural == true || path.aggregate == .count
        {
            guard case .at(let index) = place else {
                throw QueryError(
                    .property, "Invalid keypath: '\(path.text)' goes into an element by FIRST or LAST",
                    remedy: "A position, such as [0], stands before another subscript and behind an AnyRealmValue."
                )
            }
            steps.insert(.index(index), at: 0)
            path.places[position] = nil
        }
        if last.type == .mixed, path.part?.isPlural == false || last.collection == .none || !steps.isEmpty {
            switch path.part {
            case .value(let key) where last.collection == .none:
                steps.insert(.key(key), at: 0)
                path.part = nil
            case nil, .value: break
            case .keys:
                steps.append(.keys)
                path.part = nil
            case .values:
                steps.append(.any)
                path.part = nil
            }
            if path.aggregate == .count {
                steps.append(.count)
                path.aggregate = nil
            }
        }
        if steps.isEmpty { return [] }
        guard last.type == .mixed, last.collection != .set else {
            throw QueryError(
                .property,
                "Invalid keypath: '\(path.text)' asks for an element, and property '\(last.name)' holds no AnyRealmValue",
                remedy: "[0], ['key'] and [*] stand after a property of type AnyRealmValue, ['key'] after a Map too."
            )
        }
        guard path.aggregate == nil else {
            throw QueryError(
                .property, "Invalid keypath: '\(path.text)' applies an operator to elements of AnyRealmValue",
                remedy: "Only @count stands there, which counts what one value holds."
            )
        }
        return steps
    }
}

extension ResolvedPath {
    /// The path with its steps into mixed values.
    mutating func append(_ nested: [NestedStep]) {
        guard !nested.isEmpty, !bound.steps.isEmpty else { return }
        bound.steps[bound.steps.count - 1].nested = nested
        isNullable = true
        if nested.contains(where: \.isToMany) { isToMany = true }
        if nested.last == .count || nested.last == .length { type = .int }
    }
}
