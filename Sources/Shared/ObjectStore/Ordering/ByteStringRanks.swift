import CausewayQuery

/// Sorts byte strings, eight bytes at a time. The first eight are a number that tells most values apart. Values that
/// share it are compared by the next eight.
struct ByteStringRanks {
    private let entries: UnsafeBufferPointer<ByteStringCodes.Entry>
    private var order: [UInt32]
    /// By position in the order: whether the value differs from the one before.
    private var differs: [Bool]
    /// Ranges of values that agree in all bytes before `depth`, and reach to it.
    private var open: [(range: Range<Int>, depth: Int)] = []

    /// The rank of each value by its code: a smaller value has a smaller rank, equal values have equal ranks.
    static func ranks(_ codes: ByteStringCodes) -> [UInt32] {
        withExtendedLifetime(codes) {
            var ranks = ByteStringRanks(codes.entries)
            ranks.sort()
            return ranks.result
        }
    }

    private init(_ entries: UnsafeBufferPointer<ByteStringCodes.Entry>) {
        self.entries = entries
        order = Array(0..<UInt32(truncatingIfNeeded: entries.count))
        differs = Array(repeating: false, count: entries.count)
    }

    private var result: [UInt32] {
        var ranks = [UInt32](repeating: 0, count: entries.count)
        var rank: UInt32 = 0
        for (position, code) in order.enumerated() {
            if differs[position], position > 0 { rank += 1 }
            ranks[Int(code)] = rank
        }
        return ranks
    }

    private mutating func sort() {
        open = [(0..<entries.count, 0)]
        while let (range, depth) = open.popLast() {
            if range.isEmpty { continue }
            differs[range.lowerBound] = true
            if range.count > Self.fewest { sortByWord(range, depth) } else { sortByComparing(range) }
        }
    }

    /// Up to this many values, comparing them costs less than making numbers of them.
    private static let fewest = 32

    private mutating func sortByComparing(_ range: Range<Int>) {
        for position in range.dropFirst() {
            let value = order[position]
            let bytes = entries[Int(value)].bytes
            var place = position
            while place > range.lowerBound, StringMatcher.order(entries[Int(order[place - 1])].bytes, bytes) > 0 {
                order[place] = order[place - 1]
                place -= 1
            }
            order[place] = value
        }
        for position in range.dropFirst() {
            let (before, value) = (entries[Int(order[position - 1])], entries[Int(order[position])])
            differs[position] = StringMatcher.order(before.bytes, value.bytes) != 0
        }
    }

    private mutating func sortByWord(_ range: Range<Int>, _ depth: Int) {
        let values = range.count < Self.mostToCompare ? compared(range, depth) : counted(range, depth)
        var start = 0
        while start < values.count {
            var end = start + 1
            while end < values.count, values[end].word == values[start].word { end += 1 }
            if end - start == 1 {
                order[range.lowerBound + start] = values[start].code
                differs[range.lowerBound + start] = true
            } else {
                place(values[start..<end], at: range.lowerBound + start, depth + 8)
            }
            start = end
        }
    }

    /// Up to this many words, comparing them costs less than counting their digits.
    private static let mostToCompare = 2048

    private func compared(_ range: Range<Int>, _ depth: Int) -> [(word: UInt64, code: UInt32)] {
        var values = order[range].map { (word: entries[Int($0)].word(depth), code: $0) }
        values.sort { $0.word < $1.word }
        return values
    }

    private func counted(_ range: Range<Int>, _ depth: Int) -> [(word: UInt64, code: UInt32)] {
        let words = order[range].map { entries[Int($0)].word(depth) }
        let columns = SortCodes(words).map { [$0] } ?? []
        if columns.isEmpty { return zip(words, order[range]).map { (word: $0, code: $1) } }
        return RadixSort.entries(columns).map { entry in
            let position = RadixSort.position(entry)
            return (word: words[position], code: order[range.lowerBound + position])
        }
    }

    /// Puts values that agree up to `depth` in their place: those that end before it first, shorter ones before longer.
    private mutating func place(_ values: ArraySlice<(word: UInt64, code: UInt32)>, at first: Int, _ depth: Int) {
        var ended: [(count: Int, value: UInt32)] = []
        var position = first + values.count
        for value in values.reversed() {
            let count = entries[Int(value.code)].count
            if count <= depth {
                ended.append((count, value.code))
            } else {
                position -= 1
                order[position] = value.code
            }
        }
        open.append((position..<first + values.count, depth))
        if ended.count > 1 { ended.sort { $0.count < $1.count } }
        for (index, value) in ended.enumerated() {
            order[first + index] = value.value
            differs[first + index] = index == 0 || ended[index - 1].count != value.count
        }
    }
}

extension ByteStringCodes.Entry {
    /// The eight bytes from an offset, as a number that orders as they do; bytes behind the end are zero.
    fileprivate func word(_ offset: Int) -> UInt64 {
        if offset + 8 <= count {
            return UInt64(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var word: UInt64 = 0
        for index in offset..<max(count, offset) {
            word |= UInt64(start.load(fromByteOffset: index, as: UInt8.self)) << UInt64(56 - 8 * (index - offset))
        }
        return word
    }
}
