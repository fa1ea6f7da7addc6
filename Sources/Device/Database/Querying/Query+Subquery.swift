import CausewayQuery

extension Query where T == Bool {
    /// The number of elements of a collection that each satisfy the whole condition.
    ///
    /// ```swift
    /// projects.where { ($0.tasks.isComplete == false && $0.tasks.assignee == "Alex").count > 0 }
    /// ```
    ///
    /// Without `count`, different elements may satisfy the comparisons. All paths of the condition must go through the
    /// same collection. The count can be compared only with a constant number. A path that goes through no collection,
    /// and a subquery within, begin at the element.
    public var count: Query<Int> {
        let collections = collections
        guard let collection = collections.first else {
            misuse("Subqueries must contain a keypath starting with a collection.")
        }
        guard collections.count == 1 else {
            let names = collections.map { $0.joined(separator: ".") }.sorted().joined(separator: "' and '")
            misuse("Subqueries will only work with a single collection, and this one names '\(names)'.")
        }
        let subquery = Subquery(PropertyPath(collection), where: condition.ofElements(of: collection))
        let elements = written.mappingPredicates { $0.ofElements(of: collection) }
        return Query<Int>(.count(subquery, elements: elements))
    }
}

extension Predicate {
    /// The condition on one element: each path without the collection that it goes through.
    fileprivate func ofElements(of collection: [String]) -> Predicate {
        switch self {
        case .constant: return self
        case .and(let parts): return .and(parts.map { $0.ofElements(of: collection) })
        case .or(let parts): return .or(parts.map { $0.ofElements(of: collection) })
        case .not(let part): return .not(part.ofElements(of: collection))
        case .comparison(var comparison):
            comparison.left = comparison.left.ofElements(of: collection)
            comparison.right = comparison.right.ofElements(of: collection)
            return .comparison(comparison)
        case .geoWithin(var within):
            within.path = within.path.ofElements(of: collection)
            return .geoWithin(within)
        }
    }
}

extension Expression {
    fileprivate func ofElements(of collection: [String]) -> Expression {
        switch self {
        case .value, .values, .quantified, .claim: return self
        case .arithmetic(let arithmetic):
            return .arithmetic(arithmetic.mappingPaths { $0.ofElements(of: collection) })
        case .typeOf(let path): return .typeOf(path.ofElements(of: collection))
        // A path of its own, which begins at the element, as in RealmSwift.
        case .subquery: return self
        case .path(let path): return .path(path.ofElements(of: collection))
        }
    }
}

extension PropertyPath {
    fileprivate func ofElements(of collection: [String]) -> PropertyPath {
        // A property that is not behind the collection is one of the element's own, as in RealmSwift.
        guard names.starts(with: collection) else { return self }
        guard names.count > collection.count else {
            misuse(
                "A subquery compares properties of the elements of '\(collection.joined(separator: "."))', and "
                    + "'\(text)' is none.")
        }
        var path = self
        path.names.removeFirst(collection.count)
        path.places = [:]
        for (index, place) in places where index >= collection.count { path.places[index - collection.count] = place }
        return path
    }
}
