package import CausewayModel

// Predicates made by code: flat where the text would be flat, so that a chain of filters does not nest.

extension Predicate {
    /// The AND of the parts, with the ANDs among them dissolved into one.
    package static func all(of parts: [Predicate]) -> Predicate {
        let flat = parts.flatMap { part -> [Predicate] in
            switch part {
            case .and(let inner): inner
            case .constant(true): []
            default: [part]
            }
        }
        return switch flat.count {
        case 0: .constant(true)
        case 1: flat[0]
        default: .and(flat)
        }
    }

    /// The OR of the parts, with the ORs among them dissolved into one.
    package static func any(of parts: [Predicate]) -> Predicate {
        let flat = parts.flatMap { part -> [Predicate] in
            switch part {
            case .or(let inner): inner
            case .constant(false): []
            default: [part]
            }
        }
        return switch flat.count {
        case 0: .constant(false)
        case 1: flat[0]
        default: .or(flat)
        }
    }

    /// The predicate with every constant replaced, for example row keys by links before it travels.
    package func mappingValues<Failure: Error>(
        _ transform: (PropertyPath?, Value) throws(Failure) -> Value
    ) throws(Failure) -> Predicate {
        switch self {
        case .constant, .geoWithin: return self
        case .and(let parts):
            return .and(try parts.map { part throws(Failure) in try part.mappingValues(transform) })
        case .or(let parts):
            return .or(try parts.map { part throws(Failure) in try part.mappingValues(transform) })
        case .not(let part):
            return .not(try part.mappingValues(transform))
        case .comparison(var comparison):
            let (left, right) = (comparison.left, comparison.right)
            comparison.left = try left.mappingValues(against: right.path, transform)
            comparison.right = try right.mappingValues(against: left.path, transform)
            return .comparison(comparison)
        }
    }
}

extension Expression {
    package var path: PropertyPath? {
        if case .path(let path) = self { path } else { nil }
    }

    fileprivate func mappingValues<Failure: Error>(
        against path: PropertyPath?, _ transform: (PropertyPath?, Value) throws(Failure) -> Value
    ) throws(Failure) -> Expression {
        switch self {
        case .path, .arithmetic, .typeOf, .claim: return self
        case .quantified(let quantifier, let values):
            return .quantified(quantifier, try values.map { value throws(Failure) in try transform(path, value) })
        case .value(let value): return .value(try transform(path, value))
        case .values(let values):
            return .values(try values.map { value throws(Failure) in try transform(path, value) })
        case .subquery(var subquery):
            let collection = subquery.collection.names
            subquery.condition = try subquery.condition.mappingValues { path, value throws(Failure) in
                try transform(
                    path.map { PropertyPath(collection + $0.names, part: $0.part, aggregate: $0.aggregate) }, value)
            }
            return .subquery(subquery)
        }
    }
}
