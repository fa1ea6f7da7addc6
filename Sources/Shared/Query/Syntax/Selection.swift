/// A predicate and the steps applied to its results: `age > 2 SORT(name ASC) DISTINCT(breed) LIMIT(10)`.
///
/// The steps run in the order in which they stand.
package struct Selection: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case sort([SortKey])
        case distinct([PropertyPath])
        /// Keeps the first results, at most this many.
        case limit(Int)
    }

    package var predicate: Predicate
    package var steps: [Step]

    package init(_ predicate: Predicate, _ steps: [Step] = []) {
        self.predicate = predicate
        self.steps = steps
    }

    /// Reads a predicate that SORT, DISTINCT and LIMIT may follow.
    ///
    /// - Complexity: linear in the text and the arguments, which `QueryLimits` bounds.
    package static func parse(_ text: String, arguments: [Argument] = []) throws(QueryError) -> Selection {
        var parser = try Parser(text, arguments)
        return try parser.selection()
    }
}

extension Selection: CustomStringConvertible {
    package var description: String { ([predicate.description] + steps.map(\.text)).joined(separator: " ") }
}

extension Selection.Step {
    fileprivate var text: String {
        switch self {
        case .sort(let keys):
            "SORT(" + keys.map { "\($0.path.text) \($0.ascending ? "ASC" : "DESC")" }.joined(separator: ", ") + ")"
        case .distinct(let paths): "DISTINCT(" + paths.map(\.text).joined(separator: ", ") + ")"
        case .limit(let count): "LIMIT(\(count))"
        }
    }
}
