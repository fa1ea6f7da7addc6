import CausewayModel
import CausewayQuery

/// How the values of two leaves compare, slot by slot, for types without vector code.
struct PairOrder {
    enum Kind {
        case bits
        case dates
        /// An int on the left, a float or a double on the right.
        case integerAndReal(isDouble: Bool)
        /// A float or a double on the left, an int on the right.
        case realAndInteger(isDouble: Bool)

        init?(_ left: PropertyType, _ right: PropertyType) {
            switch (left, right) {
            case (.bool, .bool): self = .bits
            case (.date, .date): self = .dates
            case (.int, .float), (.int, .double): self = .integerAndReal(isDouble: right == .double)
            case (.float, .int), (.double, .int): self = .realAndInteger(isDouble: left == .double)
            default: return nil
            }
        }
    }

    // A slot with a NaN is in none of them. Null slots may be in any.
    private var less = SlotBitmap()
    private var equal = SlotBitmap()
    private var greater = SlotBitmap()

    /// - Parameter count: slots that both leaves reach.
    init(_ kind: Kind, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) {
        switch kind {
        case .bits:
            let (lefts, rights) = (SlotBitmap(bits: left), SlotBitmap(bits: right))
            less = rights.subtracting(lefts)
            greater = lefts.subtracting(rights)
            equal = SlotBitmap(first: count).subtracting(less.union(greater))
        case .dates:
            let (lefts, rights) = (TimestampLeaf(left), TimestampLeaf(right))
            fill(count) { slot in
                Self.order(
                    (lefts.seconds(slot), lefts.nanoseconds(slot)), (rights.seconds(slot), rights.nanoseconds(slot)))
            }
        case .integerAndReal(let isDouble):
            let integers = IntegerLeaf(left)
            fill(count) { Self.order(integers.value($0), Self.real(right, $0, isDouble)) }
        case .realAndInteger(let isDouble):
            let integers = IntegerLeaf(right)
            fill(count) { Self.order(integers.value($0), Self.real(left, $0, isDouble)) }
            swap(&less, &greater)
        }
    }

    /// The slots for which the comparison holds; for `!=` those that are equal.
    func slots(_ comparator: Comparator) -> SlotBitmap {
        switch comparator {
        case .less: less
        case .lessOrEqual: less.union(equal)
        case .greater: greater
        case .greaterOrEqual: greater.union(equal)
        default: equal
        }
    }

    private mutating func fill(_ count: Int, _ order: (Int) -> Int?) {
        for slot in 0..<count {
            switch order(slot) {
            case nil: break
            case 0?: equal.insert(slot)
            case let order? where order < 0: less.insert(slot)
            default: greater.insert(slot)
            }
        }
    }

    private static func real(_ leaf: UnsafeRawPointer, _ slot: Int, _ isDouble: Bool) -> Double {
        isDouble ? DoubleLeaf(leaf).value(slot) : Double(FloatLeaf(leaf).value(slot))
    }

    private static func order(_ left: (Int64, Int32), _ right: (Int64, Int32)) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    /// The exact order, as in `ValueComparison`; nil for NaN.
    static func order(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let floor = right.rounded(.down)
        let whole = Int64(floor)
        if left != whole { return left < whole ? -1 : 1 }
        return right > floor ? -1 : 0
    }
}
