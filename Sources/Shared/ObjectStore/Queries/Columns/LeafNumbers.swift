import CScan
import CausewayModel
import CausewayQuery

/// The numbers that arithmetic gives for the slots of a leaf.
struct LeafNumbers {
    enum Amounts {
        case integers([Int64])
        case reals([Double])
    }

    static let capacity = wordsPerLeaf * 64

    var amounts: Amounts
    /// The slots that have no number.
    var nulls: SlotBitmap

    init(_ amounts: Amounts, nulls: SlotBitmap = SlotBitmap()) {
        self.amounts = amounts
        self.nulls = nulls
    }

    // MARK: - Computing

    func applying(_ sign: ArithmeticOperator, _ other: LeafNumbers) -> LeafNumbers {
        let nulls = nulls.union(other.nulls)
        if case .integers(let left) = amounts, case .integers(let right) = other.amounts {
            return Self.integers(left, sign, right, nulls)
        }
        return LeafNumbers(.reals(Self.reals(reals, sign, other.reals)), nulls: nulls)
    }

    private var reals: [Double] {
        switch amounts {
        case .integers(let values): values.map { Double($0) }
        case .reals(let values): values
        }
    }

    private static func integers(
        _ left: [Int64], _ sign: ArithmeticOperator, _ right: [Int64], _ nulls: SlotBitmap
    ) -> LeafNumbers {
        var nulls = nulls
        if sign == .divided {
            for slot in 0..<capacity where right[slot] == 0 { nulls.insert(slot) }
        }
        let results = [Int64](unsafeUninitializedCapacity: capacity) { results, count in
            switch sign {
            case .plus:
                for slot in 0..<capacity {
                    let (result, overflows) = left[slot].addingReportingOverflow(right[slot])
                    results[slot] = overflows ? (left[slot] < 0 ? .min : .max) : result
                }
            case .minus:
                for slot in 0..<capacity {
                    let (result, overflows) = left[slot].subtractingReportingOverflow(right[slot])
                    results[slot] = overflows ? (left[slot] < 0 ? .min : .max) : result
                }
            case .times, .divided:
                for slot in 0..<capacity { results[slot] = sign.integer(left[slot], right[slot]) ?? 0 }
            }
            count = capacity
        }
        return LeafNumbers(.integers(results), nulls: nulls)
    }

    /// One loop for each operation, so that each is vector code.
    private static func reals(_ left: [Double], _ sign: ArithmeticOperator, _ right: [Double]) -> [Double] {
        [Double](unsafeUninitializedCapacity: capacity) { results, count in
            switch sign {
            case .plus: for slot in 0..<capacity { results[slot] = left[slot] + right[slot] }
            case .minus: for slot in 0..<capacity { results[slot] = left[slot] - right[slot] }
            case .times: for slot in 0..<capacity { results[slot] = left[slot] * right[slot] }
            case .divided: for slot in 0..<capacity { results[slot] = left[slot] / right[slot] }
            }
            count = capacity
        }
    }

    // MARK: - Comparing

    /// The slots for which the comparison holds. Null equals null and nothing else.
    func slots(_ comparator: Comparator, _ other: LeafNumbers, among candidates: SlotBitmap) -> SlotBitmap {
        let present = candidates.subtracting(nulls.union(other.nulls))
        let both = candidates.intersection(nulls).intersection(other.nulls)
        switch comparator {
        case .equal: return equal(other).intersection(present).union(both)
        case .notEqual: return candidates.subtracting(equal(other).intersection(present)).subtracting(both)
        case .less: return less(other).intersection(present)
        case .lessOrEqual: return less(other).union(equal(other)).intersection(present).union(both)
        case .greater: return other.less(self).intersection(present)
        case .greaterOrEqual: return other.less(self).union(equal(other)).intersection(present).union(both)
        case .in, .between, .beginsWith, .endsWith, .contains, .like, .text: return SlotBitmap()
        }
    }

    private func equal(_ other: LeafNumbers) -> SlotBitmap {
        switch (amounts, other.amounts) {
        case (.integers(let left), .integers(let right)):
            SlotBitmap { causeway_scan_equal_integers(left, right, UInt32(slotsPerLeaf), $0) }
        case (.reals(let left), .reals(let right)):
            SlotBitmap { causeway_scan_equal_doubles(left, right, UInt32(slotsPerLeaf), $0) }
        case (.integers(let left), .reals(let right)): Self.exact(left, right) { $0 == 0 }
        case (.reals(let left), .integers(let right)): Self.exact(right, left) { $0 == 0 }
        }
    }

    private func less(_ other: LeafNumbers) -> SlotBitmap {
        switch (amounts, other.amounts) {
        case (.integers(let left), .integers(let right)):
            SlotBitmap { causeway_scan_less_integers(left, right, UInt32(slotsPerLeaf), $0) }
        case (.reals(let left), .reals(let right)):
            SlotBitmap { causeway_scan_less_doubles(left, right, UInt32(slotsPerLeaf), $0) }
        case (.integers(let left), .reals(let right)): Self.exact(left, right) { $0 < 0 }
        case (.reals(let left), .integers(let right)): Self.exact(right, left) { $0 > 0 }
        }
    }

    /// Compares ints with doubles without turning the ints into doubles. A NaN compares with nothing.
    private static func exact(_ integers: [Int64], _ reals: [Double], _ holds: (Int) -> Bool) -> SlotBitmap {
        var found = SlotBitmap()
        for slot in 0..<slotsPerLeaf {
            guard let order = PairOrder.order(integers[slot], reals[slot]), holds(order) else { continue }
            found.insert(slot)
        }
        return found
    }
}
