import CausewayModel
import CausewayQuery

/// An aggregate over the values of one column, computed leaf by leaf.
///
/// Nulls are no values. Sums of integers are exact and cut to 64 bits at the end, which is what adding with wrap-around
/// gives. Sums of doubles add the values in eight lanes and then the lanes: the order of additions is not that of the
/// objects, and the last bits of the sum may differ from adding one by one.
protocol ColumnFold {
    /// Adds slots of a leaf, none of which is null.
    mutating func add(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap)
    /// Adds slots of keys in any order. A key that occurs twice counts twice.
    mutating func add(_ leaf: UnsafeRawPointer, _ slots: PresentSlots)

    /// Null for the minimum, maximum and average of no values.
    var result: Value { get }
}

/// The slots of a run of keys that are not null.
struct PresentSlots {
    let run: KeyRun
    let header: LeafHeader

    @inline(__always)
    func forEach(_ body: (Int) -> Void) {
        if header.hasNulls || header.count < slotsPerLeaf {
            for position in run.positions where !header.isNull(run.slot(position)) { body(run.slot(position)) }
        } else {
            for position in run.positions { body(run.slot(position)) }
        }
    }
}

/// The least and greatest value of a leaf, where its header knows them.
struct StoredZone {
    let leaf: UnsafeRawPointer

    init?(_ leaf: UnsafeRawPointer) {
        guard leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagZone != 0 else { return nil }
        self.leaf = leaf
    }

    /// The leaf's minimum or maximum.
    func extreme<T: BitwiseCopyable>(_ aggregate: Aggregate, _ type: T.Type) -> T {
        leaf.leafField(aggregate == .minimum ? LeafLayout.minimum : LeafLayout.maximum, type)
    }

    /// Whether these slots, of which none is null, are all that the zone was made of.
    func isExact(for slots: SlotBitmap) -> Bool {
        slots.count == LeafHeader(leaf).count - Int(leaf.leafField(LeafLayout.nullCount, UInt16.self))
    }
}

// MARK: - Integers

struct IntegerFold: ColumnFold {
    let aggregate: Aggregate
    private var count = 0
    private var sum: Int128 = 0
    private var best: Int64?

    init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    var result: Value {
        switch aggregate {
        case .count: .int(Int64(count))
        case .sum: .int(Int64(truncatingIfNeeded: sum))
        case .average: count == 0 ? .null : .double(Double(sum) / Double(count))
        case .minimum, .maximum: best.map { .int($0) } ?? .null
        }
    }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap) {
        switch aggregate {
        case .count: count += slots.count
        case .sum, .average:
            let present = slots.count
            count += present
            sum += LeafSum.integers(leaf, slots, count: present)
        case .minimum, .maximum:
            if isOutdone(leaf) { return }
            if let zone = StoredZone(leaf), zone.isExact(for: slots) {
                best = zone.extreme(aggregate, Int64.self)
                return
            }
            let values = IntegerLeaf(leaf)
            slots.forEach { consider(values.value($0)) }
        }
    }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: PresentSlots) {
        if isOutdone(leaf) { return }
        switch aggregate {
        case .count: slots.forEach { _ in count += 1 }
        case .sum, .average: addSum(leaf, slots)
        case .minimum, .maximum:
            let values = IntegerLeaf(leaf)
            slots.forEach { consider(values.value($0)) }
        }
    }

    /// Whether no value of the leaf can be better than the extreme found so far.
    @inline(__always)
    private func isOutdone(_ leaf: UnsafeRawPointer) -> Bool {
        guard let best, let zone = StoredZone(leaf) else { return false }
        return !isBetter(zone.extreme(aggregate, Int64.self), than: best)
    }

    @inline(__always)
    private mutating func consider(_ value: Int64) {
        if let best, !isBetter(value, than: best) { return }
        best = value
    }

    @inline(__always)
    private func isBetter(_ value: Int64, than other: Int64) -> Bool {
        aggregate == .minimum ? value < other : value > other
    }

    private mutating func addSum(_ leaf: UnsafeRawPointer, _ slots: PresentSlots) {
        let payload = slots.header.payload
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        var (present, total, high) = (0, UInt64(0), Int64(0))
        switch leaf.leafField(LeafLayout.width, UInt8.self) {
        case 1:
            slots.forEach {
                present &+= 1
                total &+= UInt64(payload.leafField($0, UInt8.self))
            }
        case 2:
            slots.forEach {
                present &+= 1
                total &+= UInt64(payload.leafField($0 &* 2, UInt16.self))
            }
        case 4:
            slots.forEach {
                present &+= 1
                total &+= UInt64(payload.leafField($0 &* 4, UInt32.self))
            }
        case 8:
            // Halves, so that no sum overflows its 64 bits.
            slots.forEach {
                present &+= 1
                let value = minimum &+ payload.leafField($0 &* 8, Int64.self)
                total &+= UInt64(value & 0xFFFF_FFFF)
                high &+= value >> 32
            }
            count += present
            sum += Int128(high) << 32 + Int128(total)
            return
        default: slots.forEach { _ in present &+= 1 }
        }
        count += present
        sum += Int128(minimum) * Int128(present) + Int128(total)
    }
}

// MARK: - Floats and doubles

/// The minimum and the maximum skip NaN.
struct DoubleFold: ColumnFold {
    let aggregate: Aggregate
    let isDouble: Bool
    private var count = 0
    private var lanes = SIMD8<Double>.zero
    private var best: Double?

    init(_ aggregate: Aggregate, isDouble: Bool) {
        self.aggregate = aggregate
        self.isDouble = isDouble
    }

    private var sum: Double {
        let four = lanes.lowHalf + lanes.highHalf
        return (four[0] + four[1]) + (four[2] + four[3])
    }

    var result: Value {
        switch aggregate {
        case .count: .int(Int64(count))
        case .sum: .double(sum)
        case .average: count == 0 ? .null : .double(sum / Double(count))
        case .minimum, .maximum: best.map { isDouble ? .double($0) : .float(Float($0)) } ?? .null
        }
    }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap) {
        switch aggregate {
        case .count: count += slots.count
        case .sum, .average:
            count += slots.count
            if isDouble { LeafSum.doubles(leaf, slots, &lanes) } else { LeafSum.floats(leaf, slots, &lanes) }
        case .minimum, .maximum:
            if isOutdone(leaf) { return }
            if let zone = StoredZone(leaf), zone.isExact(for: slots) {
                best = zone.extreme(aggregate, Double.self)
                return
            }
            if isDouble {
                slots.forEach { consider(DoubleLeaf(leaf).value($0)) }
            } else {
                slots.forEach { consider(Double(FloatLeaf(leaf).value($0))) }
            }
        }
    }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: PresentSlots) {
        if isOutdone(leaf) { return }
        if isDouble {
            add(slots) { DoubleLeaf(leaf).value($0) }
        } else {
            add(slots) { Double(FloatLeaf(leaf).value($0)) }
        }
    }

    @inline(__always)
    private mutating func add(_ slots: PresentSlots, _ value: (Int) -> Double) {
        switch aggregate {
        case .count: slots.forEach { _ in count += 1 }
        case .sum, .average:
            // There are two sums, so that an addition need not wait for the one before it.
            var (present, one, other) = (0, 0.0, 0.0)
            slots.forEach {
                present &+= 1
                (one, other) = (other, one + value($0))
            }
            count += present
            lanes[0] += one
            lanes[1] += other
        case .minimum, .maximum: slots.forEach { consider(value($0)) }
        }
    }

    /// Whether no value of the leaf can be better than the extreme found so far.
    @inline(__always)
    private func isOutdone(_ leaf: UnsafeRawPointer) -> Bool {
        guard let best, let zone = StoredZone(leaf) else { return false }
        return !isBetter(zone.extreme(aggregate, Double.self), than: best)
    }

    @inline(__always)
    private mutating func consider(_ value: Double) {
        if value.isNaN { return }
        if let best, !isBetter(value, than: best) { return }
        best = value
    }

    @inline(__always)
    private func isBetter(_ value: Double, than other: Double) -> Bool {
        aggregate == .minimum ? value < other : value > other
    }
}

// MARK: - Dates

/// Only the count, the minimum and the maximum; dates have no sum.
struct DateFold: ColumnFold {
    let aggregate: Aggregate
    private var count = 0
    private var best: Timestamp?

    init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    var result: Value { aggregate == .count ? .int(Int64(count)) : best.map { .timestamp($0) } ?? .null }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap) {
        guard aggregate != .count else {
            count += slots.count
            return
        }
        if let zone = StoredZone(leaf), let best {
            let seconds = zone.extreme(aggregate, Int64.self)
            // If the seconds are equal, the nanoseconds decide.
            if aggregate == .minimum ? seconds > best.seconds : seconds < best.seconds { return }
        }
        slots.forEach { consider(leaf, $0) }
    }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: PresentSlots) {
        slots.forEach { slot in
            if aggregate == .count { count += 1 } else { consider(leaf, slot) }
        }
    }

    @inline(__always)
    private mutating func consider(_ leaf: UnsafeRawPointer, _ slot: Int) {
        let seconds = TimestampLeaf(leaf).seconds(slot)
        if let best, aggregate == .minimum ? seconds > best.seconds : seconds < best.seconds { return }
        let value = Timestamp(seconds: seconds, nanoseconds: TimestampLeaf(leaf).nanoseconds(slot))
        if let best, aggregate == .minimum ? !(value < best) : !(best < value) { return }
        best = value
    }
}

// MARK: - Decimals

/// Decimals are added in the order they come, each sum rounded.
struct DecimalFold: ColumnFold {
    let aggregate: Aggregate
    private var count = 0
    private var sum = DecimalNumber.zero
    private var best: DecimalNumber?

    init(_ aggregate: Aggregate) {
        self.aggregate = aggregate
    }

    var result: Value {
        switch aggregate {
        case .count: .int(Int64(count))
        case .sum: .decimal(sum)
        case .average: count == 0 ? .null : .decimal(sum / DecimalNumber(Int64(count)))
        case .minimum, .maximum: best.map { .decimal($0) } ?? .null
        }
    }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: SlotBitmap) {
        slots.forEach { add(DecimalTest.number(leaf, $0)) }
    }

    mutating func add(_ leaf: UnsafeRawPointer, _ slots: PresentSlots) {
        slots.forEach { add(DecimalTest.number(leaf, $0)) }
    }

    private mutating func add(_ number: DecimalNumber) {
        count += 1
        switch aggregate {
        case .count: break
        case .sum, .average: sum = sum + number
        case .minimum: if !number.isNaN, best.map({ number < $0 }) ?? true { best = number }
        case .maximum: if !number.isNaN, best.map({ number > $0 }) ?? true { best = number }
        }
    }
}
