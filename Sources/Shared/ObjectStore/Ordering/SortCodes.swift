/// Numbers below 2^bits, one for each row, that order rows as one sort key does, its direction included.
struct SortCodes {
    var codes: [UInt64]
    var bits: Int

    init(_ codes: [UInt64], greatest: UInt64) {
        self.codes = codes
        bits = UInt64.bitWidth - greatest.leadingZeroBitCount
    }

    /// Null comes first ascending and last descending. Empty when all rows are equal.
    static func codes(_ column: consuming OrderedNumbers, ascending: Bool) -> [SortCodes] {
        guard column.least <= column.greatest else { return [] }
        let (least, nulls) = (column.least, column.nulls)
        let range = column.greatest - least
        let numbers = (consume column).numbers
        guard !nulls.isEmpty else {
            return range == 0 ? [] : [SortCodes(consume numbers, below: least, range, 0, ascending)]
        }
        guard range == .max else {
            var codes = SortCodes(consume numbers, below: least, range, 1, ascending)
            for null in nulls { codes.codes[Int(null)] = ascending ? 0 : range + 1 }
            return [codes]
        }
        // All 2^64 numbers may occur, so null has no room among them and is a code of its own.
        var presence = [UInt64](repeating: ascending ? 1 : 0, count: numbers.count)
        var codes = SortCodes(consume numbers, below: least, range, 0, ascending)
        for null in nulls {
            presence[Int(null)] = ascending ? 0 : 1
            codes.codes[Int(null)] = 0
        }
        return [SortCodes(presence, greatest: 1), codes]
    }

    private init(
        _ numbers: consuming [UInt64], below least: UInt64, _ range: UInt64, _ first: UInt64, _ ascending: Bool
    ) {
        var codes = consume numbers
        let last = range &+ first
        let offset = first &- least
        codes.withUnsafeMutableBufferPointer { codes in
            for index in codes.indices {
                let code = codes[index] &+ offset
                codes[index] = ascending ? code : last &- code
            }
        }
        self.init(codes, greatest: last)
    }

    /// The same order in fewer columns: neighbours become one as long as their bits fit 64.
    static func merged(_ columns: [SortCodes]) -> [SortCodes] {
        var merged: [SortCodes] = []
        for column in columns {
            guard let bits = merged.last?.bits, bits + column.bits <= UInt64.bitWidth else {
                merged.append(column)
                continue
            }
            let shift = UInt64(column.bits)
            var codes = merged.removeLast().codes
            for index in codes.indices { codes[index] = codes[index] << shift | column.codes[index] }
            merged.append(SortCodes(codes, bits: bits + column.bits))
        }
        return merged
    }

    init(_ codes: [UInt64], bits: Int) {
        self.codes = codes
        self.bits = bits
    }
}

extension SortCodes {
    /// The codes of numbers, ascending; nil when all are equal.
    init?(_ numbers: [UInt64]) {
        guard let least = numbers.min(), let greatest = numbers.max(), least < greatest else { return nil }
        self.init(numbers, below: least, greatest - least, 0, true)
    }
}
