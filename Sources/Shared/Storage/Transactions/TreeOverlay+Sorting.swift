extension TreeOverlay {
    /// Below this many changes, a radix sort costs more than comparing keys.
    private static let distributedCount = 512

    /// The changes in key order. Changes of one key stay in the order made.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        if entries.count < distributedCount {
            var sorted = entries
            sorted.sort(by: isBefore)
            return sorted
        }
        return distributed(entries)
    }

    private static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        let order = Entry.order(left, right)
        return order == 0 ? left.sequence < right.sequence : order < 0
    }

    // MARK: - Many changes

    // The keys of one tree have a long common prefix: the same tag, often the same text. The eight bytes behind it
    // distinguish most of them. A radix sort orders the changes by these bytes without comparing keys, the last byte
    // first; it skips bytes that are equal in all changes. Changes with equal eight bytes stay in the order made. For
    // an index that is the order of object keys, which is the order wanted. Where it is not, they are compared.

    private struct Item {
        var word: UInt64
        var index: UInt32
    }

    private static func distributed(_ entries: [Entry]) -> [Entry] {
        let shared = sharedCount(entries)
        var items = entries.indices.map { Item(word: word(entries[$0].key, at: shared), index: UInt32($0)) }
        let first = items[0].word
        let differing = items.reduce(into: UInt64(0)) { $0 |= $1.word ^ first }
        var spare = items
        for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
            distribute(items, by: shift, into: &spare)
            swap(&items, &spare)
        }
        var sorted = items.map { entries[Int($0.index)] }
        orderEqualWords(items, &sorted)
        return sorted
    }

    /// How many first bytes all keys share.
    private static func sharedCount(_ entries: [Entry]) -> Int {
        let first = entries[0].key
        var shared = first.count
        for entry in entries {
            let key = entry.key
            shared = min(shared, key.count)
            var position = 0
            while position < shared, key[position] == first[position] { position &+= 1 }
            shared = position
        }
        return shared
    }

    /// Eight bytes of a key as a number, zero-filled.
    private static func word(_ key: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
        prefix(UnsafeRawBufferPointer(rebasing: key[position...]))
    }

    private static func distribute(_ items: [Item], by shift: UInt64, into result: inout [Item]) {
        var places = [Int](repeating: 0, count: 256)
        items.withUnsafeBufferPointer { items in
            result.withUnsafeMutableBufferPointer { result in
                places.withUnsafeMutableBufferPointer { places in
                    for item in items { places[Int(item.word >> shift & 0xFF)] &+= 1 }
                    var start = 0
                    for byte in 0..<256 { (places[byte], start) = (start, start &+ places[byte]) }
                    for item in items {
                        let byte = Int(item.word >> shift & 0xFF)
                        result[places[byte]] = item
                        places[byte] &+= 1
                    }
                }
            }
        }
    }

    private static func orderEqualWords(_ items: [Item], _ entries: inout [Entry]) {
        var start = 0
        while start < items.count {
            var end = start + 1
            var isOrdered = true
            while end < items.count, items[end].word == items[start].word {
                if Entry.order(entries[end - 1], entries[end]) > 0 { isOrdered = false }
                end += 1
            }
            if !isOrdered { entries[start..<end].sort(by: isBefore) }
            start = end
        }
    }
}
