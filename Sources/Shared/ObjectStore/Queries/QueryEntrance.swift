import CausewayModel
import CausewayQuery
import CausewayStorage

/// An access path into a table: the rows that trees find for a predicate before any leaf is read.
struct QueryEntrance {
    /// Describes it for people.
    let how: () -> String
    /// The predicate that the rows must still be tested for; nil when all rows match.
    var rest: BoundPredicate?
    /// The approximate number of rows.
    let rowCount: Int
    /// The approximate cost of finding the rows, in nanoseconds.
    let cost: Double
    /// Whether the rows come in ascending order, each once.
    let isOrdered: Bool
    /// Whether all rows are objects that are here, and no ghosts.
    let areAlive: Bool
    let collect: (inout [ObjectKey]) -> Void
    /// Counts the rows without reading them.
    var count: (() -> Int)?
    /// The first rows, at least this many unless there are fewer, without the others; nil where the rows come in no
    /// order.
    var first: ((_ limit: Int) -> [ObjectKey])?

    /// The cheapest entrance that is cheaper than a scan of the table; nil when none is.
    static func find(_ predicate: BoundPredicate, _ table: Table, scanCost: Double) -> QueryEntrance? {
        find(predicate, table, scanCost).flatMap { $0.cost + $0.restCost(table) < scanCost ? $0 : nil }
    }

    /// - Parameter limit: an entrance that costs more need not be found.
    private static func find(_ predicate: BoundPredicate, _ table: Table, _ limit: Double) -> QueryEntrance? {
        switch predicate {
        case .comparison(let comparison): find(comparison, table, limit)
        case .and(let parts): cheapest(parts, table, limit)
        case .or(let parts): union(parts, table, limit)
        default: nil
        }
    }

    // MARK: - AND and OR

    /// The entrance of the part of an AND that finds the fewest rows. Two bounds of one property are one range.
    ///
    /// - Complexity: O(parts), plus the cost of finding an entrance for each.
    private static func cheapest(_ parts: [BoundPredicate], _ table: Table, _ limit: Double) -> QueryEntrance? {
        let ranges = BoundsInPairs(parts)
        var best: (entrance: QueryEntrance, partner: Int?, index: Int)?
        for (index, part) in parts.enumerated() {
            let pair = ranges[index]
            let limit = best?.entrance.cost ?? limit
            let found: QueryEntrance? =
                if let pair { find(pair.range, pair.comparison, table, limit) } else { find(part, table, limit) }
            guard let found, found.rowCount < best?.entrance.rowCount ?? .max else { continue }
            best = (found, pair?.partner, index)
            if found.rowCount <= 1 { break }
        }
        guard let best else { return nil }
        var others = parts.enumerated().filter { $0.offset != best.index && $0.offset != best.partner }.map(\.element)
        others += best.entrance.rest.map { [$0] } ?? []
        var entrance = best.entrance
        entrance.rest = others.isEmpty ? nil : others.count == 1 ? others[0] : .and(others)
        return entrance
    }

    private static func union(_ parts: [BoundPredicate], _ table: Table, _ limit: Double) -> QueryEntrance? {
        var entrances: [QueryEntrance] = []
        var cost = 0.0
        for part in parts {
            guard let entrance = find(part, table, limit - cost) else { return nil }
            cost += entrance.cost
            entrances.append(entrance)
        }
        let found = entrances
        guard let first = found.first else { return nil }
        return QueryEntrance(
            how: { found.map { $0.how() }.joined(separator: " or ") },
            rest: found.allSatisfy { $0.rest == nil } ? nil : .or(parts),
            rowCount: found.reduce(0) { $0 + $1.rowCount }, cost: cost, isOrdered: found.count == 1 && first.isOrdered,
            areAlive: found.allSatisfy(\.areAlive)
        ) { keys in
            for entrance in found { entrance.collect(&keys) }
        }
    }

    // MARK: - Comparisons

    private static func find(_ comparison: BoundComparison, _ table: Table, _ limit: Double) -> QueryEntrance? {
        guard comparison.quantifier == .implied, comparison.path.aggregate == nil,
            comparison.path.steps.allSatisfy(\.isColumn), let step = comparison.path.steps.first,
            let operand = comparison.operand.constants
        else { return nil }
        if comparison.path.steps.count > 1 { return backwards(comparison, step, operand, table, limit) }
        if step.type == .object { return links(comparison, step, operand, table) }
        if comparison.comparator == .text { return words(comparison, step, operand, table, limit) }
        if comparison.options.isEmpty, comparison.comparator == .equal || comparison.comparator == .in {
            return equality(operand, comparison, step, table, limit)
        }
        return IndexBounds(comparison).flatMap { find($0, comparison, table, limit) }
    }

    private static func equality(
        _ operand: [Value], _ comparison: BoundComparison, _ step: BoundPath.Step, _ table: Table, _ limit: Double
    ) -> QueryEntrance? {
        let property = table.schema.properties[step.property]
        guard Double(operand.count) * treeCost <= limit, operand.allSatisfy({ $0.isNull || $0.hasType(step.type) })
        else { return nil }
        // 0 and −0 lie in one range, which is read only once.
        let values = operand.count == 1 ? operand : Set(operand.map(SetElement.init)).map(\.value)
        if property.isPrimaryKey {
            let keys = values.compactMap { PrimaryKey($0).flatMap(table.key) }.sorted()
            return QueryEntrance(
                how: { "primary key of \(table.name)" }, rest: nil, rowCount: keys.count,
                cost: treeCost * Double(values.count), isOrdered: true, areAlive: true
            ) { $0 += keys }
        }
        guard let index = table.columns[step.property].index else { return nil }
        var ranges: [IndexRange] = []
        if step.type == .mixed {
            guard let found = mixedRanges(values, index, table.transaction) else { return nil }
            ranges = found
        } else {
            for value in values where !value.isNaN {
                ranges.append(IndexRange(value, table.transaction.keyBuffer))
            }
        }
        let isExact = ranges.allSatisfy(\.isExact)
        return find(ranges, index, comparison, step, isExact: isExact, table, limit)
    }

    /// Values of several types can share one range: 1, 1.0 and true. It is taken once.
    private static func mixedRanges(
        _ values: [Value], _ index: Postings, _ transaction: Transaction
    ) -> [IndexRange]? {
        var ranges: [IndexRange] = []
        var seen: Set<[[UInt8]]> = []
        for value in values {
            guard let found = IndexRange.equal(mixed: value, in: transaction) else { return nil }
            // By both ends: the range around the least Float begins where the one of minus infinity does.
            for range in found where seen.insert([range.from, range.upTo ?? []]).inserted {
                // An inexact range without rows can be left out.
                var (chunks, rows) = (0, 0)
                if !range.isExact, index.count(range, in: transaction, upTo: 1, &chunks, &rows), rows == 0 { continue }
                ranges.append(range)
            }
        }
        return ranges
    }

    private static func find(
        _ bounds: IndexBounds, _ comparison: BoundComparison, _ table: Table, _ limit: Double
    ) -> QueryEntrance? {
        guard let step = comparison.path.steps.first, comparison.path.steps.count == 1 else { return nil }
        if table.schema.properties[step.property].isPrimaryKey {
            return step.type == .int ? primaryKeys(bounds, table, limit) : nil
        }
        guard let index = table.columns[step.property].index,
            let range = step.type == .mixed
                ? IndexRange(mixed: bounds, table.transaction.keyBuffer)
                : IndexRange(bounds, step.type, table.transaction.keyBuffer)
        else { return nil }
        let rest = range.isExact ? nil : bounds.comparisons.map { BoundPredicate.comparison($0) }
        var found = find([range], index, comparison, step, isExact: true, table, limit)
        if let rest { found?.rest = rest.count == 1 ? rest[0] : .and(rest) }
        return found
    }

    private static func primaryKeys(_ bounds: IndexBounds, _ table: Table, _ limit: Double) -> QueryEntrance? {
        guard let range = bounds.integers, let blocks = table.integerKeys.blockCount(range, table.transaction)
        else { return nil }
        let rowCount = blocks * IntegerKeys.blockLimit
        let cost = Double(blocks) * treeCost + Double(rowCount) * rowCost
        guard cost <= limit else { return nil }
        return QueryEntrance(
            how: { "primary key of \(table.name)" }, rest: nil, rowCount: rowCount, cost: cost, isOrdered: false,
            areAlive: false
        ) { keys in
            table.integerKeys.forEachRow(range, table.transaction) { row in
                if let key = table.row(row) { keys.append(key) }
            }
        }
    }

    private static func find(
        _ ranges: [IndexRange], _ index: Postings, _ comparison: BoundComparison, _ step: BoundPath.Step,
        isExact: Bool, _ table: Table, _ limit: Double
    ) -> QueryEntrance? {
        let transaction = table.transaction
        let mostChunks = Int(min(limit / chunkCost, 1e9)) + 1
        var chunkCount = 0
        var rowCount = 0
        for range in ranges {
            guard index.count(range, in: transaction, upTo: mostChunks - chunkCount, &chunkCount, &rowCount) else {
                return nil
            }
        }
        let cost = Double(chunkCount) * chunkCost + Double(ranges.count) * treeCost
        let isOrdered = ranges.isEmpty || (ranges.count == 1 && ranges[0].isOneValue)
        return QueryEntrance(
            how: { "index on \(table.name).\(table.schema.properties[step.property].name)" },
            rest: isExact ? nil : .comparison(comparison), rowCount: rowCount, cost: cost + Double(rowCount) * rowCost,
            isOrdered: isOrdered, areAlive: true,
            collect: { $0 += table.rows(of: ranges, in: index, count: rowCount, upTo: .max) }, count: { rowCount },
            first: isOrdered ? { table.rows(of: ranges, in: index, count: rowCount, upTo: $0) } : nil)
    }

    // MARK: - Costs

    /// Finding a place in a tree.
    static let treeCost = 400.0
    /// Reading one chunk where the place is found.
    static let chunkCost = 20.0
    /// One row of an index.
    static let rowCost = 3.0

    /// Finding the words of a text.
    static let textCost = 300.0

    private func restCost(_ table: Table) -> Double {
        guard rest != nil else { return 0 }
        // Each leaf that rows fall on is tested as a whole.
        return Double(rowCount) * 4 + Double(min(rowCount, table.leafNumbers.count)) * 200
    }

    /// The approximate cost of a scan of the whole table, in nanoseconds.
    static func scanCost(_ predicate: BoundPredicate, _ table: Table) -> Double {
        Double(table.count) * scanCost(predicate) + 100
    }

    /// The approximate cost of one row.
    private static func scanCost(_ predicate: BoundPredicate) -> Double {
        switch predicate {
        case .constant: return 0
        case .not(let part): return scanCost(part)
        case .and(let parts): return 1.2 * (parts.map { scanCost($0) }.min() ?? 0)
        case .or(let parts): return parts.reduce(0) { $0 + scanCost($1) }
        case .subquery, .geoWithin, .type, .pairs: return 500
        case .computed(let computation):
            let isOfColumns = computation.paths.allSatisfy { path in
                path.aggregate == nil && path.steps.count == 1 && path.steps[0].isColumn
            }
            return isOfColumns ? 5 : 500
        case .comparison(let comparison):
            let steps = comparison.path.steps
            guard comparison.operand.constants != nil, comparison.path.aggregate == nil,
                steps.allSatisfy(\.isColumn)
            else { return 500 }
            if steps.count > 1 { return 4 * Double(steps.count) }
            if comparison.comparator == .text { return textCost }
            // Only equality of ids has a test of columns.
            let isId = steps.first?.type == .objectId || steps.first?.type == .uuid
            if isId, ![.equal, .notEqual, .in].contains(comparison.comparator) { return 500 }
            switch steps.first?.type {
            case .bool, .int, .object: return 0.4
            case .float, .double, .date: return 0.7
            case .mixed: return 200
            default: return 3
            }
        }
    }
}

extension Table {
    /// The rows of ranges of an index, which are `count` together; at least `limit`, unless there are fewer.
    func rows(of ranges: [IndexRange], in index: Postings, count: Int, upTo limit: Int) -> [ObjectKey] {
        let room = limit < count ? min(count, limit + Postings.chunkLimit) : count
        // Written in place: appending one key after the other takes five times as long.
        return Array(unsafeUninitializedCapacity: room) { keys, found in
            for range in ranges where found < limit {
                index.scan(range, in: transaction) { chunk in
                    // Rows and chunks were counted in the same state, and no chunk is larger than the limit.
                    guard chunk.count <= room - found else {
                        transaction.noteDamage(transaction.store.damaged())
                        return false
                    }
                    if let place = keys.baseAddress, chunk.keysLie(below: nextKey) {
                        // A key is its number, and nothing else.
                        (place + found).withMemoryRebound(to: Int64.self, capacity: chunk.count) {
                            chunk.copyKeys(to: $0)
                        }
                        found &+= chunk.count
                        return found < limit
                    }
                    chunk.forEachKey { number in
                        guard let key = row(number) else { return }
                        keys.initializeElement(at: found, to: key)
                        found &+= 1
                    }
                    return found < limit
                }
            }
        }
    }
}

extension Value {
    /// Whether an index of a property of this type holds such values.
    func hasType(_ type: PropertyType) -> Bool {
        switch (type, self) {
        case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double), (.string, .string), (.data, .bytes),
            (.date, .timestamp), (.objectId, .objectId), (.uuid, .uuid):
            true
        case (.mixed, _): !isNull
        default: false
        }
    }
}

extension Operand {
    /// The constants on the right side; nil when it is a path.
    var constants: [Value]? {
        switch self {
        case .value(let value): [value]
        case .values(let values): values
        case .path: nil
        }
    }
}
