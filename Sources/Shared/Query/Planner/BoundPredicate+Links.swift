package import CausewayModel

extension BoundPredicate {
    /// The paths that pass through a link to a top-level object, as written. Subscriptions refuse them: whether such
    /// a query matches can change without the queried object changing.
    ///
    /// A path that ends at a link does not pass through it: `owner == nil` and `owner == %@` ask the object itself.
    package func usesLinks(in schema: Schema) -> [String] {
        var found: [String] = []
        collectLinks(in: schema, into: &found)
        return found
    }

    /// Two collections of which each element is compared with each, as a text; nil where there are none. Subscriptions and
    /// rules refuse them: what they cost is the product of two sizes, and whoever writes objects chooses both.
    package func productOfCollections(in schema: Schema) -> String? {
        switch self {
        case .constant, .comparison, .computed, .type, .geoWithin: return nil
        case .and(let parts), .or(let parts): return parts.lazy.compactMap { $0.productOfCollections(in: schema) }.first
        case .not(let part): return part.productOfCollections(in: schema)
        case .subquery(let subquery): return subquery.condition.productOfCollections(in: schema)
        case .pairs(let pairs):
            guard case .path(let other, _) = pairs.right else { return nil }
            return "\(pairs.path.text(in: schema)) and \(other.text(in: schema))"
        }
    }

    private func collectLinks(in schema: Schema, into found: inout [String]) {
        switch self {
        case .constant: break
        case .and(let parts), .or(let parts):
            for part in parts { part.collectLinks(in: schema, into: &found) }
        case .not(let part):
            part.collectLinks(in: schema, into: &found)
        case .comparison(let comparison):
            var paths = [comparison.path]
            if case .path(let other) = comparison.operand { paths.append(other) }
            Self.collect(paths, in: schema, into: &found)
        case .computed(let computation): Self.collect(computation.paths, in: schema, into: &found)
        case .pairs(let pairs): Self.collect(pairs.paths, in: schema, into: &found)
        case .type(let test): Self.collect(test.paths, in: schema, into: &found)
        case .geoWithin(let within):
            guard within.path.passesLink(in: schema) else { break }
            let text = within.path.text(in: schema)
            if !found.contains(text) { found.append(text) }
        case .subquery(let subquery):
            let path = subquery.count.path
            if case .path(let other) = subquery.count.operand { Self.collect([other], in: schema, into: &found) }
            if path.leadsToObjects(in: schema) {
                let text = "SUBQUERY(\(BoundPath(steps: path.steps).text(in: schema)), …)"
                if !found.contains(text) { found.append(text) }
            }
            subquery.condition.collectLinks(in: schema, into: &found)
        }
    }
}

extension BoundPredicate {
    private static func collect(_ paths: [BoundPath], in schema: Schema, into found: inout [String]) {
        for path in paths where path.passesLink(in: schema) {
            let text = path.text(in: schema)
            if !found.contains(text) { found.append(text) }
        }
    }
}

extension BoundPath {
    /// True when a step before the last leads to an object that is not embedded in the one before it, or any step goes
    /// against a link.
    package func passesLink(in schema: Schema) -> Bool {
        steps.last.map { $0.direction != .forward } == true
            || BoundPath(steps: Array(steps.dropLast())).leadsToObjects(in: schema)
    }

    /// True when a step leads to an object that is not embedded in the one before it.
    fileprivate func leadsToObjects(in schema: Schema) -> Bool {
        steps.contains { step in
            guard step.direction == .forward else { return true }
            guard let target = step.target else { return false }
            return schema[target]?.kind != .embedded
        }
    }

    /// The path as names, for messages.
    package func text(in schema: Schema) -> String {
        let names = steps.map { step -> String in
            if step.direction == .backwardFromAnywhere { return PropertyPath.inverse }
            let owner = step.direction == .forward ? step.className : step.target ?? ""
            guard let properties = schema[owner]?.properties, properties.indices.contains(step.schemaIndex) else {
                return "?"
            }
            let name = properties[step.schemaIndex].name
            return step.direction == .forward ? name : PropertyPath.inverse(owner, name)
        }
        let last = steps.last
        let part = last?.mapKey.map { MapPart.value($0) } ?? (last.map { $0.property < 0 } == true ? .keys : nil)
        var path = PropertyPath(names, part: part, aggregate: aggregate)
        path.nested = last?.nested ?? []
        if path.nested.last == .length { path.nested[path.nested.count - 1] = .count }
        for (position, step) in steps.enumerated() {
            let isLast = position == steps.count - 1
            path.places[position] = step.place ?? (isLast ? nil : step.mapKey.map(ListPlace.key))
        }
        return path.text
    }
}
