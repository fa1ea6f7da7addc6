import CausewayModel
import CausewayQuery

/// Arithmetic over columns of ints, floats and doubles of the row itself, computed for a leaf at once. The row
/// evaluator does decimals, mixed values and longer paths.
struct ArithmeticTest: LeafTest {
    private indirect enum Source {
        case integers(Int)
        case floats(Int)
        case doubles(Int)
        case constant(LeafNumbers)
        case operation(Source, ArithmeticOperator, Source)
    }

    private let table: Table
    private let left: Source
    private let comparator: Comparator
    /// One source, or for IN and BETWEEN one for each constant.
    private let right: [Source]
    private let operations: Int
    /// For leaves of which a column is being written.
    private let rows: RowTest

    init?(_ computation: BoundComputation, _ table: Table) {
        guard computation.elements == nil, let left = Self.source(computation.left) else { return nil }
        let sides: [BoundArithmetic] =
            switch computation.right {
            case .one(let right): [right]
            case .list(let values): values.map { .value($0) }
            }
        var right: [Source] = []
        for side in sides {
            guard let source = Self.source(side) else { return nil }
            right.append(source)
        }
        self.table = table
        self.left = left
        self.right = right
        comparator = computation.comparator
        operations = Self.operations(left) + right.reduce(0) { $0 + Self.operations($1) }
        rows = RowTest(table: table, predicate: .computed(computation))
    }

    var cost: Double { 3 + 2 * Double(operations + right.count) }
    var explanation: String { "compute over \(table.name)" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let left = numbers(left, number) else { return rows.evaluate(number, candidates) }
        var found: [SlotBitmap] = []
        for (index, side) in right.enumerated() {
            guard let right = numbers(side, number) else { return rows.evaluate(number, candidates) }
            let sign: Comparator =
                switch comparator {
                case .in: .equal
                case .between: index == 0 ? .greaterOrEqual : .lessOrEqual
                default: comparator
                }
            found.append(left.slots(sign, right, among: candidates))
        }
        return comparator == .between
            ? found.reduce(candidates) { $0.intersection($1) } : found.reduce(SlotBitmap()) { $0.union($1) }
    }

    // MARK: - Sources

    private static func source(_ arithmetic: BoundArithmetic) -> Source? {
        switch arithmetic {
        case .element: return nil
        case .value(.null):
            let nothing = [Int64](repeating: 0, count: LeafNumbers.capacity)
            return .constant(LeafNumbers(.integers(nothing), nulls: SlotBitmap(first: slotsPerLeaf)))
        case .value(.int(let value)):
            return .constant(LeafNumbers(.integers([Int64](repeating: value, count: LeafNumbers.capacity))))
        case .value(.float(let value)): return constant(Double(value))
        case .value(.double(let value)): return constant(value)
        case .value: return nil
        case .path(let path):
            guard path.aggregate == nil, path.steps.count == 1, let step = path.steps.first, step.isColumn,
                step.direction == .forward
            else { return nil }
            switch step.type {
            case .int: return .integers(step.property)
            case .float: return .floats(step.property)
            case .double: return .doubles(step.property)
            default: return nil
            }
        case .operation(let left, let sign, let right):
            guard let left = source(left), let right = source(right) else { return nil }
            return .operation(left, sign, right)
        }
    }

    private static func constant(_ value: Double) -> Source {
        .constant(LeafNumbers(.reals([Double](repeating: value, count: LeafNumbers.capacity))))
    }

    private static func operations(_ source: Source) -> Int {
        if case .operation(let left, _, let right) = source { 1 + operations(left) + operations(right) } else { 0 }
    }

    // MARK: - Leaves

    private func numbers(_ source: Source, _ number: Int) -> LeafNumbers? {
        switch source {
        case .constant(let numbers): return numbers
        case .operation(let left, let sign, let right):
            guard let left = numbers(left, number), let right = numbers(right, number) else { return nil }
            return left.applying(sign, right)
        case .integers(let column):
            return table.leaf(column, number).map { leaf in
                let values = IntegerColumn.withExpanded(leaf) { values in
                    Array(UnsafeBufferPointer(start: values, count: LeafNumbers.capacity))
                }
                return LeafNumbers(.integers(values), nulls: Self.nulls(leaf))
            }
        case .floats(let column):
            return table.leaf(column, number).map { leaf in
                let floats = FloatLeaf(leaf)
                return Self.reals(leaf) { Double(floats.value($0)) }
            }
        case .doubles(let column):
            return table.leaf(column, number).map { leaf in
                let doubles = DoubleLeaf(leaf)
                return Self.reals(leaf) { doubles.value($0) }
            }
        }
    }

    @inline(__always)
    private static func reals(_ leaf: UnsafeRawPointer, _ value: (Int) -> Double) -> LeafNumbers {
        let reached = LeafHeader(leaf).count
        let values = [Double](unsafeUninitializedCapacity: LeafNumbers.capacity) { values, count in
            for slot in 0..<reached { values[slot] = value(slot) }
            for slot in reached..<LeafNumbers.capacity { values[slot] = 0 }
            count = LeafNumbers.capacity
        }
        return LeafNumbers(.reals(values), nulls: nulls(leaf))
    }

    /// Slots that a leaf does not reach are null.
    private static func nulls(_ leaf: UnsafeRawPointer) -> SlotBitmap {
        let reached = SlotBitmap(first: LeafHeader(leaf).count)
        return SlotBitmap(first: slotsPerLeaf).subtracting(reached.subtracting(SlotBitmap(nullsOf: leaf)))
    }
}
