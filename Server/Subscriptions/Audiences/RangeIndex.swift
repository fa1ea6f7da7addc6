/// Ranges of values, and which of them a value is in.
///
/// The ranges are sorted by their beginnings. They are read as a balanced tree in which each node knows the last end
/// below it, so that a look-up visits what it finds and about log n more.
struct RangeIndex {
    private var entries: [Entry] = []
    /// For the node in the middle of a part of `entries`: the last end in this part.
    private var lastEnds: [OrderedValue] = []
    private var isSorted = true
    /// The numbers whose ranges go at the next `prepare`.
    private var removed: Set<Int> = []

    private struct Entry {
        var range: RangeOfValues
        var number: Int
    }

    mutating func insert(_ range: RangeOfValues, _ number: Int) {
        if removed.contains(number) { dropRemoved() }
        entries.append(Entry(range: range, number: number))
        isSorted = false
    }

    /// Removes all ranges of a number.
    mutating func remove(_ number: Int) {
        removed.insert(number)
        isSorted = false
    }

    private mutating func dropRemoved() {
        guard !removed.isEmpty else { return }
        entries.removeAll { removed.contains($0.number) }
        removed = []
    }

    /// Call it before a look-up when something was inserted or removed.
    ///
    /// - Complexity: O(*n* log *n*) after a change, else O(1).
    mutating func prepare() {
        guard !isSorted else { return }
        dropRemoved()
        entries.sort { $0.range.first < $1.range.first }
        lastEnds = entries.map(\.range.last)
        _ = noteLastEnds(0..<entries.count)
        isSorted = true
    }

    private mutating func noteLastEnds(_ part: Range<Int>) -> OrderedValue {
        guard let middle = part.middle else { return .lowest }
        let below = max(noteLastEnds(part.lowerBound..<middle), noteLastEnds(middle + 1..<part.upperBound))
        lastEnds[middle] = max(lastEnds[middle], below)
        return lastEnds[middle]
    }

    /// The numbers of the ranges that a value is in. A number that was inserted with several ranges may come several
    /// times.
    func forEach(at value: OrderedValue, _ body: (Int) -> Void) {
        precondition(isSorted, "The ranges were not prepared.")
        forEach(in: 0..<entries.count, at: value, body)
    }

    private func forEach(in part: Range<Int>, at value: OrderedValue, _ body: (Int) -> Void) {
        guard let middle = part.middle, lastEnds[middle] >= value else { return }
        forEach(in: part.lowerBound..<middle, at: value, body)
        let entry = entries[middle]
        guard entry.range.first <= value else { return }
        if entry.range.last >= value { body(entry.number) }
        forEach(in: middle + 1..<part.upperBound, at: value, body)
    }
}

extension Range<Int> {
    fileprivate var middle: Int? { isEmpty ? nil : lowerBound + count / 2 }
}
