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
            var total = Source.Number.nothing
            source.forEach(list) { if $0 == $0 { $0.add(to: &total) } }
            return rule.holds(Source.Number.sum(total))
        case .average(let rule):
            var total = Source.Number.nothing
            var count = 0
            source.forEach(list) { number in
                guard number == number else { return }
                number.add(to: &total)
                count &+= 1
            }
            return count == 0 ? rule.nullsMatch : rule.holds(Source.Number.real(total) / Double(count))
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
    associatedtype Total
    static var nothing: Total { get }
    func add(to total: inout Total)
    static func sum(_ total: Total) -> Self
    static func real(_ total: Total) -> Double
    static func rule(_ comparator: CausewayQuery.Comparator, _ operand: [Value]) -> NumberRule<Self>?
}

extension Int64: FoldedNumber {
    static var nothing: Int128 { 0 }
    @inline(__always)
    func add(to total: inout Int128) { total &+= Int128(self) }
    static func sum(_ total: Int128) -> Int64 { Int64(clamping: total) }
    static func real(_ total: Int128) -> Double { Int64(exactly: total).map(Double.init) ?? Double(total) }
    static func rule(_ comparator: CausewayQuery.Comparator, _ operand: [Value]) -> NumberRule<Int64>? {
        NumberRule<Int64>(comparator, operand)
    }
}

extension Double: FoldedNumber {
    static var nothing: Double { 0 }
    @inline(__always)
    func add(to total: inout Double) { total += self }
    static func sum(_ total: Double) -> Double { total }
    static func real(_ total: Double) -> Double { total }
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
}
