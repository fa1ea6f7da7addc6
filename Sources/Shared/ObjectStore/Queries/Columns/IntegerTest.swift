import CausewayModel
import CausewayQuery

/// Ranges over a column of integers, or of links as raw keys. Every comparison with constants is one or more ranges.
struct IntegerTest: LeafTest {
    /// Above this many ranges, bytes are looked up in a table. Above twice as many, wider values are looked up in a
    /// set.
    private static let fewRanges = 6

    private let tested: TestedColumn
    private let ranges: [ClosedRange<Int64>]
    private let set: IntegerSet?
    private let isNegated: Bool
    let share: Double

    /// Nil when the operand is not made of integers.
    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        tested = TestedColumn(table, column, comparator, operand)
        isNegated = comparator == .notEqual
        share = GuessedShare.of(comparator, operand)
        var constants: [Int64] = []
        for value in operand where !value.isNull {
            guard case .int(let constant) = value else { return nil }
            constants.append(constant)
        }
        guard let ranges = Self.ranges(comparator, constants, operand) else { return nil }
        self.ranges = ranges
        set = ranges.count > Self.fewRanges * 2 ? IntegerSet(ranges.map(\.lowerBound)) : nil
    }

    private static func ranges(
        _ comparator: Comparator, _ constants: [Int64], _ operand: [Value]
    ) -> [ClosedRange<Int64>]? {
        guard let first = constants.first else { return [] }
        switch comparator {
        case .equal, .notEqual, .in: return Set(constants).sorted().map { $0...$0 }
        case .less: return first == .min ? [] : [.min...first - 1]
        case .lessOrEqual: return [.min...first]
        case .greater: return first == .max ? [] : [first + 1 ... .max]
        case .greaterOrEqual: return [first ... .max]
        case .between:
            guard operand.count == 2, constants.count == 2, constants[0] <= constants[1] else { return [] }
            return [constants[0]...constants[1]]
        case .beginsWith, .endsWith, .contains, .like, .text: return nil
        }
    }

    var cost: Double { 0.2 * Double(min(max(ranges.count, 1), 12)) }
    var explanation: String { tested.explanation }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        tested.evaluate(number, candidates, isNegated: isNegated) { leaf in
            if ranges.count == 1 { return IntegerColumn.slots(of: leaf, in: ranges[0]) }
            if ranges.count > Self.fewRanges { return many(leaf) }
            var found = SlotBitmap()
            for range in ranges { found = found.union(IntegerColumn.slots(of: leaf, in: range)) }
            return found
        }
    }

    func isRuledOut(_ number: Int) -> Bool {
        guard !isNegated, !tested.nulls.nullsMatch, let leaf = tested.leaf(number), leaf.hasZone else { return false }
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        let maximum = leaf.leafField(LeafLayout.maximum, Int64.self)
        for range in ranges where range.lowerBound <= maximum && range.upperBound >= minimum { return false }
        return true
    }

    private func many(_ leaf: UnsafeRawPointer) -> SlotBitmap {
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        if leaf.leafField(LeafLayout.width, UInt8.self) == 1 {
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
                table.initialize(repeating: 0)
                for range in ranges {
                    let relative = range.lowerBound.subtractingReportingOverflow(minimum)
                    if !relative.overflow, 0...255 ~= relative.partialValue { table[Int(relative.partialValue)] = 1 }
                }
                guard let table = table.baseAddress else { return SlotBitmap() }
                let header = LeafHeader(leaf)
                return BitmapKernel.lookUp(header.payload, count: header.count, in: table)
            }
        }
        guard let set else {
            var found = SlotBitmap()
            for range in ranges { found = found.union(IntegerColumn.slots(of: leaf, in: range)) }
            return found
        }
        return IntegerColumn.withExpanded(leaf) { values in
            var found = SlotBitmap()
            for slot in 0..<LeafHeader(leaf).count where set.contains(values[slot]) { found.insert(slot) }
            return found
        }
    }
}

/// Integers by hash, for an IN with many of them.
private struct IntegerSet {
    private var table: [Int64]
    private let shift: UInt64
    /// Whether the set has the integer that marks empty places.
    private let holdsEmpty: Bool
    private static let empty = Int64.min

    init(_ values: [Int64]) {
        let bits = max(64 - (values.count * 3).leadingZeroBitCount, 4)
        table = Array(repeating: Self.empty, count: 1 << bits)
        shift = UInt64(64 - bits)
        holdsEmpty = values.contains(Self.empty)
        for value in values where value != Self.empty {
            var place = place(value)
            while table[place] != Self.empty, table[place] != value { place = (place + 1) & (table.count - 1) }
            table[place] = value
        }
    }

    @inline(__always)
    private func place(_ value: Int64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: value) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }

    @inline(__always)
    func contains(_ value: Int64) -> Bool {
        if value == Self.empty { return holdsEmpty }
        var place = place(value)
        while table[place] != Self.empty {
            if table[place] == value { return true }
            place = (place &+ 1) & (table.count &- 1)
        }
        return false
    }
}
