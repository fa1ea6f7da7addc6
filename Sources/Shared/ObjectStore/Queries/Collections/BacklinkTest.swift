import CausewayModel
import CausewayQuery

/// Tests how many objects link to a row by a to-one link, or a fold of a number that they have: in one pass over all that
/// link, instead of reading the backlinks of each row.
final class BacklinkTest: LeafTest {
    /// Reading one link and one number of the pass, in nanoseconds.
    private static let linkCost = 4.0
    /// Asking for one place of the pass, in nanoseconds.
    private static let placeCost = 2.0
    /// Above so many places of rows, those without a row among them, the pass takes too much memory: up to 32 bytes each.
    private static let placesMax = 4_000_000

    private let rows: any LeafTest
    private let words: String
    private let passCost: Double
    /// The rows for which the comparison holds, by leaf.
    private let find: () -> [SlotBitmap]
    private var rowsAsked = 0
    private var found: [SlotBitmap]?

    /// Nil when the comparison is none of a number that one pass gives.
    ///
    /// - Parameter rows: decides a few rows.
    init?(_ comparison: BoundComparison, _ table: Table, _ rows: any LeafTest) {
        let steps = comparison.path.steps
        guard let step = steps.first, step.direction == .backward, let aggregate = comparison.path.aggregate,
            let operand = comparison.operand.constants, comparison.quantifier == .implied,
            let origin = step.target.flatMap(table.transaction.table),
            origin.schema.properties[step.property].collection == .none
        else { return nil }
        // Of most keys ever given there may be no row left: then the pass would look at places that nobody has.
        let places = table.leafNumbers.upperBound * slotsPerLeaf
        guard places <= Self.placesMax, places <= 4 * (table.count + 16 * slotsPerLeaf) else { return nil }
        let links = LinksTo(table, from: origin, step.property)
        let find: (() -> [SlotBitmap])?
        switch (aggregate, steps.count) {
        case (.count, 1):
            find = NumberRule<Int64>(comparison.comparator, operand).map { rule in { links.counted(rule) } }
        case (.count, _): find = nil
        case (_, 2) where steps[1].isColumn && steps[1].direction == .forward:
            let column = steps[1].property
            func folded<Leaf: NumberLeaf>(_ leaf: Leaf.Type) -> (() -> [SlotBitmap])? {
                NumberFold<Leaf.Number>(aggregate, comparison.comparator, operand).map { fold in
                    { links.folded(leaf, column, fold) }
                }
            }
            switch steps[1].type {
            case .int: find = folded(PackedIntegers.self)
            case .float: find = folded(PlainNumbers<Float>.self)
            case .double: find = folded(PlainNumbers<Double>.self)
            default: find = nil
            }
        default: find = nil
        }
        guard let find else { return nil }
        self.find = find
        self.rows = rows
        passCost = Double(origin.count) * Self.linkCost + Double(places) * Self.placeCost
        scratchBytes = table.leafNumbers.upperBound * MemoryLayout<SlotBitmap>.size
        words = "\(origin.name).\(origin.schema.properties[step.property].name)"
    }

    var cost: Double { 20 }
    var isOnePass: Bool { true }
    let scratchBytes: Int
    var explanation: String { "in one pass over \(words)" }

    func letGo() {
        found = nil
        rowsAsked = 0
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        rowsAsked += candidates.count
        if found == nil, Double(rowsAsked) * rows.cost < passCost {
            return rows.evaluate(number, candidates)
        }
        let found = found ?? find()
        self.found = found
        return number < found.count ? found[number].intersection(candidates) : rows.evaluate(number, candidates)
    }
}

/// One pass over the links of a column.
private struct LinksTo {
    private let table: Table
    private let origin: Table
    private let column: Int

    init(_ table: Table, from origin: Table, _ column: Int) {
        (self.table, self.origin, self.column) = (table, origin, column)
    }

    private var leafCount: Int { table.leafNumbers.upperBound }

    /// Visits the place of the target and the slot of every object that links, leaf by leaf.
    ///
    /// - Parameter begin: called before each leaf. Returns the slots that are wanted.
    @inline(__always)
    private func forEach(
        _ begin: (_ number: Int) -> SlotBitmap = { _ in SlotBitmap(first: slotsPerLeaf) },
        _ body: (_ target: Int, _ slot: Int) -> Void
    ) {
        let end = UInt64(leafCount * slotsPerLeaf)
        for number in origin.leafNumbers {
            guard let leaf = origin.leaf(column, number) else { continue }
            let reached = SlotBitmap(first: LeafHeader(leaf).count).intersection(origin.aliveWords(number))
            let linking = reached.subtracting(SlotBitmap(nullsOf: leaf)).intersection(begin(number))
            PackedIntegers(leaf).forEach(linking) { slot, place in
                if UInt64(bitPattern: place) < end { body(Int(truncatingIfNeeded: place), slot) }
            }
        }
    }

    /// A distance from zero that no number of a column exceeds, as far as the headers of its leaves say.
    private func farthest<Leaf: NumberLeaf>(_: Leaf.Type, _ property: Int) -> UInt64 {
        origin.leafNumbers.reduce(0) { farthest, number in
            origin.leaf(property, number).map { max(farthest, Leaf($0).farthest) } ?? farthest
        }
    }

    /// The leaves of answers, from one for each row.
    @inline(__always)
    private func leaves(_ holds: (_ place: Int) -> Bool) -> [SlotBitmap] {
        var found = [SlotBitmap](repeating: SlotBitmap(), count: leafCount)
        for number in table.leafNumbers {
            let first = number * slotsPerLeaf
            for slot in 0..<slotsPerLeaf where holds(first + slot) { found[number].insert(slot) }
        }
        return found
    }

    func counted(_ rule: NumberRule<Int64>) -> [SlotBitmap] {
        var counts = [Int32](repeating: 0, count: leafCount * slotsPerLeaf)
        return counts.withUnsafeMutableBufferPointer { counts in
            forEach { target, _ in counts[target] &+= 1 }
            return leaves { rule.holds(Int64(counts[$0])) }
        }
    }

    func folded<Leaf: NumberLeaf>(_: Leaf.Type, _ property: Int, _ fold: NumberFold<Leaf.Number>) -> [SlotBitmap] {
        typealias Number = Leaf.Number
        // The numbers of one leaf.
        let values = UnsafeMutablePointer<Number>.allocate(capacity: slotsPerLeaf)
        defer { values.deallocate() }
        /// Visits the numbers of the objects that link, by target.
        @inline(__always)
        func each(_ body: (Int, Number) -> Void) {
            forEach { number in
                guard let leaf = origin.leaf(property, number) else { return SlotBitmap() }
                Leaf(leaf).copy(to: values, count: LeafHeader(leaf).count)
                return SlotBitmap(first: LeafHeader(leaf).count).subtracting(SlotBitmap(nullsOf: leaf))
            } _: { target, slot in
                let value = values[slot]
                // A NaN does not equal itself, and no fold counts it.
                if value == value { body(target, value) }
            }
        }
        /// The total of each target, and how many numbers it is of.
        @inline(__always)
        func totals<Total: NumberTotal>(_: Total.Type, _ holds: (Total, Int32) -> Bool) -> [SlotBitmap]
        where Total.Number == Number {
            var totals = [(total: Total, count: Int32)](
                repeating: (Total(), 0), count: leafCount * slotsPerLeaf)
            return totals.withUnsafeMutableBufferPointer { totals in
                each { target, value in
                    totals[target].total.add(value)
                    totals[target].count &+= 1
                }
                return leaves { holds(totals[$0].total, totals[$0].count) }
            }
        }
        /// Whether all totals are small, even that of all objects that can link.
        func areSmall() -> Bool {
            Number.areSmall(origin.leafNumbers.upperBound * slotsPerLeaf, farthest: farthest(Leaf.self, property))
        }
        /// The best number for each target.
        @inline(__always)
        func best(_ rule: NumberRule<Number>, _ isBetter: (Number, Number) -> Bool) -> [SlotBitmap] {
            var best = [Number?](repeating: nil, count: leafCount * slotsPerLeaf)
            return best.withUnsafeMutableBufferPointer { best in
                each { target, value in
                    if let known = best[target], !isBetter(value, known) { return }
                    best[target] = value
                }
                return leaves { best[$0].map(rule.holds) ?? rule.nullsMatch }
            }
        }
        switch fold {
        case .minimum(let rule): return best(rule, <)
        case .maximum(let rule): return best(rule, >)
        case .sum(let rule):
            return areSmall()
                ? totals(Number.SmallTotal.self) { total, _ in rule.holds(total.sum) }
                : totals(Number.Total.self) { total, _ in rule.holds(total.sum) }
        case .average(let rule):
            func holds(_ total: some NumberTotal, _ count: Int32) -> Bool {
                count == 0 ? rule.nullsMatch : rule.holds(total.real / Double(count))
            }
            return areSmall() ? totals(Number.SmallTotal.self, holds) : totals(Number.Total.self, holds)
        }
    }
}
