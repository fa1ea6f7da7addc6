/// Which properties of a class, by the number of their column.
package struct PropertyNumbers: Hashable, Sendable {
    private var low: UInt64 = 0
    /// Columns from 64 on, which few classes have; nil where there are none, so that a copy costs nothing.
    private var high: [UInt64]?

    package init() {}

    /// - Parameter word: the columns below 64, each a bit.
    package init(word: UInt64) {
        low = word
    }

    package init(words: [UInt64]) {
        low = words.first ?? 0
        setHigh(Array(words.dropFirst()))
    }

    package var words: [UInt64] {
        isEmpty ? [] : [low] + (high ?? [])
    }

    package var isEmpty: Bool {
        low == 0 && high == nil
    }

    package func contains(_ column: Int) -> Bool {
        if column < 64 { return low & (1 << UInt64(column)) != 0 }
        let word = column / 64 - 1
        guard let high, word < high.count else { return false }
        return high[word] & (1 << UInt64(column % 64)) != 0
    }

    package mutating func insert(_ column: Int) {
        if column < 64 {
            low |= 1 << UInt64(column)
            return
        }
        let word = column / 64 - 1
        var words = high ?? []
        high = nil
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(column % 64)
        high = words
    }

    package mutating func remove(_ column: Int) {
        if column < 64 {
            low &= ~(1 << UInt64(column))
        } else if var words = high, column / 64 - 1 < words.count {
            words[column / 64 - 1] &= ~(1 << UInt64(column % 64))
            setHigh(words)
        }
    }

    package mutating func subtract(_ other: PropertyNumbers) {
        low &= ~other.low
        guard var words = high, let others = other.high else { return }
        for (index, word) in others.prefix(words.count).enumerated() { words[index] &= ~word }
        setHigh(words)
    }

    package mutating func formUnion(_ other: PropertyNumbers) {
        low |= other.low
        guard let others = other.high else { return }
        var words = high ?? []
        while words.count < others.count { words.append(0) }
        for (index, word) in others.enumerated() { words[index] |= word }
        high = words
    }

    /// Equal sets are equal values, whatever was inserted in which order.
    private mutating func setHigh(_ words: [UInt64]) {
        var words = words
        while words.last == 0 { words.removeLast() }
        high = words.isEmpty ? nil : words
    }
}
