/// The changes of one transaction to one tree, not yet written.
///
/// Changes are only appended to a log until somebody reads them: bulk writing without reads costs one append a change,
/// and one sort at commit. The first `get` builds a hash table over the log, which later changes extend. The first scan
/// sorts the log into runs. Runs of similar size are merged, so reads between writes cost O(log n) merges a change and
/// never a full sort.
package final class TreeOverlay {
    /// One change. Its bytes lie in the arena: tree number, key and value, one behind the other.
    package struct Entry {
        let start: UnsafeRawPointer
        /// The first eight bytes of the key as a number, zero-filled. It decides most comparisons.
        let prefix: UInt64
        let keyCount: Int32
        /// Negative for a removal.
        let valueCount: Int32
        /// The position in the log. Of two changes to one key, the later counts.
        let sequence: UInt32

        /// - Parameter valueCount: nil for a removal.
        init(start: UnsafeRawPointer, keyCount: Int, valueCount: Int?, sequence: UInt32) {
            self.start = start
            self.keyCount = Int32(keyCount)
            self.valueCount = valueCount.map { Int32($0) } ?? -1
            self.sequence = sequence
            prefix = TreeOverlay.prefix(UnsafeRawBufferPointer(start: start + 4, count: keyCount))
        }

        /// The same change with its bytes elsewhere.
        func moved(to start: UnsafeRawPointer) -> Entry {
            Entry(start: start, keyCount: Int(keyCount), valueCount: isRemoval ? nil : Int(valueCount), sequence: 0)
        }

        package var isRemoval: Bool { valueCount < 0 }
        package var key: UnsafeRawBufferPointer { .init(start: start + 4, count: Int(keyCount)) }
        /// The key with its tree number in front, big-endian: the form in which it is stored.
        package var fullKey: UnsafeRawBufferPointer { .init(start: start, count: Int(keyCount) + 4) }
        package var value: UnsafeRawBufferPointer {
            .init(start: start + 4 + Int(keyCount), count: Int(max(valueCount, 0)))
        }

        @inline(__always)
        static func order(_ left: Entry, _ right: Entry) -> Int {
            if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
            if left.keyCount <= 8 || right.keyCount <= 8 { return Int(left.keyCount) &- Int(right.keyCount) }
            return bytesOrder(
                UnsafeRawBufferPointer(start: left.start + 12, count: Int(left.keyCount) &- 8),
                UnsafeRawBufferPointer(start: right.start + 12, count: Int(right.keyCount) &- 8))
        }
    }

    let tree: UInt32
    private let arena: ByteArena
    // Nothing here calls out, so accesses never overlap; checking them costs as much as appending a change.
    @exclusivity(unchecked) private var log: [Entry] = []
    @exclusivity(unchecked) private var runs: [[Entry]] = []
    @exclusivity(unchecked) private var sortedCount = 0
    @exclusivity(unchecked) private var table: EntryTable?

    init(tree: UInt32, arena: ByteArena) {
        self.tree = tree
        self.arena = arena
    }

    var isEmpty: Bool { log.isEmpty }
    /// How many changes were made: at least as many as there are keys.
    var count: Int { log.count }

    // MARK: - Changing

    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        append(key, value, valueCount: value.count)
    }

    func remove(_ key: UnsafeRawBufferPointer) {
        append(key, UnsafeRawBufferPointer(start: nil, count: 0), valueCount: nil)
    }

    private func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, valueCount: Int?) {
        let start = arena.allocate(4 + key.count + value.count)
        start.storeBytes(of: tree.bigEndian, as: UInt32.self)
        if let base = key.baseAddress { (start + 4).copyMemory(from: base, byteCount: key.count) }
        if let base = value.baseAddress { (start + 4 + key.count).copyMemory(from: base, byteCount: value.count) }
        let entry = Entry(
            start: start, keyCount: key.count, valueCount: valueCount, sequence: UInt32(log.count))
        log.append(entry)
        table?.insert(log, at: log.count - 1)
    }

    static func prefix(_ key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for (position, byte) in key.enumerated() { prefix |= UInt64(byte) << UInt64(56 - 8 * position) }
        return prefix
    }

    // MARK: - Reading

    /// The newest change to a key, if this transaction made one.
    func change(of key: UnsafeRawBufferPointer) -> Entry? {
        guard !log.isEmpty else { return nil }
        if table == nil {
            var table = EntryTable()
            for index in log.indices { table.insert(log, at: index) }
            self.table = table
        }
        return table?.find(key, in: log)
    }

    /// All changes in key order, the newest of each key: what a commit writes.
    func sorted() -> [Entry] {
        sortLog()
        while runs.count > 1 { mergeLastRuns() }
        return runs.first ?? []
    }

    /// A cursor over the changes in a range, in the order of a scan.
    func cursor(from: UnsafeRawBufferPointer, upTo: UnsafeRawBufferPointer?, reversed: Bool) -> OverlayCursor {
        sortLog()
        let slices = runs.map { run -> ArraySlice<Entry> in
            let start = Self.position(of: from, in: run)
            let end = upTo.map { Self.position(of: $0, in: run) } ?? run.count
            return start < end ? run[start..<end] : []
        }
        return OverlayCursor(runs: slices, reversed: reversed)
    }

    private static func position(of key: UnsafeRawBufferPointer, in run: [Entry]) -> Int {
        var low = 0
        var high = run.count
        while low < high {
            let middle = (low + high) / 2
            if bytesOrder(run[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: - Sorted runs

    private func sortLog() {
        guard sortedCount < log.count else { return }
        var fresh = sortedCount == 0 ? log : Array(log[sortedCount...])
        sortedCount = log.count
        if !Self.isAscending(fresh) {
            fresh = Self.newestOfEachKey(Self.sorted(fresh))
        }
        runs.append(fresh)
        while runs.count > 1, runs[runs.count - 2].count <= 2 * runs[runs.count - 1].count { mergeLastRuns() }
    }

    private static func isAscending(_ entries: [Entry]) -> Bool {
        for index in entries.indices.dropFirst() where Entry.order(entries[index - 1], entries[index]) >= 0 {
            return false
        }
        return true
    }

    private static func newestOfEachKey(_ entries: [Entry]) -> [Entry] {
        var result: [Entry] = []
        result.reserveCapacity(entries.count)
        for entry in entries {
            if let last = result.last, Entry.order(last, entry) == 0 {
                result[result.count - 1] = entry
            } else {
                result.append(entry)
            }
        }
        return result
    }

    private func mergeLastRuns() {
        let newer = runs.removeLast()
        let older = runs.removeLast()
        runs.append(Entry.merged(older, newer, Entry.order))
    }
}

extension TreeOverlay.Entry {
    /// Two ascending lists as one. Of two changes to one key, the newer list's stays.
    static func merged(_ older: [Self], _ newer: [Self], _ order: (Self, Self) -> Int) -> [Self] {
        var merged: [Self] = []
        merged.reserveCapacity(older.count + newer.count)
        var olderIndex = 0
        var newerIndex = 0
        while olderIndex < older.count, newerIndex < newer.count {
            let order = order(older[olderIndex], newer[newerIndex])
            if order < 0 {
                merged.append(older[olderIndex])
                olderIndex += 1
            } else {
                merged.append(newer[newerIndex])
                newerIndex += 1
                if order == 0 { olderIndex += 1 }
            }
        }
        merged.append(contentsOf: older[olderIndex...])
        merged.append(contentsOf: newer[newerIndex...])
        return merged
    }

    /// The order of changes of several trees.
    static func orderAcrossTrees(_ left: Self, _ right: Self) -> Int {
        let (leftTree, rightTree) = (left.tree, right.tree)
        return leftTree == rightTree ? order(left, right) : leftTree < rightTree ? -1 : 1
    }

    var tree: UInt32 { UInt32(bigEndian: start.loadUnaligned(as: UInt32.self)) }
}

/// Merges the runs of an overlay, ascending or descending. Returns only the newest change of each key.
struct OverlayCursor {
    private var runs: [ArraySlice<TreeOverlay.Entry>]
    private let reversed: Bool
    private(set) var current: TreeOverlay.Entry?

    init(runs: [ArraySlice<TreeOverlay.Entry>], reversed: Bool) {
        self.runs = runs.filter { !$0.isEmpty }
        self.reversed = reversed
        advance()
    }

    mutating func advance() {
        var best: TreeOverlay.Entry?
        for run in runs {
            guard let head = reversed ? run.last : run.first else { continue }
            guard let leader = best else {
                best = head
                continue
            }
            let order = TreeOverlay.Entry.order(head, leader)
            // Later runs hold later changes.
            if order == 0 || (order < 0) != reversed { best = head }
        }
        current = best
        guard let best else { return }
        for index in runs.indices {
            guard let head = reversed ? runs[index].last : runs[index].first,
                TreeOverlay.Entry.order(head, best) == 0
            else { continue }
            if reversed { runs[index].removeLast() } else { runs[index].removeFirst() }
        }
    }
}

/// A scan of entries over which changes lie.
protocol ScanBelow {
    /// Visits the entries in order until `body` returns false. `value` reads the value; nil when it cannot be read.
    func visit(_ body: (_ key: UnsafeRawBufferPointer, _ value: () -> UnsafeRawBufferPointer?) -> Bool)
}

extension OverlayCursor {
    /// Visits what a scan finds with the changes over it, in the scan's order, until `body` returns false.
    ///
    /// - Parameter scan: has the same range and direction as the cursor.
    mutating func visit(
        over scan: some ScanBelow, _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        var isStopped = false
        scan.visit { key, value in
            while let change = current {
                let order = bytesOrder(change.key, key)
                if order != 0, (order < 0) == reversed { break }
                advance()
                if !change.isRemoval, !body(change.key, change.value) {
                    isStopped = true
                    return false
                }
                // The change replaces the entry of the same key below.
                if order == 0 { return true }
            }
            // What a change replaces is not read: it may be long, or damaged.
            guard let value = value() else { return true }
            isStopped = !body(key, value)
            return !isStopped
        }
        while !isStopped, let change = current {
            advance()
            if !change.isRemoval { isStopped = !body(change.key, change.value) }
        }
    }

    /// By how much the changes raise the number of entries below.
    ///
    /// - Parameter isBelow: whether a key is among the entries below.
    mutating func difference(_ isBelow: (UnsafeRawBufferPointer) -> Bool) -> Int {
        var difference = 0
        while let change = current {
            advance()
            let wasThere = isBelow(change.key)
            if wasThere, change.isRemoval { difference -= 1 }
            if !wasThere, !change.isRemoval { difference += 1 }
        }
        return difference
    }
}

/// An open-addressing table from keys to the newest entry of a log.
private struct EntryTable {
    /// Positions in the log, plus one; zero is free.
    private var slots: [UInt32] = Array(repeating: 0, count: 64)
    private var used = 0

    mutating func insert(_ log: [TreeOverlay.Entry], at index: Int) {
        if used * 2 >= slots.count { grow(log) }
        let key = log[index].key
        var slot = Int(truncatingIfNeeded: Self.hash(key)) & (slots.count - 1)
        while slots[slot] != 0 {
            if Self.equal(log[Int(slots[slot]) - 1].key, key) {
                slots[slot] = UInt32(index + 1)
                return
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = UInt32(index + 1)
        used += 1
    }

    func find(_ key: UnsafeRawBufferPointer, in log: [TreeOverlay.Entry]) -> TreeOverlay.Entry? {
        var slot = Int(truncatingIfNeeded: Self.hash(key)) & (slots.count - 1)
        while slots[slot] != 0 {
            let entry = log[Int(slots[slot]) - 1]
            if Self.equal(entry.key, key) { return entry }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func grow(_ log: [TreeOverlay.Entry]) {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for index in old where index != 0 {
            var slot = Int(truncatingIfNeeded: Self.hash(log[Int(index) - 1].key)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = index
        }
    }

    private static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        left.count == right.count && bytesOrder(left, right) == 0
    }

    /// Multiply and fold, eight bytes at a time, with a seed that differs between processes.
    private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var state = seed ^ UInt64(key.count)
        var position = 0
        while position &+ 8 <= key.count {
            state = mix(state ^ key.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position &+= 8
        }
        var tail: UInt64 = 0
        while position < key.count {
            tail = tail << 8 | UInt64(key[position])
            position &+= 1
        }
        return mix(state ^ tail)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private static let seed = UInt64.random(in: .min ... .max)
}
