/// What is to happen and when, in virtual milliseconds; what is due at the same time happens in the order it was asked for.
struct Agenda {
    struct Entry {
        let time: UInt64
        let number: UInt64
        let body: () throws -> Void

        fileprivate func precedes(_ other: Entry) -> Bool {
            (time, number) < (other.time, other.number)
        }
    }

    /// A binary heap: the next entry is the first.
    private var entries: [Entry] = []
    private var added: UInt64 = 0

    var nextTime: UInt64? { entries.first?.time }

    mutating func add(at time: UInt64, _ body: @escaping () throws -> Void) {
        added += 1
        entries.append(Entry(time: time, number: added, body: body))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeNext(dueAt time: UInt64) -> Entry? {
        guard let first = entries.first, first.time <= time else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child].precedes(entries[least]) {
                least = child
            }
            if least == parent { return first }
            entries.swapAt(least, parent)
            parent = least
        }
    }
}
