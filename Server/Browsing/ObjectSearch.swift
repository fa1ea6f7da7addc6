package import CausewayAdmin
package import CausewayModel
package import CausewayObjectStore
package import CausewayQuery

/// Finds the objects of one class that a text of the query language selects, piece by piece.
///
/// The whole language is answered, links and subqueries too, so that the work for one row is not known beforehand. The number of
/// rows that one piece looks at follows from the time that the rows before took.
package final class ObjectSearch {
    private let transaction: Transaction
    private let table: Table
    private let predicate: BoundPredicate
    /// What is left to do with the rows that meet the predicate.
    private var steps: ArraySlice<Step>
    /// The next row to look at.
    private var next: Int64 = 0
    private var rowsAtOnce: Int64 = 1_024
    private var time = Duration.zero
    private let bounds: Bounds
    /// The objects that are found so far, in their order.
    package private(set) var found: [ObjectKey] = []

    static let rowsAtOnceRange: ClosedRange<Int64> = 16...65_536
    /// So long the rows of one look should take. A piece of work ends behind the first look that reaches its end.
    static let lookTime = Duration.milliseconds(5)
    /// Comparisons and bytes of a query.
    static let termsMax = 4_000
    static let textBytesMax = 64 << 10

    /// Where a search is given up.
    package struct Bounds: Sendable {
        /// For all pieces together.
        package var time: Duration
        /// Objects that are found: eight bytes of memory each.
        package var found = ObjectSearch.foundMax

        package init(time: Duration) { self.time = time }

        /// For somebody who waits for nothing else.
        package static let none = {
            var bounds = Bounds(time: .seconds(Int64.max))
            bounds.found = .max
            return bounds
        }()
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
        _ text: String?, order: String?, of table: Table, in transaction: Transaction, _ bounds: Bounds
    ) throws(AdminError) {
        self.transaction = transaction
        self.table = table
        self.bounds = bounds
        let className = table.name
        do throws(QueryError) {
            var selection = try Self.selection(text ?? "")
            if let order { selection.steps.append(.sort(Self.sortKeys(order))) }
            predicate = try transaction.bound(selection.predicate, to: className)
            var steps: [Step] = []
            for step in selection.steps { steps.append(try Self.bound(step, className, transaction)) }
            self.steps = steps[...]
        } catch {
            throw AdminError(.queryInvalid, "The query cannot be answered: \(error)")
        }
        if let product = predicate.productOfCollections(in: transaction.schema) {
            throw AdminError(
                .queryInvalid,
                "The query compares each element of one collection with each of another: \(product). Compare an operator "
                    + "such as @count or @max.")
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
    package func go(until isOver: () -> Bool) throws(AdminError) -> Bool {
        let start = ContinuousClock.now
        defer { time += start.duration(to: .now) }
        while next < table.keysEnd.rawValue {
            try look()
            guard time + start.duration(to: .now) <= bounds.time else { throw .searchTooLong(bounds.time) }
            if isOver() { return false }
        }
        while let step = steps.popFirst() {
            take(step)
            if isOver(), !steps.isEmpty { return false }
        }
        do throws(StoreError) {
            try transaction.throwDamage()
        } catch {
            throw AdminError(.serverFault, error.message)
        }
        return true
    }

    private func look() throws(AdminError) {
        let start = ContinuousClock.now
        let last = min(next + rowsAtOnce, table.keysEnd.rawValue) - 1
        do throws(StoreError) {
            found += try transaction.keys(table.name, matching: predicate, in: ObjectKey(next)...ObjectKey(last))
        } catch {
            throw AdminError(.serverFault, error.message)
        }
        guard found.count <= bounds.found else {
            throw AdminError(
                .tooCostly,
                "The query finds more than \(bounds.found) objects, and no more are kept in memory. Narrow it.")
        }
        next = last + 1
        let took = start.duration(to: .now)
        let wanted = took * 2 < Self.lookTime ? rowsAtOnce * 2 : took > Self.lookTime ? rowsAtOnce / 2 : rowsAtOnce
        rowsAtOnce = min(max(wanted, Self.rowsAtOnceRange.lowerBound), Self.rowsAtOnceRange.upperBound)
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
    fileprivate static func searchTooLong(_ time: Duration) -> AdminError {
        AdminError(
            .tooCostly,
            "The query was given up after \(time / .seconds(1)) seconds. Narrow it, best by an indexed property.")
    }
}
