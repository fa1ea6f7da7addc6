import CausewayModel
import CausewayQuery

/// Equality over a column of booleans, computed in whole words.
struct BoolTest: LeafTest {
    private let tested: TestedColumn
    private let matchesTrue: Bool
    private let matchesFalse: Bool

    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        guard [.equal, .notEqual, .in].contains(comparator) else { return nil }
        for value in operand {
            switch value {
            case .bool, .null: break
            default: return nil
            }
        }
        tested = TestedColumn(table, column, comparator, operand)
        matchesTrue = operand.contains(.bool(true)) != (comparator == .notEqual)
        matchesFalse = operand.contains(.bool(false)) != (comparator == .notEqual)
    }

    var cost: Double { 0.05 }
    var explanation: String { tested.explanation }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        tested.evaluate(number, candidates) { leaf in
            let reached = SlotBitmap(first: LeafHeader(leaf).count)
            let bits = SlotBitmap(bits: leaf).intersection(reached)
            return switch (matchesTrue, matchesFalse) {
            case (true, true): reached
            case (true, false): bits
            case (false, true): reached.subtracting(bits)
            case (false, false): SlotBitmap()
            }
        }
    }
}
