import CausewayModel
import CausewayQuery
import CausewayStorage

/// A predicate made ready for one table of one transaction, good until the next write or advance.
///
/// Cheapest way in first: a primary key, an index whose range is small, or a scan leaf by leaf that skips leaves by
/// their zones. Whatever the way in does not settle, the tests settle.
struct QueryPlan {
    private enum Entrance {
        /// These rows at most, ascending.
        case rows([ObjectKey], how: String)
        case scan
    }

    private let table: Table
    private let test: any LeafTest
    private let entrance: Entrance

    init(_ table: Table, _ predicate: BoundPredicate) {
        self.table = table
        test = Self.test(predicate, table)
        entrance = Self.entrance(predicate, table)
    }

    var explanation: String {
        switch entrance {
        case .rows(_, let how): how + ", then " + test.explanation
        case .scan: test.explanation
        }
    }

    // MARK: - Running

    /// Visits each leaf that has results.
    func run(_ body: (_ number: Int, _ found: SlotBitmap) -> Void) {
        switch entrance {
        case .scan:
            for number in table.leafNumbers { run(number, table.aliveWords(number), body) }
        case .rows(let keys, _):
            var index = 0
            while index < keys.count {
                let number = keys[index].leafNumber
                var candidates = SlotBitmap()
                while index < keys.count, keys[index].leafNumber == number {
                    candidates.insert(keys[index].slot)
                    index += 1
                }
                run(number, candidates.intersection(table.aliveWords(number)), body)
            }
        }
    }

    private func run(_ number: Int, _ candidates: SlotBitmap, _ body: (Int, SlotBitmap) -> Void) {
        guard !candidates.isEmpty else { return }
        let found = test.evaluate(number, candidates)
        if !found.isEmpty { body(number, found) }
    }

    // MARK: - Tests

    static func test(_ predicate: BoundPredicate, _ table: Table) -> any LeafTest {
        switch predicate {
        case .constant(let value): ConstantTest(value: value)
        case .and(let parts): AndTest(parts.map { test($0, table) })
        case .or(let parts): OrTest(parts.map { test($0, table) })
        case .not(let part): NotTest(part: test(part, table))
        case .comparison(let comparison): test(comparison, table)
        }
    }

    private static func test(_ comparison: BoundComparison, _ table: Table) -> any LeafTest {
        columnTest(comparison, comparison.path.steps[...], table)
            ?? RowTest(table: table, predicate: .comparison(comparison))
    }

    /// A test over columns; nil for paths through lists, aggregates and comparisons of two properties.
    private static func columnTest(
        _ comparison: BoundComparison, _ steps: ArraySlice<BoundPath.Step>, _ table: Table
    ) -> (any LeafTest)? {
        guard comparison.quantifier == .implied, comparison.path.aggregate == nil, let step = steps.first,
            steps.allSatisfy({ $0.collection == .none }), let operand = constants(comparison.operand)
        else { return nil }
        if steps.count > 1 {
            guard let name = step.target, let target = table.transaction.table(name),
                let inner = columnTest(comparison, steps.dropFirst(), target)
            else { return nil }
            let rule = NullRule(comparison.comparator, operand)
            return LinkTest(table, step.property, to: target, inner, holdsForNothing: rule.nullsMatch)
        }
        switch step.type {
        case .bool: return BoolTest(table, step.property, comparison.comparator, operand)
        case .int: return IntegerTest(table, step.property, comparison.comparator, operand)
        case .float, .double: return DoubleTest(table, step.property, comparison.comparator, operand)
        case .string, .data: return StringTest(table, step.property, comparison, operand)
        case .date, .objectId, .uuid: return ValueTest(table, step.property, comparison.comparator, operand)
        case .object: return linkEquality(comparison, step, operand, table)
        }
    }

    /// Links are compared as keys; a primary key without a row is a key that no link holds.
    private static func linkEquality(
        _ comparison: BoundComparison, _ step: BoundPath.Step, _ operand: [Value], _ table: Table
    ) -> (any LeafTest)? {
        guard [.equal, .notEqual, .in].contains(comparison.comparator), let name = step.target,
            let target = table.transaction.table(name)
        else { return nil }
        let keys = operand.map { value -> Value in
            value.isNull ? .null : .int(StoredRow.key(value, target)?.rawValue ?? -1)
        }
        return IntegerTest(table, step.property, comparison.comparator, keys)
    }

    private static func constants(_ operand: Operand) -> [Value]? {
        switch operand {
        case .value(let value): [value]
        case .values(let values): values
        case .path: nil
        }
    }

    // MARK: - Ways in

    private static func entrance(_ predicate: BoundPredicate, _ table: Table) -> Entrance {
        let parts = if case .and(let parts) = predicate { parts } else { [predicate] }
        var best: (keys: [ObjectKey], how: String)?
        for case .comparison(let comparison) in parts {
            guard let found = rows(comparison, table) else { continue }
            if found.keys.count < best?.keys.count ?? .max { best = found }
            if found.keys.count <= 1 { break }
        }
        return best.map { .rows($0.keys.sorted(), how: $0.how) } ?? .scan
    }

    /// The rows that a tree names for an equality, when they are few.
    private static func rows(_ comparison: BoundComparison, _ table: Table) -> (keys: [ObjectKey], how: String)? {
        guard comparison.quantifier == .implied, comparison.path.aggregate == nil, comparison.path.steps.count == 1,
            comparison.comparator == .equal || comparison.comparator == .in, comparison.options.isEmpty,
            let step = comparison.path.steps.first, step.collection == .none,
            let operand = constants(comparison.operand), operand.count <= 100
        else { return nil }
        let property = table.schema.properties[step.property]
        if property.isPrimaryKey {
            let keys = operand.compactMap { PrimaryKey($0).flatMap(table.keyOrGhost) }
            return (Array(Set(keys)), "primary key")
        }
        let column = table.columns[step.property]
        guard column.indexTree != 0 else { return nil }
        let limit = table.count / 8 + 16
        var keys: [ObjectKey] = []
        for value in Set(operand) {
            guard collect(value, column, table, limit, &keys) else { return nil }
        }
        return (keys, "index on \(table.name).\(property.name)")
    }

    /// False when there are too many rows for the index to be the better way.
    private static func collect(
        _ value: Value, _ column: Column, _ table: Table, _ limit: Int, _ keys: inout [ObjectKey]
    ) -> Bool {
        if case .link = value { return false }
        let buffer = table.transaction.keyBuffer
        buffer.clear()
        buffer.append(index: value)
        let prefix = buffer.array
        var found = keys
        table.transaction.reader.scan(
            tree: column.indexTree, from: prefix, upTo: Table.successor(prefix), reversed: false
        ) { key, _ in
            if key.count == prefix.count + 8 {
                found.append(ObjectKey(Int64(bitPattern: key.readUInt64(at: prefix.count))))
            }
            return found.count <= limit
        }
        keys = found
        return found.count <= limit
    }
}
