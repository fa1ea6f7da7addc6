import CausewayModel
import CausewayQuery

/// Equality over a column of ObjectIds or UUIDs, by their bytes.
struct IdTest: LeafTest {
    private let tested: TestedColumn
    private let size: Int
    /// The wanted ids as they lie in a leaf, one behind the other.
    private let wanted: [UInt8]
    private let isNegated: Bool
    let share: Double

    /// Nil for other operators, and when the operand is not made of ids of the type.
    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        guard [.equal, .notEqual, .in].contains(comparator) else { return nil }
        tested = TestedColumn(table, column, comparator, operand)
        isNegated = comparator == .notEqual
        share = GuessedShare.of(comparator, operand)
        let type = table.schema.properties[column].type
        size = type == .objectId ? 12 : 16
        var wanted: [UInt8] = []
        for value in Set(operand) where !value.isNull {
            switch value {
            case .objectId(let id) where type == .objectId:
                withUnsafeBytes(of: id.high.bigEndian) { wanted.append(contentsOf: $0) }
                withUnsafeBytes(of: id.low.bigEndian) { wanted.append(contentsOf: $0) }
            case .uuid(let id) where type == .uuid:
                withUnsafeBytes(of: id.high.bigEndian) { wanted.append(contentsOf: $0) }
                withUnsafeBytes(of: id.low.bigEndian) { wanted.append(contentsOf: $0) }
            default: return nil
            }
        }
        self.wanted = wanted
    }

    var cost: Double { Double(max(wanted.count / size, 1)) }
    var explanation: String { tested.explanation }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        tested.evaluate(number, candidates, isNegated: isNegated) { leaf in
            let header = LeafHeader(leaf)
            var found = SlotBitmap()
            wanted.withUnsafeBytes { wanted in
                guard let first = wanted.baseAddress else { return }
                for offset in stride(from: 0, to: wanted.count, by: size) {
                    found = found.union(
                        BitmapKernel.ids(header.payload, size: size, count: header.count, equal: first + offset))
                }
            }
            return found
        }
    }
}
