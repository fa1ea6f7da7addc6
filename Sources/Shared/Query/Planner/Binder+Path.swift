import CausewayModel

/// A path that the schema has confirmed, with what the checks of values need to know about its result.
struct ResolvedPath {
    var bound: BoundPath
    /// The type of what the path gives: of the last property, or of the operator on the collection.
    var type: PropertyType
    /// True when an object has several values at the path.
    var isToMany: Bool
    var isNullable: Bool
    /// The class links at the path's end lead to.
    var target: String?
    /// The property an error names, and the class that has it.
    var name: String
    var className: String

    var shownType: String {
        type == .object ? target ?? type.shown : type.shown
    }
}

extension Binder {
    func resolve(_ path: PropertyPath) throws(QueryError) -> ResolvedPath {
        guard !path.names.isEmpty, path.names.count <= QueryLimits.pathNames else {
            throw QueryError(
                .limit, "Invalid keypath: a key path has between one and \(QueryLimits.pathNames) names"
            )
        }
        if let lengths = try lengths(path) { return lengths }
        var path = path
        var nested: [NestedStep] = []
        var current = try queriedClass()
        var steps: [BoundPath.Step] = []
        var collections = 0
        var property: Property?
        for (position, name) in path.names.enumerated() {
            let isLast = position == path.names.count - 1
            if path.places[position] != nil, PropertyPath.origin(of: name) != nil {
                throw QueryError(
                    .property,
                    "Invalid keypath: '\(path.text)' asks for one of the objects that link here by its place",
                    remedy: "They have no order that a query could name.")
            }
            if let (step, found) = try inverseStep(name, from: current, isLast: isLast, path.aggregate) {
                property = found
                collections += 1
                steps.append(step)
                if !isLast { current = try target(of: found, in: current) }
                continue
            }
            guard let index = current.index(of: name) else {
                throw QueryError(
                    .property,
                    "Invalid property name: Property '\(name)' not found in object of type '\(current.name)'",
                    remedy: remedy(for: name, in: current)
                )
            }
            var found = current.properties[index]
            var step = BoundPath.Step(className: current.name, property: index, of: found)
            if isLast {
                nested = try nestedSteps(&path, at: found)
                // The first of the steps goes into the property's own list or map.
                if !nested.isEmpty, found.collection != .none, path.part == nil { collections -= 1 }
            }
            if let place = path.places[position] { try take(place, of: &step, &found, path) }
            property = found
            if found.collection != .none { collections += 1 }
            steps.append(step)
            if isLast, let part = path.part {
                try take(part, of: &steps[position], &property, &collections, path)
            }
            guard !isLast else { break }
            guard found.type == .object else {
                throw QueryError(
                    .property, "Invalid value: Property '\(name)' is not a link in object of type '\(current.name)'",
                    remedy: "A key path goes on only after a link, an embedded object or a list of them."
                )
            }
            current = try target(of: found, in: current)
        }
        guard let property else { preconditionFailure("A path with names has a last property.") }
        if path.aggregate == .count, property.collection == .none, property.type == .string || property.type == .data {
            // Of a text or data, the count is that of its bytes.
            path.aggregate = nil
            nested.append(.length)
        }
        let bound = BoundPath(steps: steps, aggregate: path.aggregate)
        var resolved = ResolvedPath(
            bound: bound, type: property.type, isToMany: collections > 0,
            // An absent link on the way makes the whole path null.
            isNullable: property.isOptional || property.type == .object || property.type == .mixed
                || path.names.count > 1,
            target: property.target, name: property.name, className: current.name
        )
        resolved.append(nested)
        guard let aggregate = path.aggregate else { return resolved }
        return try aggregated(resolved, aggregate, path, property, collections: collections)
    }

    /// `names.length`: the bytes of each text or data in a collection; nil for other paths.
    private func lengths(_ path: PropertyPath) throws(QueryError) -> ResolvedPath? {
        guard path.names.count > 1, path.names.last?.lowercased() == "length", path.aggregate == nil,
            path.part == nil, path.nested.isEmpty, path.places[path.names.count - 1] == nil
        else { return nil }
        var collection = path
        collection.names.removeLast()
        // A path that leads nowhere is refused under its whole name.
        guard var found = try? resolve(collection), found.isToMany,
            found.type == .string || found.type == .data || found.type == .mixed
        else { return nil }
        found.append([.length])
        return found
    }

    /// Turns the step to a list into one to one of its elements.
    private func take(
        _ place: ListPlace, of step: inout BoundPath.Step, _ property: inout Property, _ path: PropertyPath
    ) throws(QueryError) {
        switch place {
        case .key(let key) where step.collection == .map:
            step.mapKey = key
            step.collection = .none
            property.collection = .none
            property.isOptional = true
            return
        case .each where step.collection != .none: return
        case .key, .each:
            throw QueryError(
                .property,
                "Invalid keypath: '\(path.text)' asks for elements of '\(property.name)' that it does not have",
                remedy: "['key'] stands behind a property of type Map, [*] and @values behind a collection.")
        case .at, .first, .last: break
        }
        guard step.collection == .list else {
            throw QueryError(
                .property,
                "Invalid keypath: '\(path.text)' asks for one element of '\(property.name)', which is no list",
                remedy: "[0], [FIRST] and [LAST] stand behind a property of type List.")
        }
        step.place = place
        step.collection = .none
        property.collection = .none
        property.isOptional = true
    }

    /// Turns the step to a map into one to its keys or to one of its values.
    private func take(
        _ part: MapPart, of step: inout BoundPath.Step, _ property: inout Property?, _ collections: inout Int,
        _ path: PropertyPath
    ) throws(QueryError) {
        guard step.collection == .map else {
            throw QueryError(
                .property, "Invalid keypath: '\(path.text)' asks for a part of a map, and the property is none",
                remedy: "@keys, @values and ['key'] stand after a property of type Map."
            )
        }
        switch part {
        case .values: break
        case .keys:
            step.property = ~step.property
            step.type = .string
            step.target = nil
            property?.type = .string
            property?.target = nil
            property?.isOptional = false
        case .value(let key):
            step.mapKey = key
            step.collection = .none
            collections -= 1
            property?.collection = .none
            property?.isOptional = true
        }
    }

    /// The class a link leads to.
    func target(of property: Property, in owner: ClassSchema) throws(QueryError) -> ClassSchema {
        guard let name = property.target, let found = schema[name] else {
            throw QueryError(
                .property,
                "Invalid property name: Property '\(property.name)' of object of type '\(owner.name)' leads to type "
                    + "'\(property.target ?? "?")', which is not managed by the Realm",
                remedy: "Add the class to the configuration's objectTypes."
            )
        }
        return found
    }

    // MARK: - Operators on collections

    private func aggregated(
        _ path: ResolvedPath, _ aggregate: Aggregate, _ written: PropertyPath, _ last: Property, collections: Int
    ) throws(QueryError) -> ResolvedPath {
        var result = path
        result.isToMany = false
        result.target = nil
        guard collections > 0 else {
            throw QueryError(
                .property,
                "Invalid keypath: \(aggregate.text) can only be applied to a collection, and '\(written.text)' has none",
                remedy: "Write list.\(aggregate.text)\(aggregate == .count ? "" : ".property") for one list."
            )
        }
        result.isToMany = path.bound.foldsEach
        switch aggregate {
        case .count:
            guard last.collection != .none else {
                throw QueryError(
                    .property, "Invalid keypath: @count must stand right after the collection in '\(written.text)'",
                    remedy: "Write \(written.names.dropLast().joined(separator: ".")).@count."
                )
            }
            result.type = .int
            result.isNullable = false
        case .minimum, .maximum:
            guard last.type.isNumeric || last.type == .date || last.type == .mixed else {
                throw notNumeric(aggregate, written, path)
            }
            result.isNullable = true
        case .sum, .average:
            guard last.type.isNumeric || last.type == .mixed else { throw notNumeric(aggregate, written, path) }
            let isDecimal = last.type == .decimal128 || last.type == .mixed
            result.type =
                isDecimal ? .decimal128 : aggregate == .sum && last.type == .int ? .int : .double
            result.isNullable = aggregate == .average
        }
        return result
    }

    private func notNumeric(_ aggregate: Aggregate, _ written: PropertyPath, _ path: ResolvedPath) -> QueryError {
        QueryError(
            .property,
            "Invalid keypath: \(aggregate.text) can only be applied to a collection of numeric values, and "
                + "'\(written.text)' is of type '\(path.shownType)'",
            remedy: path.type == .object
                ? "Name one of the elements' properties: list.\(aggregate.text).property." : nil
        )
    }

    // MARK: - Remedies

    /// Names what was probably meant, or what there is.
    func remedy(for name: String, in owner: ClassSchema) -> String? {
        let wanted = name.lowercased()
        if let near = owner.properties.first(where: { Self.isNear($0.name.lowercased(), wanted) }) {
            return "Did you mean '\(near.name)'?"
        }
        guard !owner.properties.isEmpty, owner.properties.count <= 12 else { return nil }
        return "It has: " + owner.properties.map(\.name).joined(separator: ", ") + "."
    }

    /// Equal, or apart by one letter put in, left out or exchanged.
    static func isNear(_ left: String, _ right: String) -> Bool {
        let (short, long) = left.utf8.count <= right.utf8.count ? (left.utf8, right.utf8) : (right.utf8, left.utf8)
        guard long.count - short.count <= 1, long.count > 2 else { return left == right }
        let common = zip(short, long).prefix { $0 == $1 }.count
        let shortRest = short.dropFirst(common)
        let longRest = long.dropFirst(common + 1)
        return short.count == long.count
            ? shortRest.dropFirst().elementsEqual(longRest) : shortRest.elementsEqual(longRest)
    }
}

extension BoundPath.Step {
    init(className: String, property: Int, of description: Property) {
        self.init(
            className: className, property: property, type: description.type, collection: description.collection,
            target: description.target
        )
    }
}
