import CausewayModel
import CausewayQuery

/// Chooses the test of a part of a predicate that goes against a link. Nil for every other part. These tests are tried
/// first, because the tests of lists know columns of the row's own class only.
enum InverseTests {
    static func test(_ comparison: BoundComparison, _ table: Table) -> (any LeafTest)? {
        var paths = [comparison.path]
        if case .path(let other) = comparison.operand { paths.append(other) }
        guard let inverse = paths.lazy.flatMap(\.steps).first(where: { $0.direction != .forward }) else { return nil }
        let rows = InverseRowTest(table, .comparison(comparison), inverse)
        if let backlinks = BacklinkTest(comparison, table, rows) { return backlinks }
        guard let step = comparison.path.steps.first, step.direction == .backward, comparison.path.steps.count > 1,
            comparison.path.aggregate == nil, comparison.operand.constants != nil,
            let origin = step.target.flatMap(table.transaction.table)
        else { return rows }
        var element = comparison
        element.path.steps.removeFirst()
        // Each origin is tested for the same condition, or for its negation where all origins must meet it.
        let isAlone = element.path.steps.allSatisfy { $0.collection == .none }
        guard isAlone || comparison.quantifier != .all else { return rows }
        element.quantifier = isAlone ? .implied : .any
        let condition = BoundPredicate.comparison(element)
        return OriginsTest(
            table, step, origin, comparison.quantifier == .all ? .not(condition) : condition,
            holdsForNone: comparison.quantifier != .any, rows)
    }

    static func test(_ subquery: BoundSubquery, _ table: Table) -> (any LeafTest)? {
        guard let inverse = subquery.count.path.steps.first(where: { $0.direction != .forward }) else { return nil }
        return InverseRowTest(table, .subquery(subquery), inverse)
    }
}

/// Tests row by row, and reads the backlinks of each.
private struct InverseRowTest: LeafTest {
    private let rows: RowTest
    let explanation: String

    init(_ table: Table, _ predicate: BoundPredicate, _ inverse: BoundPath.Step) {
        rows = RowTest(table: table, predicate: predicate)
        explanation = "row by row, " + Self.words(inverse, table)
    }

    static func words(_ inverse: BoundPath.Step, _ table: Table) -> String {
        guard let origin = inverse.target.flatMap(table.transaction.table) else { return "through all backlinks" }
        return "through \(origin.name).\(origin.schema.properties[inverse.property].name) backwards"
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap { rows.evaluate(number, candidates) }

    var cost: Double { 3000 }
}

/// Tests from the origins: finds those that meet a condition, then the rows that they link to.
private final class OriginsTest: LeafTest {
    /// The cost of each origin found and of its links, in nanoseconds.
    private static let originCost = 400.0

    private let column: Int
    private let table: Table
    private let origin: Table
    private let condition: BoundPredicate
    /// The result for a row that none of those origins links to.
    private let holdsForNone: Bool
    private let rows: InverseRowTest
    private let words: String
    private var rowsAsked = 0
    /// By leaf, the rows that at least one of the origins links to.
    private var linked: [Int: SlotBitmap]?

    init(
        _ table: Table, _ step: BoundPath.Step, _ origin: Table, _ condition: BoundPredicate, holdsForNone: Bool,
        _ rows: InverseRowTest
    ) {
        column = step.property
        self.table = table
        self.origin = origin
        self.condition = condition
        self.holdsForNone = holdsForNone
        self.rows = rows
        words = InverseRowTest.words(step, table)
    }

    var cost: Double { 20 }
    var scratchBytes: Int { KeyBitmap.bytes(table) }

    func letGo() {
        linked = nil
        rowsAsked = 0
    }

    var explanation: String { "\(words) from (\(QueryPlan(origin, condition).explanation))" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        rowsAsked += candidates.count
        if linked == nil, Double(rowsAsked) * rows.cost < Double(origin.count) * Self.originCost {
            return rows.evaluate(number, candidates)
        }
        let linked = linked ?? findLinked()
        let found = candidates.intersection(linked[number] ?? SlotBitmap())
        return holdsForNone ? candidates.subtracting(found) : found
    }

    private func findLinked() -> [Int: SlotBitmap] {
        var found: [Int: SlotBitmap] = [:]
        let isList = origin.schema.properties[column].collection != .none
        QueryPlan(origin, condition).run { number, slots in
            slots.forEach { slot in
                let key = ObjectKey(Int64(number * slotsPerLeaf + slot))
                for value in isList ? origin.listValues(key, column) : [origin.value(key, column)] {
                    guard case .object(let target) = value, target.rawValue >= 0 else { continue }
                    found[target.leafNumber, default: SlotBitmap()].insert(target.slot)
                }
            }
            return true
        }
        linked = found
        return found
    }
}
