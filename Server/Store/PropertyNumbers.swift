/// Which properties of a class, by the number of their column.
package struct PropertyNumbers: Hashable, Sendable {
    private var low: UInt64 = 0
    /// Columns from 64 on, which few classes have.
    private var high: [UInt64] = []

    package init() {}

    package init(words: [UInt64]) {
        low = words.first ?? 0
        high = Array(words.dropFirst())
        trim()
    }

    package var words: [UInt64] {
        isEmpty ? [] : [low] + high
    }

    package var isEmpty: Bool {
        low == 0 && high.isEmpty
    }

    package func contains(_ column: Int) -> Bool {
        if column < 64 { return low & (1 << UInt64(column)) != 0 }
        let word = column / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(column % 64)) != 0
    }

    package mutating func insert(_ column: Int) {
        if column < 64 {
            low |= 1 << UInt64(column)
            return
        }
        let word = column / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(column % 64)
    }

    package mutating func remove(_ column: Int) {
        if column < 64 {
            low &= ~(1 << UInt64(column))
        } else if column / 64 - 1 < high.count {
            high[column / 64 - 1] &= ~(1 << UInt64(column % 64))
            trim()
        }
    }

    package mutating func subtract(_ other: PropertyNumbers) {
        low &= ~other.low
        for (index, word) in other.high.prefix(high.count).enumerated() { high[index] &= ~word }
        trim()
    }

    package mutating func formUnion(_ other: PropertyNumbers) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for (index, word) in other.high.enumerated() { high[index] |= word }
    }

    /// Equal sets are equal values, whatever was inserted in which order.
    private mutating func trim() {
        while high.last == 0 { high.removeLast() }
    }
}
