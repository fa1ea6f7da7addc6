import CausewayModel

/// Leaf numbers as ascending ranges with gaps between them. Objects that come and go in the order of their age leave one
/// range, however many there were.
struct LeafRanges: Equatable {
    private(set) var ranges: [Range<Int>] = []
    /// How many numbers there are in all ranges.
    private(set) var count = 0

    var isEmpty: Bool { ranges.isEmpty }

    /// - Complexity: O(log n) in ranges.
    func contains(_ number: Int) -> Bool {
        let place = firstRange(endingAbove: number)
        return place < ranges.count && ranges[place].lowerBound <= number
    }

    /// The first range that ends above a number.
    func firstRange(endingAbove number: Int) -> Int {
        ranges.partitioningIndex { $0.upperBound > number }
    }

    /// - Complexity: O(n) in ranges.
    mutating func insert(_ number: Int) {
        let place = firstRange(endingAbove: number)
        if place < ranges.count, ranges[place].lowerBound <= number { return }
        count += 1
        let joinsBefore = place > 0 && ranges[place - 1].upperBound == number
        let joinsNext = place < ranges.count && ranges[place].lowerBound == number + 1
        switch (joinsBefore, joinsNext) {
        case (true, true):
            ranges[place - 1] = ranges[place - 1].lowerBound..<ranges[place].upperBound
            ranges.remove(at: place)
        case (true, false): ranges[place - 1] = ranges[place - 1].lowerBound..<number + 1
        case (false, true): ranges[place] = number..<ranges[place].upperBound
        case (false, false): ranges.insert(number..<number + 1, at: place)
        }
    }
}

// MARK: - Bytes

extension LeafRanges {
    /// For each range the gap before it and its length, as varints.
    var encoded: [UInt8] {
        var writer = RecordWriter()
        var end = 0
        for range in ranges {
            writer.write(range.lowerBound - end)
            writer.write(range.count)
            end = range.upperBound
        }
        return writer.bytes
    }

    /// - Parameter limit: Every number must be below it.
    init(encoded bytes: UnsafeRawBufferPointer, limit: Int) throws(RecordReader.Damage) {
        var reader = RecordReader(bytes)
        var end = 0
        while !reader.isAtEnd {
            let (gap, length) = (try reader.readInt(), try reader.readInt())
            guard gap <= limit - end, length > 0, length <= limit - end - gap, gap > 0 || ranges.isEmpty else {
                throw RecordReader.Damage()
            }
            ranges.append(end + gap..<end + gap + length)
            count += length
            end += gap + length
        }
    }
}

/// The numbers of a table's leaves that hold anything, ascending.
struct LiveLeaves: Sequence {
    private var lowerBound = 0
    /// No leaf has this number or a higher one.
    private(set) var upperBound: Int
    private let dead: LeafRanges

    init(upTo upperBound: Int, without dead: LeafRanges) {
        self.upperBound = upperBound
        self.dead = dead
    }

    /// How many there are.
    var count: Int { upperBound - lowerBound - dead.count }

    /// Those within a range.
    func within(_ range: Range<Int>) -> some Sequence<Int> {
        var result = self
        result.lowerBound = range.lowerBound
        result.upperBound = range.upperBound
        return result
    }

    struct Iterator: IteratorProtocol {
        private var number: Int
        private let end: Int
        private let dead: [Range<Int>]
        private var nextDead: Int

        fileprivate init(_ numbers: LiveLeaves) {
            number = numbers.lowerBound
            end = numbers.upperBound
            dead = numbers.dead.ranges
            nextDead = numbers.dead.firstRange(endingAbove: numbers.lowerBound)
        }

        mutating func next() -> Int? {
            if nextDead < dead.count, dead[nextDead].lowerBound <= number {
                number = Swift.max(number, dead[nextDead].upperBound)
                nextDead &+= 1
            }
            guard number < end else { return nil }
            defer { number &+= 1 }
            return number
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }
}
