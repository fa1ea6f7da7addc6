import CausewayModel
import CausewayObjectStore
import CausewayQuery

extension Results {
    /// Describes how the results are found: the index or scan that finds them, and the steps after it.
    ///
    /// ```swift
    /// print(dogs.where { $0.breed == "Collie" && $0.age < 2 }.sorted(by: \.name).explain())
    /// // index on Dog.breed, then scan Dog.age, sorted by name
    /// ```
    ///
    /// The text is for people. Its words may change from version to version, and the plan with the data.
    ///
    /// - Complexity: The cost of planning; no object is read.
    public func explain() -> String { source.explanation }
}

extension _ResultsSource {
    fileprivate var explanation: String {
        check()
        var remaining = steps[...]
        var parts = [beginning(&remaining)]
        let schema = instance.transaction.schema
        for step in remaining {
            switch step {
            case .filter: parts.append("filtered one by one")
            case .sort(let order):
                let keys = order.map { $0.path.text(in: schema) + ($0.ascending ? "" : " descending") }
                parts.append("sorted by " + keys.joined(separator: ", "))
            case .distinct(let paths):
                parts.append("distinct by " + paths.map { $0.text(in: schema) }.joined(separator: ", "))
            case .sortValues(let ascending): parts.append(ascending ? "sorted" : "sorted descending")
            case .distinctValues: parts.append("distinct")
            case .limit(let count): parts.append("the first \(count)")
            }
        }
        return parts.joined(separator: ", ")
    }

    /// The origin of the elements. If it is a class, the conditions that come first are part of it.
    private func beginning(_ remaining: inout ArraySlice<Step>) -> String {
        switch origin {
        case .table:
            let name = access?.model.className ?? ""
            var conditions: [BoundPredicate] = []
            while case .filter(let condition) = remaining.first {
                conditions.append(condition)
                remaining.removeFirst()
            }
            guard let first = conditions.first else { return "all of \(name)" }
            return instance.transaction.explain(name, matching: conditions.count > 1 ? .and(conditions) : first)
        case .list(_, let owner, let column):
            return "the elements of \(owner.model.className).\(owner.schema.properties[column].name)"
        case .inverse(_, _, let column):
            guard let access else { return "what links here" }
            return "what links here by \(access.model.className).\(access.schema.properties[column].name)"
        }
    }
}
