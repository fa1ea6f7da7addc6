import CausewayModel
import CausewayQuery

/// Finds the first row of each combination of values.
///
/// Values are compared as the elements of a set (`SetElement`): null equals null, -0.0 equals 0.0, and strings are
/// equal if their bytes are. But NaN differs from everything.
struct DistinctRows {
    /// A code for each row, equal for equal combinations of the columns added so far; nil before the first.
    private var codes: SortCodes?
    /// Rows with a NaN, each unlike all others.
    private var unlike: Set<UInt32> = []
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    // MARK: - Adding

    mutating func add(_ column: Int, of table: Table, _ keys: [ObjectKey], _ type: PropertyType) {
        switch type {
        case .string, .data:
            let strings = ByteStringCodes(mayGiveUp: false)
            add(strings.numbers(of: table, column, keys))
        case .mixed: add(MixedCodes.equal(of: table, column, keys))
        case .object:
            add(OrderedNumbers(.integer, of: table, column, keys))
        default:
            for part in OrderedNumbers.parts(of: type) { add(OrderedNumbers(part, of: table, column, keys)) }
        }
    }

    private mutating func add(_ column: consuming OrderedNumbers) {
        unlike.formUnion(column.notNumbers)
        for next in SortCodes.codes(consume column, ascending: true) {
            codes = codes?.combined(with: next) ?? next
        }
    }

    // MARK: - Asking

    /// Visits the first row of each combination, in order.
    func forEachFirst(_ body: (Int) -> Void) {
        guard let codes else {
            // All rows are equal, but for those that equal nothing.
            for row in 0..<count where row == 0 || isUnlike(row) { body(row) }
            return
        }
        if unlike.isEmpty {
            codes.forEachFirst(besides: { _ in false }, body)
        } else {
            codes.forEachFirst(besides: isUnlike, body)
        }
    }

    private func isUnlike(_ row: Int) -> Bool { unlike.contains(UInt32(truncatingIfNeeded: row)) }
}

extension SortCodes {
    /// One code for two, equal for equal pairs. They are numbered anew only where 64 bits cannot hold both.
    fileprivate func combined(with other: SortCodes) -> SortCodes {
        let left = bits + other.bits > UInt64.bitWidth && bits > 32 ? numbered : self
        let right = left.bits + other.bits > UInt64.bitWidth ? other.numbered : other
        return SortCodes.merged([left, right])[0]
    }

    /// Equal codes become equal numbers below the count of rows.
    private var numbered: SortCodes {
        var numbers = CodeNumbers()
        let dense = codes.map { UInt64(numbers.number($0).number) }
        return SortCodes(dense, bits: UInt64.bitWidth - UInt64(numbers.count).leadingZeroBitCount)
    }

    @inline(__always)
    fileprivate func forEachFirst(besides isUnlike: (Int) -> Bool, _ body: (Int) -> Void) {
        codes.withUnsafeBufferPointer { codes in
            guard bits < 40, 1 << bits <= max(codes.count * 32, 4096) else {
                var numbers = CodeNumbers()
                for row in codes.indices where isUnlike(row) || numbers.number(codes[row]).isNew { body(row) }
                return
            }
            var seen = [UInt64](repeating: 0, count: ((1 << bits) + 63) / 64)
            seen.withUnsafeMutableBufferPointer { seen in
                for row in codes.indices {
                    let word = Int(truncatingIfNeeded: codes[row] >> 6)
                    let bit = UInt64(1) << (codes[row] & 63)
                    if isUnlike(row) {
                        body(row)
                    } else if seen[word] & bit == 0 {
                        seen[word] |= bit
                        body(row)
                    }
                }
            }
        }
    }
}

/// A hash table that numbers 64-bit codes in the order in which they are met.
private struct CodeNumbers {
    private var codes: [UInt64] = []
    /// Number + 1, or 0. Begins small: few codes may be distinct, and a small table stays in the cache.
    private var places = [UInt32](repeating: 0, count: 4096)
    private var shift: UInt64 = 52

    var count: Int { codes.count }

    mutating func number(_ code: UInt64) -> (number: UInt32, isNew: Bool) {
        var place = place(of: code)
        while places[place] != 0 {
            let number = places[place] - 1
            if codes[Int(number)] == code { return (number, false) }
            place = (place + 1) & (places.count - 1)
        }
        codes.append(code)
        places[place] = UInt32(truncatingIfNeeded: codes.count)
        if codes.count * 2 > places.count { grow() }
        return (UInt32(truncatingIfNeeded: codes.count - 1), true)
    }

    private func place(of code: UInt64) -> Int {
        let mixed = (code ^ seed ^ code >> 32) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: ((mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9) >> shift)
    }

    private mutating func grow() {
        places = Array(repeating: 0, count: places.count * 4)
        shift -= 2
        for (number, code) in codes.enumerated() {
            var place = place(of: code)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(truncatingIfNeeded: number + 1)
        }
    }

    private let seed = UInt64(truncatingIfNeeded: Hasher().finalize())
}
