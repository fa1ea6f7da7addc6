package import CausewayAdmin
package import CausewayModel
package import CausewayObjectStore
package import CausewayQuery

/// Finds the objects of one class that a text of the query language selects, piece by piece.
///
/// The whole language is answered, links and subqueries too, so that the work for one row is not known beforehand. A piece ends
/// behind the leaf of a thousand rows, or the step, with which its time is over.
package final class ObjectSearch {
    private let transaction: Transaction
    private let table: Table
    private let predicate: BoundPredicate
    /// Nil before the first piece.
    private var query: ResumableQuery?
    /// What is left to do with the rows that meet the predicate.
    private var steps: ArraySlice<Step>
    private var isFound = false
    private var time = Duration.zero
    /// The objects that are found, in their order, once the search is done.
    package private(set) var found: [ObjectKey] = []

    /// Comparisons and bytes of a query.
    static let termsMax = 4_000
    static let textBytesMax = 64 << 10
    /// SORT, DISTINCT and LIMIT behind the predicate, and the paths that all of them name.
    static let stepsMax = 4
    static let pathsMax = 8

    /// Where a search is given up.
    package struct Bounds: Sendable {
        /// For all pieces together.
        package var time: Duration
        /// Objects that are found: eight bytes of memory each.
        package var found = ObjectSearch.foundMax

        package init(time: Duration) { self.time = time }
    }

    static let foundMax = 16_000_000

    private enum Step {
        case sort([BoundSortKey])
        case distinct([BoundPath])
        case limit(Int)
    }

    /// - Parameters:
    ///   - text: a predicate that SORT, DISTINCT and LIMIT may follow; nil and the empty text select every object.
    ///   - order: properties separated by commas, a minus puts the greatest first. It sorts what the text selects.
    /// - Throws: `queryInvalid`.
    package init(
        _ text: String?, order: String?, of table: Table, in transaction: Transaction
    ) throws(AdminError) {
        self.transaction = transaction
        self.table = table
        let className = table.name
        do throws(QueryError) {
            var selection = try Self.selection(text ?? "")
            if let order { selection.steps.append(.sort(Self.sortKeys(order))) }
            predicate = try transaction.bound(selection.predicate, to: className)
            if let product = predicate.productOfCollections(in: transaction.schema) {
                throw QueryError(
                    .limit,
                    "it compares each element of one collection with each of another: \(product). Compare an operator such as "
                        + "@count or @max.")
            }
            try Self.check(selection.steps)
            var steps: [Step] = []
            for step in selection.steps { steps.append(try Self.bound(step, className, transaction)) }
            self.steps = steps[...]
        } catch {
            throw AdminError(.queryInvalid, "The query cannot be answered: " + "\(error)".prefix(Self.sentenceMax))
        }
    }

    /// A text may have long names, and an answer repeats them.
    private static let sentenceMax = 600

    private static func check(_ steps: [Selection.Step]) throws(QueryError) {
        let paths = steps.reduce(0) { count, step in
            switch step {
            case .sort(let keys): count + keys.count
            case .distinct(let paths): count + paths.count
            case .limit: count
            }
        }
        guard steps.count <= stepsMax, paths <= pathsMax else {
            throw QueryError(
                .limit, "it has more than \(stepsMax) steps behind the condition, or \(pathsMax) properties in them.")
        }
    }

    /// What a text says; the empty one selects everything.
    package static func selection(_ text: String) throws(QueryError) -> Selection {
        guard text.utf8.count <= textBytesMax else {
            throw QueryError(.limit, "it has more than \(textBytesMax) bytes. Compare with a list (IN {…}).")
        }
        let isEmpty = text.allSatisfy(\.isWhitespace)
        let selection = try Selection.parse(isEmpty ? "TRUEPREDICATE" : text)
        guard selection.predicate.termCount <= termsMax else {
            throw QueryError(.limit, "it has more than \(termsMax) comparisons. Compare with a list (IN {…}).")
        }
        return selection
    }

    private static func sortKeys(_ order: String) -> [SortKey] {
        order.split(separator: ",").map { name in
            let isDescending = name.hasPrefix("-")
            return SortKey(keyPath: String(isDescending ? name.dropFirst() : name), ascending: !isDescending)
        }
    }

    private static func bound(
        _ step: Selection.Step, _ className: String, _ transaction: Transaction
    ) throws(QueryError) -> Step {
        switch step {
        case .sort(let keys):
            var bound: [BoundSortKey] = []
            for key in keys { bound.append(try transaction.bound(key, to: className)) }
            return .sort(bound)
        case .distinct(let paths):
            // As a sort key binds a path: it leads to one value of each object.
            var bound: [BoundPath] = []
            for path in paths { bound.append(try transaction.bound(SortKey(path), to: className).path) }
            return .distinct(bound)
        case .limit(let count): return .limit(count)
        }
    }

    /// How the query is answered: by which index, with which scans, and what comes after.
    package var explanation: String {
        let plan = transaction.explain(table.name, matching: predicate)
        let rest = steps.map { step in
            switch step {
            case .sort: "sort"
            case .distinct: "keep the first of each combination"
            case .limit(let count): "keep the first \(count)"
            }
        }
        return ([plan.isEmpty ? "every object" : plan] + rest).joined(separator: ", then ")
    }

    /// Goes on until it is done, or over.
    ///
    /// - Returns: whether the result is complete.
    package func go(until isOver: () -> Bool, within bounds: Bounds) throws(AdminError) -> Bool {
        let start = ContinuousClock.now
        defer { time += start.duration(to: .now) }
        func isLate() -> Bool { time + start.duration(to: .now) > bounds.time }
        if !isFound {
            let query = try begun()
            isFound = try AdminError.reporting { () throws(StoreError) in try query.go { isOver() || isLate() } }
            guard query.keys.count <= bounds.found else { throw .tooMany(bounds.found) }
            guard isFound else {
                guard !isLate() else { throw .searchTooLong(bounds.time) }
                return false
            }
            found = query.keys
        }
        while let step = steps.first {
            guard !isLate() else { throw .searchTooLong(bounds.time) }
            take(step)
            steps.removeFirst()
            if isOver(), !steps.isEmpty { return false }
        }
        try AdminError.reporting { () throws(StoreError) in try transaction.throwDamage() }
        return true
    }

    private func begun() throws(AdminError) -> ResumableQuery {
        if let query { return query }
        let query = try AdminError.reporting { () throws(StoreError) in
            try ResumableQuery(table.name, matching: predicate, in: transaction)
        }
        self.query = query
        return query
    }

    /// Finds all in one go, for somebody who waits for nothing else.
    package func all() throws(AdminError) -> [ObjectKey] {
        try AdminError.reporting { () throws(StoreError) in
            found = try transaction.keys(table.name, matching: predicate)
            for step in steps { take(step) }
            try transaction.throwDamage()
        }
        return found
    }

    private func take(_ step: Step) {
        switch step {
        case .sort(let keys): found = transaction.sorted(found, table.name, by: keys)
        case .distinct(let paths): found = transaction.distinct(found, table.name, by: paths)
        case .limit(let count): found = Array(found.prefix(max(0, count)))
        }
    }
}

extension AdminError {
    fileprivate static func tooMany(_ count: Int) -> AdminError {
        AdminError(
            .tooCostly,
            "The query finds more than \(count) objects, and no more are kept in memory. Narrow it.")
    }

    fileprivate static func searchTooLong(_ time: Duration) -> AdminError {
        AdminError(
            .tooCostly,
            "The query was given up after \(time / .seconds(1)) seconds. Narrow it, best by an indexed property.")
    }
}
