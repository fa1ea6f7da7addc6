import CausewayModel

/// The values of a column for some keys as unsigned numbers: smaller values have smaller numbers, equal ones equal.
struct OrderedNumbers {
    /// By position in the keys. What stands at a null's position means nothing.
    fileprivate(set) var numbers: [UInt64]
    fileprivate(set) var nulls: [UInt32] = []
    /// The positions of NaNs. They have the least number.
    fileprivate(set) var notNumbers: [UInt32] = []
    /// The range of the values that are not null. If all are null, the least is above the greatest.
    fileprivate(set) var least = UInt64.max
    fileprivate(set) var greatest = UInt64.min

    /// A part of a value that becomes a number. A value of more than 64 bits has two, the more significant first.
    enum Part {
        case integer, bit, float, double
        /// Whether there is a value at all.
        case presence
        case nanoseconds
        case objectIdHigh, objectIdLow
        case uuidHigh, uuidLow
        case decimalHigh, decimalLow
    }

    /// Empty for strings, data and mixed values, whose bytes are no numbers.
    static func parts(of type: PropertyType) -> [Part] {
        switch type {
        case .bool: [.bit]
        case .int: [.integer]
        case .float: [.float]
        case .double: [.double]
        case .date: [.integer, .nanoseconds]
        case .objectId: [.objectIdHigh, .objectIdLow]
        case .uuid: [.uuidHigh, .uuidLow]
        case .decimal128: [.decimalHigh, .decimalLow]
        case .object: [.presence]
        case .string, .data, .mixed: []
        }
    }

    init(_ part: Part, of table: Table, _ column: Int, _ keys: [ObjectKey]) {
        var extraction = Extraction()
        numbers = [UInt64](unsafeUninitializedCapacity: keys.count) { numbers, count in
            count = keys.count
            extraction.numbers = numbers
            keys.withUnsafeBufferPointer { keys in
                KeyRun.forEach(in: keys) { run in
                    if let leaf = table.leaf(column, of: run) {
                        extraction.read(part, leaf, run)
                    } else {
                        for position in run.positions { extraction.appendNull(position) }
                    }
                }
            }
        }
        (nulls, notNumbers) = (extraction.nulls, extraction.notNumbers)
        (least, greatest) = (extraction.least, extraction.greatest)
    }

    /// Codes of values, all below `limit`.
    init(codes: [UInt64], nulls: [UInt32], limit: Int) {
        numbers = codes
        self.nulls = nulls
        guard nulls.count < codes.count else { return }
        (least, greatest) = (0, UInt64(max(limit - 1, 0)))
    }

    /// Replaces each code by the number at its index, none above the greatest code.
    mutating func replace(by others: [UInt32]) {
        guard least <= greatest else { return }
        numbers.withUnsafeMutableBufferPointer { numbers in
            others.withUnsafeBufferPointer { others in
                for position in numbers.indices { numbers[position] = UInt64(others[Int(numbers[position])]) }
            }
        }
    }
}

extension OrderedNumbers {
    /// An Int64 with its sign bit flipped, so that it orders as an unsigned number.
    @inline(__always)
    static func number(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

    /// NaN is 0, below minus infinity. Both zeros have the same number.
    @inline(__always)
    static func number(_ value: Double) -> UInt64 {
        let bits = (value + 0.0).bitPattern
        if value.isNaN { return 0 }
        return bits ^ (UInt64(bitPattern: Int64(bitPattern: bits) >> 63) | 1 << 63)
    }

    @inline(__always)
    static func number(_ value: Float) -> UInt64 {
        let bits = (value + 0.0).bitPattern
        if value.isNaN { return 0 }
        return UInt64(bits ^ (UInt32(bitPattern: Int32(bitPattern: bits) >> 31) | 1 << 31))
    }
}

/// The results of one pass over the keys.
private struct Extraction {
    var numbers = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)
    var nulls: [UInt32] = []
    var notNumbers: [UInt32] = []
    var least = UInt64.max
    var greatest = UInt64.min

    mutating func appendNull(_ position: Int) {
        numbers.initializeElement(at: position, to: 0)
        nulls.append(UInt32(truncatingIfNeeded: position))
    }

    mutating func read(_ part: OrderedNumbers.Part, _ leaf: UnsafeRawPointer, _ run: KeyRun) {
        let payload = LeafHeader(leaf).payload
        switch part {
        case .integer: readIntegers(leaf, payload, run)
        case .bit: fill(leaf, run) { BoolLeaf(leaf).value($0) ? 1 : 0 }
        case .presence: fill(leaf, run) { _ in 1 }
        case .float:
            fill(leaf, run) { OrderedNumbers.number(payload.leafField($0 &* 4, Float.self)) }
            noteNotNumbers(leaf, run) { FloatLeaf(leaf).value($0).isNaN }
        case .double:
            fill(leaf, run) { OrderedNumbers.number(payload.leafField($0 &* 8, Double.self)) }
            noteNotNumbers(leaf, run) { DoubleLeaf(leaf).value($0).isNaN }
        case .nanoseconds: fill(leaf, run) { OrderedNumbers.number(Int64(TimestampLeaf(leaf).nanoseconds($0))) }
        case .objectIdHigh: fill(leaf, run) { ObjectIdLeaf(leaf).high($0) }
        case .objectIdLow: fill(leaf, run) { UInt64(ObjectIdLeaf(leaf).low($0)) }
        case .uuidHigh: fill(leaf, run) { UUIDLeaf(leaf).high($0) }
        case .uuidLow: fill(leaf, run) { UUIDLeaf(leaf).low($0) }
        case .decimalHigh:
            fill(leaf, run) { UInt64(truncatingIfNeeded: DecimalTest.number(leaf, $0).orderedBits >> 64) }
            noteNotNumbers(leaf, run) { DecimalTest.number(leaf, $0).isNaN }
        case .decimalLow: fill(leaf, run) { UInt64(truncatingIfNeeded: DecimalTest.number(leaf, $0).orderedBits) }
        }
    }

    private mutating func readIntegers(_ leaf: UnsafeRawPointer, _ payload: UnsafeRawPointer, _ run: KeyRun) {
        let minimum = OrderedNumbers.number(leaf.leafField(LeafLayout.minimum, Int64.self))
        switch leaf.leafField(LeafLayout.width, UInt8.self) {
        case 1: fill(leaf, run) { minimum &+ UInt64(payload.leafField($0, UInt8.self)) }
        case 2: fill(leaf, run) { minimum &+ UInt64(payload.leafField($0 &* 2, UInt16.self)) }
        case 4: fill(leaf, run) { minimum &+ UInt64(payload.leafField($0 &* 4, UInt32.self)) }
        case 8: fill(leaf, run) { minimum &+ payload.leafField($0 &* 8, UInt64.self) }
        default: fill(leaf, run) { _ in minimum }
        }
    }

    @inline(__always)
    private mutating func fill(_ leaf: UnsafeRawPointer, _ run: KeyRun, _ number: (Int) -> UInt64) {
        let header = LeafHeader(leaf)
        let numbers = numbers
        var (least, greatest) = (least, greatest)
        if header.hasNulls || header.count < slotsPerLeaf {
            for position in run.positions {
                let slot = run.slot(position)
                guard !header.isNull(slot) else {
                    appendNull(position)
                    continue
                }
                let value = number(slot)
                numbers.initializeElement(at: position, to: value)
                least = min(least, value)
                greatest = max(greatest, value)
            }
        } else {
            for position in run.positions {
                let value = number(run.slot(position))
                numbers.initializeElement(at: position, to: value)
                least = min(least, value)
                greatest = max(greatest, value)
            }
        }
        self.least = least
        self.greatest = greatest
    }

    /// Notes the positions of NaNs, after `fill` of the same run.
    @inline(__always)
    private mutating func noteNotNumbers(_ leaf: UnsafeRawPointer, _ run: KeyRun, _ isNaN: (Int) -> Bool) {
        // Only NaN has the number 0, so with a least number above it no run so far has a NaN.
        guard least == 0 else { return }
        let header = LeafHeader(leaf)
        for position in run.positions where numbers[position] == 0 && !header.isNull(run.slot(position)) {
            if isNaN(run.slot(position)) { notNumbers.append(UInt32(truncatingIfNeeded: position)) }
        }
    }
}
