import CausewayModel
import CausewayQuery

extension QueryPlan {
    /// The approximate cost of running it, in nanoseconds.
    var cost: Double { entrance?.cost ?? scanCost }

    /// All results, ascending.
    func keys() -> [ObjectKey] {
        var keys: [ObjectKey] = []
        if let entrance, entrance.rest == nil, entrance.isOrdered, entrance.areAlive {
            entrance.collect(&keys)
            return keys
        }
        let pieces = gathered(keys) { number, found, keys in
            let first = Int64(number * slotsPerLeaf)
            found.forEach { keys.append(ObjectKey(first + Int64($0))) }
        }
        guard pieces.count > 1 else { return pieces[0] }
        keys.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { keys += piece }
        return keys
    }

    /// The first results, ascending, at most `limit`; nil where they are not found without the others.
    func firstKeys(_ limit: Int) -> [ObjectKey]? {
        guard let entrance, entrance.rest == nil, entrance.areAlive, let first = entrance.first else { return nil }
        return Array(first(limit).prefix(limit))
    }

    /// All results, ascending; nil when there are more than `limit`.
    func keys(atMost limit: Int) -> [ObjectKey]? {
        if let entrance, entrance.rest == nil, entrance.rowCount > 4 * (limit + IntegerKeys.blockLimit) { return nil }
        let keys = keys()
        return keys.count <= limit ? keys : nil
    }

    func count() -> Int {
        if let entrance, entrance.rest == nil, let count = entrance.count { return count() }
        return gathered(0) { $2 += $1.count }.reduce(0, +)
    }

    /// Visits the rows of an entrance leaf by leaf, ascending, until the body answers false.
    func run(_ entrance: QueryEntrance, _ body: (_ number: Int, _ candidates: SlotBitmap) -> Bool) {
        var keys: [ObjectKey] = []
        entrance.collect(&keys)
        // Sorting costs more than a bit for each slot of the table, once several rows fall on one leaf.
        if keys.count > 4 * table.leafNumbers.upperBound { return runDense(keys, body) }
        if !entrance.isOrdered { keys.sort() }
        var index = 0
        while index < keys.count {
            let number = keys[index].leafNumber
            var candidates = SlotBitmap()
            while index < keys.count, keys[index].leafNumber == number {
                candidates.insert(keys[index].slot)
                index += 1
            }
            guard body(number, candidates.intersection(table.aliveWords(number))) else { return }
        }
    }

    private func runDense(_ keys: [ObjectKey], _ body: (_ number: Int, _ candidates: SlotBitmap) -> Bool) {
        var words = [UInt64](repeating: 0, count: table.leafNumbers.upperBound * wordsPerLeaf)
        words.withUnsafeMutableBufferPointer { words in
            for key in keys {
                let slot = key.slot
                words[key.leafNumber &* wordsPerLeaf &+ (slot >> 6)] |= 1 << UInt64(slot & 63)
            }
        }
        for number in table.leafNumbers {
            var candidates = SlotBitmap()
            for word in 0..<wordsPerLeaf { candidates[word] = words[number &* wordsPerLeaf &+ word] }
            if candidates.isEmpty { continue }
            guard body(number, candidates.intersection(table.aliveWords(number))) else { return }
        }
    }
}
