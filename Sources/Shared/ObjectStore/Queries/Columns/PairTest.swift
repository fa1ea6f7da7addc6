import CScan
import CausewayModel
import CausewayQuery

/// One property against another of the same row: numbers, dates, booleans, strings and data, and links.
struct PairTest: LeafTest {
    private enum Kind {
        case integers
        case floats
        case bytes
        case ordered(PairOrder.Kind)
    }

    private let table: Table
    private let left: Int
    private let right: Int
    private let comparator: Comparator
    private let kind: Kind

    /// Nil for types that cannot be compared with each other, and for operators that they do not have.
    init?(_ table: Table, _ left: Int, _ comparator: Comparator, _ right: Int) {
        let properties = table.schema.properties
        let isEquality = comparator == .equal || comparator == .notEqual
        let isOrder = [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparator)
        switch (properties[left].type, properties[right].type) {
        case (.int, .int) where isEquality || isOrder: kind = .integers
        case (.object, .object) where isEquality && properties[left].target == properties[right].target:
            kind = .integers
        case (.float, .float), (.float, .double), (.double, .float), (.double, .double):
            guard isEquality || isOrder else { return nil }
            kind = .floats
        case (.int, .float), (.int, .double), (.float, .int), (.double, .int), (.date, .date), (.bool, .bool):
            guard isEquality || isOrder, let order = PairOrder.Kind(properties[left].type, properties[right].type)
            else { return nil }
            kind = .ordered(order)
        case (.string, .string), (.data, .data):
            guard comparator != .between, comparator != .in else { return nil }
            kind = .bytes
        default: return nil
        }
        self.table = table
        self.left = left
        self.right = right
        self.comparator = comparator
    }

    var cost: Double {
        switch kind {
        case .integers, .floats: 1.5
        case .ordered: 4
        case .bytes: 20
        }
    }
    var explanation: String {
        let properties = table.schema.properties
        return "scan \(table.name).\(properties[left].name) and \(table.name).\(properties[right].name)"
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        if case .bytes = kind { return strings(number, candidates) }
        guard let leftLeaf = table.leaf(left, number), let rightLeaf = table.leaf(right, number) else {
            return SlotBitmap()
        }
        let reached = min(LeafHeader(leftLeaf).count, LeafHeader(rightLeaf).count)
        let found: SlotBitmap =
            switch kind {
            case .floats: floats(leftLeaf, rightLeaf, reached)
            case .ordered(let order): PairOrder(order, leftLeaf, rightLeaf, reached).slots(comparator)
            default: integers(leftLeaf, rightLeaf, reached)
            }
        let leftNulls = Self.nulls(leftLeaf, candidates)
        let rightNulls = Self.nulls(rightLeaf, candidates)
        let present = candidates.subtracting(leftNulls.union(rightNulls))
        let both = leftNulls.intersection(rightNulls)
        switch comparator {
        case .equal: return found.intersection(present).union(both)
        case .notEqual: return candidates.subtracting(found.intersection(present)).subtracting(both)
        case .lessOrEqual, .greaterOrEqual: return found.intersection(present).union(both)
        default: return found.intersection(present)
        }
    }

    private static func nulls(_ leaf: UnsafeRawPointer, _ candidates: SlotBitmap) -> SlotBitmap {
        candidates.subtracting(SlotBitmap(first: LeafHeader(leaf).count).subtracting(SlotBitmap(nullsOf: leaf)))
    }

    /// For `!=` the slots that are equal.
    private func integers(_ leftLeaf: UnsafeRawPointer, _ rightLeaf: UnsafeRawPointer, _ count: Int) -> SlotBitmap {
        IntegerColumn.withExpanded(leftLeaf) { left in
            IntegerColumn.withExpanded(rightLeaf) { right in
                compared(count) { isLess, exchanged, words in
                    let (left, right) = exchanged ? (right, left) : (left, right)
                    if isLess {
                        causeway_scan_less_integers(left, right, UInt32(count), words)
                    } else {
                        causeway_scan_equal_integers(left, right, UInt32(count), words)
                    }
                }
            }
        }
    }

    /// For `!=` the slots that are equal.
    private func floats(_ leftLeaf: UnsafeRawPointer, _ rightLeaf: UnsafeRawPointer, _ count: Int) -> SlotBitmap {
        withDoubles(left, leftLeaf) { left in
            withDoubles(right, rightLeaf) { right in
                compared(count) { isLess, exchanged, words in
                    let (left, right) = exchanged ? (right, left) : (left, right)
                    if isLess {
                        causeway_scan_less_doubles(left, right, UInt32(count), words)
                    } else {
                        causeway_scan_equal_doubles(left, right, UInt32(count), words)
                    }
                }
            }
        }
    }

    private func compared(
        _ count: Int, _ kernel: (_ isLess: Bool, _ exchanged: Bool, UnsafeMutablePointer<UInt64>) -> Void
    ) -> SlotBitmap {
        var found = SlotBitmap()
        let isExchanged = comparator == .greater || comparator == .greaterOrEqual
        if comparator != .equal, comparator != .notEqual {
            found = SlotBitmap { kernel(true, isExchanged, $0) }
        }
        if comparator != .less, comparator != .greater {
            found = found.union(SlotBitmap { kernel(false, isExchanged, $0) })
        }
        return found
    }

    private func withDoubles<Result>(
        _ column: Int, _ leaf: UnsafeRawPointer, _ body: (UnsafeMutablePointer<Double>) -> Result
    ) -> Result {
        let isDouble = table.schema.properties[column].type == .double
        return withUnsafeTemporaryAllocation(of: Double.self, capacity: wordsPerLeaf * 64) { values in
            guard let first = values.baseAddress else { preconditionFailure("an allocation has an address") }
            values.initialize(repeating: 0)
            let header = LeafHeader(leaf)
            let payload = header.payload
            for slot in 0..<header.count {
                first[slot] =
                    isDouble
                    ? payload.leafField(slot &* 8, Double.self) : Double(payload.leafField(slot &* 4, Float.self))
            }
            return body(first)
        }
    }

    private func strings(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        var found = SlotBitmap()
        guard let leftLeaf = table.leaf(left, number), let rightLeaf = table.leaf(right, number) else {
            // One of them is being written.
            candidates.forEach { slot in
                let key = ObjectKey(Int64(number * slotsPerLeaf + slot))
                let holds = table.withBytes(key, left) { left in
                    table.withBytes(key, right) { self.holds(left, $0) }
                }
                if holds { found.insert(slot) }
            }
            return found
        }
        let lefts = StringLeaf(leftLeaf)
        let rights = StringLeaf(rightLeaf)
        candidates.forEach { slot in
            let first = lefts.isNull(slot) ? nil : lefts.bytes(slot)
            if holds(first, rights.isNull(slot) ? nil : rights.bytes(slot)) { found.insert(slot) }
        }
        return found
    }

    @inline(__always)
    private func holds(_ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?) -> Bool {
        guard let left, let right else {
            let areBothNull = left == nil && right == nil
            return switch comparator {
            case .equal, .like, .lessOrEqual, .greaterOrEqual: areBothNull
            case .notEqual: !areBothNull
            default: false
            }
        }
        return StringMatcher.compare(left, comparator, right)
    }
}
