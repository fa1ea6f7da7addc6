import CausewayModel
import CausewayQuery

/// Comparisons over a column of decimals, which have the layout of UUIDs. Each becomes a number that orders it, and is
/// compared with ranges.
struct DecimalTest: LeafTest {
    private let tested: TestedColumn
    private let ranges: [ClosedRange<UInt128>]
    private let isNegated: Bool
    let share: Double

    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        tested = TestedColumn(table, column, comparator, operand)
        isNegated = comparator == .notEqual
        share = GuessedShare.of(comparator, operand)
        var constants: [DecimalNumber] = []
        for value in operand where !value.isNull {
            guard case .decimal(let constant) = value else { return nil }
            constants.append(constant)
        }
        if comparator == .between, constants.count != 2 { return nil }
        guard let ranges = Self.ranges(comparator, constants) else { return nil }
        self.ranges = ranges
    }

    /// No range holds NaN, which comes before all numbers.
    private static func ranges(_ comparator: Comparator, _ constants: [DecimalNumber]) -> [ClosedRange<UInt128>]? {
        guard let first = constants.first else { return [] }
        let bits = first.orderedBits
        let least = (-DecimalNumber.infinity).orderedBits
        let greatest = DecimalNumber.infinity.orderedBits
        switch comparator {
        case .equal, .notEqual, .in:
            return Set(constants.filter { !$0.isNaN }.map(\.orderedBits)).map { $0...$0 }
        case .less: return bits > least ? [least...bits - 1] : []
        case .lessOrEqual: return first.isNaN ? [] : [least...bits]
        case .greater: return first.isNaN || bits == greatest ? [] : [bits + 1...greatest]
        case .greaterOrEqual: return first.isNaN ? [] : [bits...greatest]
        case .between: return constants[0] <= constants[1] ? [bits...constants[1].orderedBits] : []
        case .beginsWith, .endsWith, .contains, .like, .text: return nil
        }
    }

    var cost: Double { 15 }
    var explanation: String { tested.explanation }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        tested.evaluate(number, candidates, isNegated: isNegated) { leaf in
            var found = SlotBitmap()
            candidates.intersection(SlotBitmap(first: LeafHeader(leaf).count)).forEach { slot in
                let bits = Self.number(leaf, slot).orderedBits
                if ranges.contains(where: { $0.contains(bits) }) { found.insert(slot) }
            }
            return found
        }
    }

    /// The decimal in a slot of a leaf.
    @inline(__always)
    static func number(_ leaf: UnsafeRawPointer, _ slot: Int) -> DecimalNumber {
        DecimalNumber(storedHigh: UUIDLeaf(leaf).high(slot), low: UUIDLeaf(leaf).low(slot))
    }
}

extension DecimalNumber {
    /// The bits of 0, which hold an exponent. Decimals are stored relative to them, so that 0 is all zeros, as an
    /// unwritten slot is in every column.
    private static let zeroHigh = DecimalNumber.zero.high

    init(storedHigh: UInt64, low: UInt64) {
        self.init(high: storedHigh ^ Self.zeroHigh, low: low)
    }

    var storedHigh: UInt64 { high ^ Self.zeroHigh }
}
