import CausewayModel
import CausewayQuery

/// Comparisons over a column of dates: a range of seconds, whose first and last second the nanoseconds decide.
struct DateTest: LeafTest {
    private let tested: TestedColumn
    private let ranges: [ClosedRange<Timestamp>]
    private let isNegated: Bool
    let share: Double

    /// Nil when the operand is not made of dates.
    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        tested = TestedColumn(table, column, comparator, operand)
        isNegated = comparator == .notEqual
        share = GuessedShare.of(comparator, operand)
        var constants: [Timestamp] = []
        for value in operand where !value.isNull {
            guard case .timestamp(let constant) = value else { return nil }
            constants.append(constant)
        }
        if comparator == .between, operand.count != 2 || constants.count != 2 { return nil }
        guard let ranges = Self.ranges(comparator, constants) else { return nil }
        self.ranges = ranges
    }

    private static func ranges(_ comparator: Comparator, _ constants: [Timestamp]) -> [ClosedRange<Timestamp>]? {
        guard let first = constants.first else { return [] }
        switch comparator {
        case .equal, .notEqual, .in: return Set(constants).map { $0...$0 }
        case .less: return first == .first ? [] : [.first...first.before]
        case .lessOrEqual: return [.first...first]
        case .greater: return first == .last ? [] : [first.after ... .last]
        case .greaterOrEqual: return [first ... .last]
        case .between: return constants[0] <= constants[1] ? [constants[0]...constants[1]] : []
        case .beginsWith, .endsWith, .contains, .like, .text: return nil
        }
    }

    var cost: Double { 0.6 * Double(max(ranges.count, 1)) }
    var explanation: String { tested.explanation }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        tested.evaluate(number, candidates, isNegated: isNegated) { leaf in
            var found = SlotBitmap()
            for range in ranges { found = found.union(Self.slots(of: leaf, in: range)) }
            return found
        }
    }

    func isRuledOut(_ number: Int) -> Bool {
        guard !isNegated, !tested.nulls.nullsMatch, let leaf = tested.leaf(number), leaf.hasZone else { return false }
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        let maximum = leaf.leafField(LeafLayout.maximum, Int64.self)
        for range in ranges where range.lowerBound.seconds <= maximum && range.upperBound.seconds >= minimum {
            return false
        }
        return true
    }

    private static func slots(of leaf: UnsafeRawPointer, in range: ClosedRange<Timestamp>) -> SlotBitmap {
        let first = range.lowerBound
        let last = range.upperBound
        var found = IntegerColumn.slots(of: leaf, in: first.seconds...last.seconds)
        if first.nanoseconds > .min, !found.isEmpty {
            let edge = IntegerColumn.slots(of: leaf, in: first.seconds...first.seconds)
            found = found.subtracting(outside(leaf, edge, .min...first.nanoseconds - 1))
        }
        if last.nanoseconds < .max, !found.isEmpty {
            let edge = IntegerColumn.slots(of: leaf, in: last.seconds...last.seconds)
            found = found.subtracting(outside(leaf, edge, last.nanoseconds + 1 ... .max))
        }
        return found
    }

    /// The slots of an edge whose nanoseconds lie in a range that is not wanted.
    private static func outside(
        _ leaf: UnsafeRawPointer, _ edge: SlotBitmap, _ unwanted: ClosedRange<Int32>
    ) -> SlotBitmap {
        if edge.isEmpty { return edge }
        guard leaf.leafField(LeafLayout.secondWidth, UInt8.self) == 4 else {
            return unwanted.contains(0) ? edge : SlotBitmap()
        }
        let nanoseconds = leaf + Int(leaf.leafField(LeafLayout.secondOffset, UInt32.self))
        let range = RelativeRange(
            first: UInt64(UInt32(bitPattern: unwanted.lowerBound)),
            last: UInt64(UInt32(bitPattern: unwanted.lowerBound))
                &+ UInt64(UInt32(bitPattern: unwanted.upperBound &- unwanted.lowerBound)))
        return BitmapKernel.integers(nanoseconds, width: 4, count: LeafHeader(leaf).count, range).intersection(edge)
    }
}

extension Timestamp {
    fileprivate static let first = Timestamp(seconds: .min, nanoseconds: .min)
    fileprivate static let last = Timestamp(seconds: .max, nanoseconds: .max)

    /// The next timestamp in order. Must not be used on the last one.
    fileprivate var after: Timestamp {
        nanoseconds < .max
            ? Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1)
            : Timestamp(seconds: seconds + 1, nanoseconds: .min)
    }

    /// The timestamp before in order. Must not be used on the first one.
    fileprivate var before: Timestamp {
        nanoseconds > .min
            ? Timestamp(seconds: seconds, nanoseconds: nanoseconds - 1)
            : Timestamp(seconds: seconds - 1, nanoseconds: .max)
    }
}
