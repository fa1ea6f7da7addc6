/// The pins of one process that share a range: the number of pins on each transaction, ascending by transaction.
struct RangePins {
    private var pinned: [(transaction: UInt64, count: Int)] = []

    var lowest: UInt64? { pinned.first?.transaction }
    var highest: UInt64? { pinned.last?.transaction }

    /// Adds a pin. Transactions are pinned when they are the newest, so the place is nearly always at the end.
    mutating func add(_ transaction: UInt64) {
        let place = place(of: transaction)
        if place < pinned.count, pinned[place].transaction == transaction {
            pinned[place].count += 1
        } else {
            pinned.insert((transaction, 1), at: place)
        }
    }

    /// - Complexity: O(log n), and O(n) when it removes the last pin on its transaction.
    mutating func remove(_ transaction: UInt64) {
        let place = place(of: transaction)
        precondition(
            place < pinned.count && pinned[place].transaction == transaction, "what is unpinned was pinned, and once")
        pinned[place].count -= 1
        if pinned[place].count == 0 { pinned.remove(at: place) }
    }

    /// The index of the transaction, or the index where it would be inserted.
    private func place(of transaction: UInt64) -> Int {
        if let highest, highest < transaction { return pinned.count }
        var low = 0
        var high = pinned.count
        while low < high {
            let middle = (low + high) / 2
            if pinned[middle].transaction < transaction { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
