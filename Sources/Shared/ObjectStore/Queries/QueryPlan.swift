import CausewayModel
import CausewayQuery

/// A predicate prepared for one table of one transaction, valid until the next write or advance.
///
/// Rows come from the cheapest source: a primary key, an index whose range is small, or a scan leaf by leaf that skips
/// leaves by their zones. The tests decide whatever that source does not.
struct QueryPlan {
    let table: Table
    private let predicate: BoundPredicate
    let entrance: QueryEntrance?
    /// The approximate cost of a scan, in nanoseconds.
    let scanCost: Double
    /// The test for the rows that come in; nil when all of them match.
    private let test: (any LeafTest)?
    /// How many leaves a scan reads before it checks again whether too much is in memory.
    private static let leavesBetweenLooks = 16

    /// - Parameter scanCost: the cost that an entrance must stay below; nil for that of a scan.
    init(_ table: Table, _ predicate: BoundPredicate, scanCost: Double? = nil) {
        table.transaction.settle()
        self.table = table
        self.predicate = predicate
        self.scanCost = scanCost ?? QueryEntrance.scanCost(predicate, table)
        entrance = QueryEntrance.find(predicate, table, scanCost: self.scanCost)
        test = entrance.map { $0.rest.map { Self.test($0, table) } } ?? Self.test(predicate, table)
    }

    var explanation: String {
        [entrance?.how(), test?.explanation].compactMap { $0 }.joined(separator: ", then ")
    }

    // MARK: - Running

    /// Visits each leaf that has results, ascending, until the body answers false.
    func run(_ body: (_ number: Int, _ found: SlotBitmap) -> Bool) {
        var batch = batch
        var goesOn = true
        func take(_ number: Int, _ candidates: SlotBitmap) -> Bool {
            goesOn = batch.take(number, candidates, body)
            return goesOn
        }
        if let entrance {
            run(entrance, take)
        } else {
            for number in table.leafNumbers where goesOn { _ = take(number, table.aliveWords(number)) }
        }
        if goesOn { _ = batch.settle(body) }
    }

    var batch: LeafBatch {
        LeafBatch(test ?? ConstantTest(value: true), scratchMax: table.transaction.queryScratchMax)
    }

    /// The results, gathered leaf by leaf into pieces whose leaves ascend: one piece, or several when a second thread
    /// took part.
    func gathered<Found: Sendable>(
        _ empty: Found, _ gather: @escaping @Sendable (_ number: Int, _ found: SlotBitmap, inout Found) -> Void
    ) -> [Found] {
        // Both threads would prepare a batched test, for each piece, and both would make the one pass of another.
        let isShared = !batch.isBatched && !(test?.isOnePass ?? false)
        guard entrance == nil, isShared, scanCost >= table.transaction.leastSharedScanCost,
            let helper = table.transaction.helper()
        else {
            var all = empty
            guard entrance == nil else {
                run { number, found in
                    gather(number, found, &all)
                    return true
                }
                return [all]
            }
            scan(0..<table.leafNumbers.upperBound, gather, &all)
            return [all]
        }
        // The helper's transaction is used by the helper's thread alone. This thread drops it if the helper may still
        // be at work.
        nonisolated(unsafe) let other = helper
        let (transaction, name, predicate) = (table.transaction, table.name, predicate)
        let outcome = SharedScan.run(
            leafCount: table.leafNumbers.upperBound, startingWith: empty,
            on: { leaves, found in scan(leaves, gather, &found) },
            helper: {
                let plan = other.knownTable(name).map { QueryPlan(scanning: $0, predicate) }
                return { leaves, found throws(StoreError) in
                    plan?.scan(leaves, gather, &found)
                    try other.throwDamage()
                }
            })
        if outcome.isHelperAtWork { transaction.dropHelper() }
        if let failure = outcome.failure { transaction.noteDamage(failure) }
        return outcome.pieces
    }

    private init(scanning table: Table, _ predicate: BoundPredicate) {
        self.table = table
        self.predicate = predicate
        scanCost = 0
        entrance = nil
        test = Self.test(predicate, table)
    }

    /// The results between two keys, ascending. An entrance is used where it costs less than reading the rows between.
    static func keys(_ table: Table, _ predicate: BoundPredicate, in range: ClosedRange<ObjectKey>) -> [ObjectKey] {
        guard range.upperBound.rawValue >= 0 else { return [] }
        let leaves = max(range.lowerBound, ObjectKey(0)).leafNumber..<range.upperBound.leafNumber + 1
        let share = Double(leaves.count) / Double(max(table.leafNumbers.count, 1))
        let plan = QueryPlan(table, predicate, scanCost: QueryEntrance.scanCost(predicate, table) * min(share, 1))
        if plan.entrance != nil { return plan.keys().filter(range.contains) }
        var keys: [ObjectKey] = []
        plan.scan(
            leaves.clamped(to: 0..<table.leafNumbers.upperBound),
            { number, found, keys in
                let first = Int64(number * slotsPerLeaf)
                found.forEach { slot in
                    let key = ObjectKey(first + Int64(slot))
                    if range.contains(key) { keys.append(key) }
                }
            }, &keys)
        return keys
    }

    private func scan<Found>(
        _ leaves: Range<Int>, _ gather: (Int, SlotBitmap, inout Found) -> Void, _ found: inout Found
    ) {
        var plan = self
        // After a move, everything else that was prepared for the tests would have to be read again.
        let mayMove = predicate.readsColumnsAlone
        // Retains the transaction of the plan's table, because the table does not.
        var relief: Transaction?
        func take(_ number: Int, _ slots: SlotBitmap) -> Bool {
            gather(number, slots, &found)
            return true
        }
        var batch = plan.batch
        for first in stride(from: leaves.lowerBound, to: leaves.upperBound, by: Self.leavesBetweenLooks) {
            if mayMove, let other = plan.table.transaction.relief(), let table = other.knownTable(self.table.name) {
                plan = QueryPlan(scanning: table, predicate)
                relief?.handDamage(to: self.table.transaction)
                relief = other
                batch = plan.batch
            }
            let part = first..<min(first + Self.leavesBetweenLooks, leaves.upperBound)
            for number in plan.table.leafNumbers.within(part) {
                _ = batch.take(number, plan.table.aliveWords(number), take)
            }
        }
        _ = batch.settle(take)
        relief?.handDamage(to: self.table.transaction)
    }

    // MARK: - Tests

    static func test(_ predicate: BoundPredicate, _ table: Table) -> any LeafTest {
        switch predicate {
        case .constant(let value): ConstantTest(value: value)
        case .and(let parts): AndTest(parts.map { test($0, table) })
        case .or(let parts): OrTest(parts.map { test($0, table) })
        case .not(let part): NotTest(part: test(part, table))
        case .comparison(let comparison): test(comparison, table)
        case .subquery(let subquery):
            InverseTests.test(subquery, table) ?? ListTests.test(subquery, table)
                ?? RowTest(table: table, predicate: predicate)
        case .geoWithin, .type, .pairs: RowTest(table: table, predicate: predicate)
        case .computed(let computation):
            ArithmeticTest(computation, table) ?? RowTest(table: table, predicate: predicate)
        }
    }

    private static func test(_ comparison: BoundComparison, _ table: Table) -> any LeafTest {
        if comparison.goesIntoMixedValues { return RowTest(table: table, predicate: .comparison(comparison)) }
        return InverseTests.test(comparison, table) ?? columnTest(comparison, comparison.path.steps[...], table)
            ?? pairTest(comparison, table) ?? ListTests.test(comparison, table)
            ?? RowTest(table: table, predicate: .comparison(comparison))
    }

    /// One property of the row against another; nil for longer paths and for types that need the row evaluator.
    private static func pairTest(_ comparison: BoundComparison, _ table: Table) -> (any LeafTest)? {
        guard comparison.quantifier == .implied, comparison.options.isEmpty, comparison.path.aggregate == nil,
            case .path(let other) = comparison.operand, other.aggregate == nil, comparison.path.steps.count == 1,
            other.steps.count == 1, let left = comparison.path.steps.first, let right = other.steps.first,
            left.isColumn, right.isColumn
        else { return nil }
        return PairTest(table, left.property, comparison.comparator, right.property)
    }

    /// A test over columns; nil for paths through lists, aggregates and comparisons of two properties.
    private static func columnTest(
        _ comparison: BoundComparison, _ steps: ArraySlice<BoundPath.Step>, _ table: Table
    ) -> (any LeafTest)? {
        guard comparison.quantifier == .implied, comparison.path.aggregate == nil, let step = steps.first,
            steps.allSatisfy(\.isColumn), let operand = comparison.operand.constants
        else { return nil }
        if steps.count > 1 {
            guard let name = step.target, let target = table.transaction.knownTable(name),
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
        case .date: return DateTest(table, step.property, comparison.comparator, operand)
        case .objectId, .uuid: return IdTest(table, step.property, comparison.comparator, operand)
        case .mixed: return nil
        case .decimal128: return DecimalTest(table, step.property, comparison.comparator, operand)
        case .object: return linkEquality(comparison, step, operand, table)
        }
    }

    /// Links are compared as keys. A primary key without a row becomes a key that no link holds.
    private static func linkEquality(
        _ comparison: BoundComparison, _ step: BoundPath.Step, _ operand: [Value], _ table: Table
    ) -> (any LeafTest)? {
        guard [.equal, .notEqual, .in].contains(comparison.comparator), let name = step.target,
            let target = table.transaction.knownTable(name)
        else { return nil }
        let keys = operand.map { value -> Value in
            value.isNull ? .null : .int(StoredRow.key(value, target)?.rawValue ?? -1)
        }
        return IntegerTest(table, step.property, comparison.comparator, keys)
    }
}

extension BoundPredicate {
    /// Whether nothing but columns of the row itself is read.
    package var readsColumnsAlone: Bool {
        switch self {
        case .constant: true
        case .and(let parts), .or(let parts): parts.allSatisfy(\.readsColumnsAlone)
        case .not(let part): part.readsColumnsAlone
        case .comparison(let comparison):
            comparison.path.aggregate == nil && comparison.operand.constants != nil
                && comparison.path.steps.count == 1
                && comparison.path.steps.allSatisfy { $0.isColumn && $0.type != .object && $0.type != .mixed }
        case .subquery, .geoWithin, .computed, .type, .pairs: false
        }
    }
}
