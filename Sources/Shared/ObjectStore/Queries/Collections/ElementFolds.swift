import CausewayModel
import CausewayQuery

/// Tests `@min`, `@max`, `@sum` or `@avg` of a list's numbers. Agrees with `AggregateFold`.
struct FoldQuestion<Source: NumberSource>: ListQuestion {
    let source: Source
    let fold: NumberFold<Source.Number>

    /// A number that does not equal itself is a NaN, which no fold counts.
    @inline(__always)
    func holds(_ list: SmallList) -> Bool {
        switch fold {
        case .minimum(let rule):
            var best: Source.Number?
            source.forEach(list) { number in
                guard number == number else { return }
                if let known = best, !(number < known) { return }
                best = number
            }
            return best.map(rule.holds) ?? rule.nullsMatch
        case .maximum(let rule):
            var best: Source.Number?
            source.forEach(list) { number in
                guard number == number else { return }
                if let known = best, !(number > known) { return }
                best = number
            }
            return best.map(rule.holds) ?? rule.nullsMatch
        case .sum(let rule):
            var total = Source.Number.Total()
            source.forEach(list) { if $0 == $0 { total.add($0) } }
            return rule.holds(total.sum)
        case .average(let rule):
            var total = Source.Number.Total()
            var count = 0
            source.forEach(list) { number in
                guard number == number else { return }
                total.add(number)
                count &+= 1
            }
            return count == 0 ? rule.nullsMatch : rule.holds(total.real / Double(count))
        }
    }
}

enum NumberFold<Number: FoldedNumber> {
    case minimum(NumberRule<Number>)
    case maximum(NumberRule<Number>)
    case sum(NumberRule<Number>)
    case average(NumberRule<Double>)

    /// Nil when it is no comparison with constants of the aggregate's type.
    init?(_ aggregate: Aggregate, _ comparator: Comparator, _ operand: [Value]) {
        let rule = aggregate == .average ? nil : Number.rule(comparator, operand)
        switch aggregate {
        case .count: return nil
        case .minimum: guard let rule else { return nil }; self = .minimum(rule)
        case .maximum: guard let rule else { return nil }; self = .maximum(rule)
        case .sum: guard let rule else { return nil }; self = .sum(rule)
        case .average:
            guard let rule = NumberRule<Double>(comparator, operand) else { return nil }
            self = .average(rule)
        }
    }
}

/// Numbers that add up: ints exactly, doubles one after the other.
protocol FoldedNumber: Comparable {
    associatedtype Total: NumberTotal where Total.Number == Self
    /// A total of few or small numbers, which takes less memory.
    associatedtype SmallTotal: NumberTotal where SmallTotal.Number == Self
    /// Whether a small total can hold so many numbers, none of them farther from zero than `farthest`.
    static func areSmall(_ count: Int, farthest: UInt64) -> Bool
    static func rule(_ comparator: CausewayQuery.Comparator, _ operand: [Value]) -> NumberRule<Self>?
}

protocol NumberTotal: BitwiseCopyable {
    associatedtype Number
    /// Of no number.
    init()
    mutating func add(_ number: Number)
    var sum: Number { get }
    var real: Double { get }
}

extension Int64: FoldedNumber {
    struct Total: NumberTotal {
        private var exact: Int128 = 0
        @inline(__always)
        mutating func add(_ number: Int64) { exact &+= Int128(number) }
        var sum: Int64 { Int64(clamping: exact) }
        var real: Double { Int64(exactly: exact).map(Double.init) ?? Double(exact) }
    }

    struct SmallTotal: NumberTotal {
        private(set) var sum: Int64 = 0
        @inline(__always)
        mutating func add(_ number: Int64) { sum &+= number }
        var real: Double { Double(sum) }
    }

    static func areSmall(_ count: Int, farthest: UInt64) -> Bool {
        let (product, isTooLarge) = farthest.multipliedReportingOverflow(by: UInt64(count))
        return !isTooLarge && product < UInt64(Int64.max)
    }

    static func rule(_ comparator: CausewayQuery.Comparator, _ operand: [Value]) -> NumberRule<Int64>? {
        NumberRule<Int64>(comparator, operand)
    }
}

extension Double: FoldedNumber {
    struct Total: NumberTotal {
        private(set) var sum = 0.0
        @inline(__always)
        mutating func add(_ number: Double) { sum += number }
        var real: Double { sum }
    }

    typealias SmallTotal = Total

    static func areSmall(_ count: Int, farthest: UInt64) -> Bool { true }

    static func rule(_ comparator: CausewayQuery.Comparator, _ operand: [Value]) -> NumberRule<Double>? {
        NumberRule<Double>(comparator, operand)
    }
}

// MARK: - Where the numbers are

protocol NumberSource {
    associatedtype Number: FoldedNumber
    /// Visits the numbers of a list in order, without nulls.
    func forEach(_ list: SmallList, _ body: (Number) -> Void)
}

/// The numbers in the list itself.
struct StoredNumbers<Stored: StoredNumber>: NumberSource {
    @inline(__always)
    func forEach(_ list: SmallList, _ body: (Stored.Number) -> Void) {
        list.forEach(Stored.self) { body($0.number) }
    }
}

/// The numbers in a column of the objects that the list holds.
struct LinkedPropertyNumbers<Leaf: NumberLeaf>: NumberSource {
    let column: GatheredColumn<Leaf>

    @inline(__always)
    func forEach(_ list: SmallList, _ body: (Leaf.Number) -> Void) {
        list.forEach(UInt64.self) { key in
            guard column.present.bit(key) != 0 else { return }
            let number = Int(truncatingIfNeeded: key) / slotsPerLeaf
            body(column.leaves[number].number(Int(truncatingIfNeeded: key) &- number &* slotsPerLeaf))
        }
    }
}

/// The leaves of a column side by side, and which of its values are present.
final class GatheredColumn<Leaf: NumberLeaf> {
    /// The objects that are here and whose value is not null: only they are read.
    let present: KeyBitmap
    let leaves: UnsafeMutablePointer<Leaf>

    init(_ table: Table, _ column: Int) {
        let count = table.leafNumbers.upperBound
        let leaves = UnsafeMutablePointer<Leaf>.allocate(capacity: max(count, 1))
        self.leaves = leaves
        present = KeyBitmap(table) { number, alive in
            guard let leaf = table.leaf(column, number) else { return SlotBitmap() }
            (leaves + number).initialize(to: Leaf(leaf))
            let reached = SlotBitmap(first: LeafHeader(leaf).count).intersection(alive)
            return reached.subtracting(SlotBitmap(nullsOf: leaf))
        }
    }

    deinit {
        leaves.deallocate()
    }
}

/// Weak, to a column that was gathered at a version.
struct GatheredReference {
    let version: UInt64
    private(set) weak var gathered: AnyObject?

    init(version: UInt64, gathered: AnyObject) {
        self.version = version
        self.gathered = gathered
    }
}

/// A leaf of numbers whose header is already read.
protocol NumberLeaf: BitwiseCopyable {
    associatedtype Number: FoldedNumber
    init(_ leaf: UnsafeRawPointer)
    /// The number in a slot that the leaf reaches.
    func number(_ slot: Int) -> Number
    /// Copies the numbers of the first slots, which the leaf reaches.
    func copy(to numbers: UnsafeMutablePointer<Number>, count: Int)
    /// No number of the leaf is farther from zero. Only for numbers of which ``FoldedNumber/areSmall(_:farthest:)`` asks.
    var farthest: UInt64 { get }
}

struct PackedIntegers: NumberLeaf {
    private let payload: UnsafeRawPointer
    private let minimum: Int64
    private let width: UInt8

    init(_ leaf: UnsafeRawPointer) {
        payload = LeafHeader(leaf).payload
        minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        width = leaf.leafField(LeafLayout.width, UInt8.self)
    }

    @inline(__always)
    func number(_ slot: Int) -> Int64 { minimum &+ IntegerLeaf.relative(payload, width, slot) }

    func copy(to numbers: UnsafeMutablePointer<Int64>, count: Int) {
        forEach(0..<count) { slot, number in numbers[slot] = number }
    }

    var farthest: UInt64 {
        // Eight bytes reach everywhere.
        if width == 8 { return .max }
        let (largest, isTooLarge) = minimum.addingReportingOverflow(width == 0 ? 0 : 1 << (8 * Int64(width)))
        return isTooLarge ? .max : max(minimum.magnitude, largest.magnitude)
    }

    /// Visits slots that the leaf reaches, with their numbers.
    @inline(__always)
    func forEach(_ slots: SlotBitmap, _ body: (_ slot: Int, _ number: Int64) -> Void) {
        let count = slots.count
        // Nearly always there is no gap.
        guard slots != SlotBitmap(first: count) else { return forEach(0..<count, body) }
        slots.forEach { body($0, number($0)) }
    }

    /// With one loop for each width.
    @inline(__always)
    private func forEach(_ slots: Range<Int>, _ body: (_ slot: Int, _ number: Int64) -> Void) {
        switch width {
        case 8: for slot in slots { body(slot, minimum &+ payload.leafField(slot &* 8, Int64.self)) }
        case 4: for slot in slots { body(slot, minimum &+ Int64(payload.leafField(slot &* 4, UInt32.self))) }
        case 2: for slot in slots { body(slot, minimum &+ Int64(payload.leafField(slot &* 2, UInt16.self))) }
        case 1: for slot in slots { body(slot, minimum &+ Int64(payload.leafField(slot, UInt8.self))) }
        default: for slot in slots { body(slot, minimum) }
        }
    }
}

struct PlainNumbers<Stored: StoredNumber>: NumberLeaf {
    private let payload: UnsafeRawPointer

    init(_ leaf: UnsafeRawPointer) {
        payload = LeafHeader(leaf).payload
    }

    @inline(__always)
    func number(_ slot: Int) -> Stored.Number {
        payload.leafField(slot &* MemoryLayout<Stored>.size, Stored.self).number
    }

    func copy(to numbers: UnsafeMutablePointer<Stored.Number>, count: Int) {
        for slot in 0..<count { numbers[slot] = number(slot) }
    }

    var farthest: UInt64 { .max }
}
