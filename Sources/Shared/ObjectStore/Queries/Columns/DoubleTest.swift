import CausewayModel
import CausewayQuery

/// Comparisons over a column of floats or doubles, as ranges. NaN lies in none of them.
struct DoubleTest: LeafTest {
    private let tested: TestedColumn
    private let ranges: [ClosedRange<Double>]
    private let isNegated: Bool
    private let isDouble: Bool
    let share: Double

    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        tested = TestedColumn(table, column, comparator, operand)
        isDouble = table.schema.properties[column].type == .double
        isNegated = comparator == .notEqual
        share = GuessedShare.of(comparator, operand)
        var constants: [Double] = []
        for value in operand where !value.isNull {
            switch value {
            case .double(let constant): constants.append(constant)
            case .float(let constant): constants.append(Double(constant))
            default: return nil
            }
        }
        if comparator == .between, constants.count != 2 { return nil }
        guard let ranges = Self.ranges(comparator, constants) else { return nil }
        self.ranges = ranges
    }

    private static func ranges(_ comparator: Comparator, _ constants: [Double]) -> [ClosedRange<Double>]? {
        guard let first = constants.first else { return [] }
        let isNumber = !first.isNaN
        switch comparator {
        case .equal, .notEqual, .in: return Set(constants.filter { !$0.isNaN }).map { $0...$0 }
        case .less: return isNumber && first > -.infinity ? [-.infinity...first.nextDown] : []
        case .lessOrEqual: return isNumber ? [-.infinity...first] : []
        case .greater: return isNumber && first < .infinity ? [first.nextUp ... .infinity] : []
        case .greaterOrEqual: return isNumber ? [first ... .infinity] : []
        case .between: return constants[0] <= constants[1] ? [constants[0]...constants[1]] : []
        case .beginsWith, .endsWith, .contains, .like, .text: return nil
        }
    }

    var cost: Double { 0.4 * Double(max(ranges.count, 1)) }
    var explanation: String { tested.explanation }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        tested.evaluate(number, candidates, isNegated: isNegated) { leaf in
            var found = SlotBitmap()
            for range in ranges { found = found.union(slots(of: leaf, in: range)) }
            return found
        }
    }

    func isRuledOut(_ number: Int) -> Bool {
        guard !isNegated, !tested.nulls.nullsMatch, let leaf = tested.leaf(number), leaf.hasZone else { return false }
        let minimum = leaf.leafField(LeafLayout.minimum, Double.self)
        let maximum = leaf.leafField(LeafLayout.maximum, Double.self)
        for range in ranges where range.lowerBound <= maximum && range.upperBound >= minimum { return false }
        return true
    }

    private func slots(of leaf: UnsafeRawPointer, in range: ClosedRange<Double>) -> SlotBitmap {
        let header = LeafHeader(leaf)
        if leaf.hasZone {
            let minimum = leaf.leafField(LeafLayout.minimum, Double.self)
            let maximum = leaf.leafField(LeafLayout.maximum, Double.self)
            if range.lowerBound > maximum || range.upperBound < minimum { return SlotBitmap() }
            if range.lowerBound <= minimum, range.upperBound >= maximum { return SlotBitmap(first: header.count) }
        }
        if isDouble { return BitmapKernel.doubles(header.payload, count: header.count, range) }
        guard let range = Self.floats(range) else { return SlotBitmap() }
        return BitmapKernel.floats(header.payload, count: header.count, range)
    }

    /// The floats that lie in a range of doubles.
    private static func floats(_ range: ClosedRange<Double>) -> ClosedRange<Float>? {
        var first = Float(range.lowerBound)
        if Double(first) < range.lowerBound { first = first.nextUp }
        var last = Float(range.upperBound)
        if Double(last) > range.upperBound { last = last.nextDown }
        return first <= last ? first...last : nil
    }
}
