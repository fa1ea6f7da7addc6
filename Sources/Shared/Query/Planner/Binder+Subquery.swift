import CausewayModel

extension Binder {
    /// The count of a subquery is bound as the count of its collection would be, and the condition by itself, over the
    /// class of the elements.
    func bind(
        _ comparison: Comparison, _ subquery: Subquery, _ comparator: Comparator, _ values: [Value], isList: Bool,
        depth: Int
    ) throws(QueryError) -> BoundPredicate {
        guard subquery.collection.aggregate == nil else { throw notACollection(subquery) }
        let collection = try resolve(subquery.collection)
        let collections = collection.bound.steps.filter { $0.collection != .none }
        guard let target = collection.target, collections.count == 1,
            collection.bound.steps.last?.collection != CollectionKind.none
        else { throw notACollection(subquery) }
        let condition = try Binder(schema: schema, className: target).bind(subquery.condition, depth: depth + 1)
        var path = subquery.collection
        path.aggregate = .count
        let count = try bind(comparison, path, comparator, values, isList: isList)
        // Some constants decide without a count: `@count == 2.5` holds for none.
        guard case .comparison(let asked) = count else { return count }
        return .subquery(BoundSubquery(count: asked, condition: condition))
    }

    /// The count against what a property of the object holds.
    func bind(
        _ comparison: Comparison, _ subquery: Subquery, _ comparator: Comparator, _ path: PropertyPath, depth: Int
    ) throws(QueryError) -> BoundPredicate {
        let limit = try resolve(path)
        guard !limit.isToMany, limit.type.isNumeric || limit.type == .mixed else {
            throw QueryError(
                .value, "Invalid value: The count of a SUBQUERY is compared with a number or a key path to one",
                remedy: "Name a property with one number an object.")
        }
        guard comparator.exchanged != nil, comparison.options.isEmpty else {
            throw QueryError(
                .comparator,
                "Invalid operator type: Operator '\(comparison.operatorText)' not supported for the count of a SUBQUERY",
                remedy: "A count and a property take ==, !=, <, <=, > and >=.")
        }
        let bound = try bind(comparison, subquery, comparator, [.int(0)], isList: false, depth: depth)
        guard case .subquery(var counted) = bound else { preconditionFailure("An int decides no count.") }
        counted.count.operand = .path(limit.bound)
        return .subquery(counted)
    }

    private func notACollection(_ subquery: Subquery) -> QueryError {
        QueryError(
            .property,
            "Invalid keypath: SUBQUERY needs a path to one collection of objects, and '\(subquery.collection.text)' is none",
            remedy: "Write SUBQUERY(list, $x, $x.property == value).@count for a list of objects."
        )
    }
}
