import CausewayModel
import CausewayQuery

/// What null slots answer to, which is the same for every type: equal to nil, different from any value.
struct NullRule {
    var nullsMatch: Bool

    init(_ comparator: Comparator, _ operand: [Value]) {
        let namesNull = operand.contains(.null)
        nullsMatch = comparator == .notEqual ? !namesNull : namesNull && [.equal, .in, .like].contains(comparator)
    }

    func apply(_ found: SlotBitmap, _ leaf: UnsafeRawPointer, _ candidates: SlotBitmap) -> SlotBitmap {
        guard LeafHeader(leaf).hasNulls else { return found.intersection(candidates) }
        let nulls = SlotBitmap(nullsOf: leaf)
        return (nullsMatch ? found.union(nulls) : found.subtracting(nulls)).intersection(candidates)
    }
}

/// Ranges over a column of integers, or of links as raw keys: every comparison with constants is some of those.
struct IntegerTest: LeafTest {
    private let table: Table
    private let column: Int
    private let ranges: [ClosedRange<Int64>]
    private let isNegated: Bool
    private let nulls: NullRule

    /// Nil when the operand is not made of integers.
    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        self.table = table
        self.column = column
        nulls = NullRule(comparator, operand)
        isNegated = comparator == .notEqual
        var constants: [Int64] = []
        for value in operand where !value.isNull {
            guard case .int(let constant) = value else { return nil }
            constants.append(constant)
        }
        if constants.isEmpty {
            ranges = []
            return
        }
        let first = constants[0]
        switch comparator {
        case .equal, .notEqual, .in: ranges = Set(constants).sorted().map { $0...$0 }
        case .less: ranges = first == .min ? [] : [.min...first - 1]
        case .lessOrEqual: ranges = [.min...first]
        case .greater: ranges = first == .max ? [] : [first + 1 ... .max]
        case .greaterOrEqual: ranges = [first ... .max]
        case .between:
            guard operand.count == 2, constants.count == 2 else {
                ranges = []
                return
            }
            ranges = constants[0] <= constants[1] ? [constants[0]...constants[1]] : []
        default: return nil
        }
    }

    var cost: Double { 0.3 * Double(max(ranges.count, 1)) }
    var explanation: String { "scan \(table.name).\(table.schema.properties[column].name)" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = table.leaf(column, number) else { return SlotBitmap() }
        let count = LeafHeader(leaf).count
        var found = SlotBitmap()
        for range in ranges { found = found.union(slots(of: leaf, count, in: range)) }
        if isNegated { found = SlotBitmap(first: count).subtracting(found) }
        return nulls.apply(found, leaf, candidates)
    }

    private func slots(of leaf: UnsafeRawPointer, _ count: Int, in range: ClosedRange<Int64>) -> SlotBitmap {
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        let width = leaf.leafField(LeafLayout.width, UInt8.self)
        var first = range.lowerBound
        var last = range.upperBound
        if leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagZone != 0 {
            let maximum = leaf.leafField(LeafLayout.maximum, Int64.self)
            if first > maximum || last < minimum { return SlotBitmap() }
            if first <= minimum, last >= maximum { return SlotBitmap(first: count) }
            first = max(first, minimum)
            last = min(last, maximum)
        } else if width != 8 {
            // Without a zone nothing is known, and only leaves of full width or of nulls have none.
            guard range.contains(minimum) else { return SlotBitmap() }
            return SlotBitmap(first: count)
        }
        let relative = RelativeRange(
            first: UInt64(bitPattern: first &- minimum), last: UInt64(bitPattern: last &- minimum))
        return BitmapKernel.integers(LeafHeader(leaf).payload, width: width, count: count, relative)
    }
}

/// Comparisons over a column of floats or doubles.
struct DoubleTest: LeafTest {
    private let table: Table
    private let column: Int
    private let comparator: Comparator
    private let constants: [Double]
    private let isDouble: Bool
    private let nulls: NullRule

    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        self.table = table
        self.column = column
        self.comparator = comparator
        isDouble = table.schema.properties[column].type == .double
        nulls = NullRule(comparator, operand)
        var constants: [Double] = []
        for value in operand where !value.isNull {
            switch value {
            case .double(let constant): constants.append(constant)
            case .float(let constant): constants.append(Double(constant))
            default: return nil
            }
        }
        if comparator == .between, constants.count != 2 { return nil }
        self.constants = constants
    }

    var cost: Double { 1 }
    var explanation: String { "scan \(table.name).\(table.schema.properties[column].name)" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = table.leaf(column, number) else { return SlotBitmap() }
        return nulls.apply(found(leaf), leaf, candidates)
    }

    private func found(_ leaf: UnsafeRawPointer) -> SlotBitmap {
        let count = LeafHeader(leaf).count
        guard let first = constants.first else {
            return comparator == .notEqual ? SlotBitmap(first: count) : SlotBitmap()
        }
        if isOutOfZone(leaf) { return SlotBitmap() }
        switch comparator {
        case .equal: return scan(leaf) { $0 == first }
        case .notEqual: return scan(leaf) { $0 != first }
        case .less: return scan(leaf) { $0 < first }
        case .lessOrEqual: return scan(leaf) { $0 <= first }
        case .greater: return scan(leaf) { $0 > first }
        case .greaterOrEqual: return scan(leaf) { $0 >= first }
        case .between:
            let last = constants[1]
            return scan(leaf) { $0 >= first && $0 <= last }
        case .in: return scan(leaf) { constants.contains($0) }
        default: return SlotBitmap()
        }
    }

    private func isOutOfZone(_ leaf: UnsafeRawPointer) -> Bool {
        guard leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagZone != 0, constants.count == 1 else {
            return false
        }
        let minimum = leaf.leafField(LeafLayout.minimum, Double.self)
        let maximum = leaf.leafField(LeafLayout.maximum, Double.self)
        let constant = constants[0]
        return switch comparator {
        case .equal, .in: constant < minimum || constant > maximum
        case .less: minimum >= constant
        case .lessOrEqual: minimum > constant
        case .greater: maximum <= constant
        case .greaterOrEqual: maximum < constant
        default: false
        }
    }

    @inline(__always)
    private func scan(_ leaf: UnsafeRawPointer, _ test: (Double) -> Bool) -> SlotBitmap {
        let header = LeafHeader(leaf)
        let payload = header.payload
        if isDouble {
            return BitmapKernel.words(header.count) { test(payload.leafField($0 &* 8, Double.self)) }
        }
        return BitmapKernel.words(header.count) { test(Double(payload.leafField($0 &* 4, Float.self))) }
    }
}

/// Equality over a column of booleans: words as they lie.
struct BoolTest: LeafTest {
    private let table: Table
    private let column: Int
    private let matchesTrue: Bool
    private let matchesFalse: Bool
    private let nulls: NullRule

    init?(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        guard [.equal, .notEqual, .in].contains(comparator) else { return nil }
        for value in operand {
            switch value {
            case .bool, .null: break
            default: return nil
            }
        }
        self.table = table
        self.column = column
        nulls = NullRule(comparator, operand)
        matchesTrue = operand.contains(.bool(true)) != (comparator == .notEqual)
        matchesFalse = operand.contains(.bool(false)) != (comparator == .notEqual)
    }

    var cost: Double { 0.1 }
    var explanation: String { "scan \(table.name).\(table.schema.properties[column].name)" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = table.leaf(column, number) else { return SlotBitmap() }
        let bits = SlotBitmap(bits: leaf)
        var found = SlotBitmap()
        if matchesTrue { found = found.union(bits) }
        if matchesFalse { found = found.union(SlotBitmap(first: LeafHeader(leaf).count).subtracting(bits)) }
        return nulls.apply(found, leaf, candidates)
    }
}
