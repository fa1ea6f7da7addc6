import CausewayModel
import CausewayQuery

/// Numbers the distinct values of a column of strings or data in the order in which they are met. Values stay bytes in
/// place: nothing becomes a `String`.
final class ByteStringCodes {
    /// A value. `head`, `tail` and the length are all of it, up to sixteen bytes.
    struct Entry {
        var head: UInt64
        var tail: UInt64
        var start: UnsafeRawPointer
        var count: Int
        var hash: UInt64 = 0

        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
    }

    // Read for every row; no call leads back into this object, so accesses never overlap.
    @exclusivity(unchecked) private var memory: UnsafeMutableBufferPointer<Entry>
    @exclusivity(unchecked) private var count = 0
    /// Places of a hash table: code + 1, or 0. A power of two of them, at most half of them used.
    @exclusivity(unchecked) private var places: UnsafeMutableBufferPointer<UInt32>
    /// Copies of values that may move while the codes are in use, freed with them.
    private var copies: [UnsafeMutableRawPointer] = []
    private let seed = UInt64(truncatingIfNeeded: Hasher().finalize())
    /// False once the search for equal values does not pay. From then on, equal values have codes of their own.
    @exclusivity(unchecked) private var areDistinct = true
    private let mayGiveUp: Bool
    private var rowsRead = 0

    /// - Parameter mayGiveUp: whether equal values may get different codes when nearly all values differ.
    init(mayGiveUp: Bool) {
        self.mayGiveUp = mayGiveUp
        memory = .allocate(capacity: 2048)
        places = .allocate(capacity: 4096)
        places.initialize(repeating: 0)
    }

    deinit {
        memory.deallocate()
        places.deallocate()
        for copy in copies { copy.deallocate() }
    }

    /// The values by their codes.
    var entries: UnsafeBufferPointer<Entry> { UnsafeBufferPointer(rebasing: memory[..<count]) }

    // MARK: - Rows

    /// The codes of a column's values for the keys, and the positions of nulls.
    func numbers(of table: Table, _ column: Int, _ keys: [ObjectKey]) -> OrderedNumbers {
        var nulls: [UInt32] = []
        let codes = [UInt64](unsafeUninitializedCapacity: keys.count) { codes, count in
            count = keys.count
            keys.withUnsafeBufferPointer { keys in
                KeyRun.forEach(in: keys) { run in
                    rowsRead = run.positions.upperBound
                    guard let leaf = table.leaf(column, of: run) else {
                        readWritten(table.columns[column], run, codes, &nulls)
                        return
                    }
                    let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
                    // A long run looks up each value of the leaf's dictionary only once.
                    if entries > 0, run.positions.count > entries / 2 {
                        readCoded(leaf, entries, run, codes, &nulls)
                    } else {
                        let strings = StringLeaf(leaf)
                        read(leaf, run, codes, &nulls) { code(strings.bytes($0)) }
                    }
                }
            }
        }
        return OrderedNumbers(codes: codes, nulls: nulls, limit: count)
    }

    private func readCoded(
        _ leaf: UnsafeRawPointer, _ entries: Int, _ run: KeyRun, _ codes: UnsafeMutableBufferPointer<UInt64>,
        _ nulls: inout [UInt32]
    ) {
        let strings = StringLeaf(leaf)
        let payload = LeafHeader(leaf).payload
        let width = leaf.leafField(LeafLayout.width, UInt8.self)
        // For each code of the leaf: code + 1, or 0. The last entry is for damaged codes, which read as an empty
        // string.
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: entries + 1) { known in
            known.initialize(repeating: 0)
            read(leaf, run, codes, &nulls) { slot in
                let local = Int(truncatingIfNeeded: IntegerLeaf.relative(payload, width, slot))
                let place = local >= 0 && local < entries ? local : entries
                if known[place] == 0 { known[place] = code(strings.entry(place)) &+ 1 }
                return known[place] &- 1
            }
        }
    }

    @inline(__always)
    private func read(
        _ leaf: UnsafeRawPointer, _ run: KeyRun, _ codes: UnsafeMutableBufferPointer<UInt64>,
        _ nulls: inout [UInt32], _ code: (_ slot: Int) -> UInt32
    ) {
        let header = LeafHeader(leaf)
        guard header.hasNulls || header.count < slotsPerLeaf else {
            for position in run.positions {
                codes.initializeElement(at: position, to: UInt64(code(run.slot(position))))
            }
            return
        }
        for position in run.positions {
            let slot = run.slot(position)
            if header.isNull(slot) {
                codes.initializeElement(at: position, to: 0)
                nulls.append(UInt32(truncatingIfNeeded: position))
            } else {
                codes.initializeElement(at: position, to: UInt64(code(slot)))
            }
        }
    }

    /// Reads a leaf that is being written: it has no layout, and its strings move.
    private func readWritten(
        _ column: Column, _ run: KeyRun, _ codes: UnsafeMutableBufferPointer<UInt64>, _ nulls: inout [UInt32]
    ) {
        let strings = run.number < 0 ? nil : column.writableLeaf(at: run.number)?.strings
        for position in run.positions {
            let slot = run.slot(position)
            if let strings, !strings.isNull(slot) {
                codes.initializeElement(at: position, to: UInt64(strings.withBytes(slot) { code($0, isStable: false) }))
            } else {
                codes.initializeElement(at: position, to: 0)
                nulls.append(UInt32(truncatingIfNeeded: position))
            }
        }
    }

    // MARK: - Values

    /// The code of a value.
    ///
    /// - Parameter isStable: whether the bytes stay where they are as long as the transaction does.
    @inline(__always)
    func code(_ bytes: UnsafeRawBufferPointer, isStable: Bool = true) -> UInt32 {
        var entry = Entry(bytes)
        guard areDistinct else { return append(entry, isStable) }
        entry.hash = entry.hashed(seed)
        let mask = UInt64(places.count &- 1)
        var place = Int(truncatingIfNeeded: entry.hash & mask)
        while true {
            let found = places[place]
            if found == 0 { break }
            if memory[Int(found &- 1)].isSame(as: entry) { return found &- 1 }
            place = (place &+ 1) & Int(truncatingIfNeeded: mask)
        }
        let code = append(entry, isStable)
        places[place] = code + 1
        if count * 2 > places.count { grow() }
        return code
    }

    @inline(never)
    private func append(_ entry: Entry, _ isStable: Bool) -> UInt32 {
        var entry = entry
        if !isStable, entry.count > 0 {
            let copy = UnsafeMutableRawPointer.allocate(byteCount: entry.count, alignment: 1)
            copy.copyMemory(from: entry.start, byteCount: entry.count)
            copies.append(copy)
            entry.start = UnsafeRawPointer(copy)
        }
        if count == memory.count {
            let larger = UnsafeMutableBufferPointer<Entry>.allocate(capacity: count * 2)
            _ = larger.initialize(fromContentsOf: entries)
            memory.deallocate()
            memory = larger
        }
        memory.initializeElement(at: count, to: entry)
        count += 1
        return UInt32(truncatingIfNeeded: count - 1)
    }

    private func grow() {
        if mayGiveUp, count > Self.mostForAll, count > rowsRead / 2 {
            areDistinct = false
            return
        }
        let larger = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: places.count * 4)
        larger.initialize(repeating: 0)
        let mask = larger.count - 1
        for (code, entry) in entries.enumerated() {
            var place = Int(truncatingIfNeeded: entry.hash) & mask
            while larger[place] != 0 { place = (place + 1) & mask }
            larger[place] = UInt32(truncatingIfNeeded: code) + 1
        }
        places.deallocate()
        places = larger
    }

    /// Up to this many values, equal ones are always searched for: the table of places fits the cache.
    private static let mostForAll = 1 << 14
}

extension ByteStringCodes.Entry {
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        count = bytes.count
        guard let start = bytes.baseAddress, count > 0 else {
            (head, tail, count) = (0, 0, 0)
            start = LeafCheck.blank(.bytes, isNull: false)
            return
        }
        self.start = start
        if count >= 8 {
            head = start.loadUnaligned(as: UInt64.self)
            tail = start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        } else if count >= 4 {
            head = UInt64(start.loadUnaligned(as: UInt32.self))
            tail = UInt64(start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
        } else {
            let first = start.load(as: UInt8.self)
            let middle = start.load(fromByteOffset: count / 2, as: UInt8.self)
            let last = start.load(fromByteOffset: count &- 1, as: UInt8.self)
            head = UInt64(first) | UInt64(middle) << 8 | UInt64(last) << 16
            tail = 0
        }
    }

    @inline(__always)
    func isSame(as other: Self) -> Bool {
        guard head == other.head, tail == other.tail, count == other.count else { return false }
        return count <= 16 || (hash == other.hash && StringMatcher.equal(bytes, other.bytes))
    }

    /// Seeded, so that nobody can prepare values that meet in one place; the seed shows in no result.
    @inline(__always)
    func hashed(_ seed: UInt64) -> UInt64 {
        var state = Self.fold(head ^ seed, UInt64(count) ^ 0xA076_1D64_78BD_642F)
        var position = 8
        while position &+ 8 < count {
            state = Self.fold(
                state ^ start.loadUnaligned(fromByteOffset: position, as: UInt64.self), 0xE703_7ED1_A0B4_28DB)
            position &+= 8
        }
        return Self.fold(state ^ tail, 0x8EBC_6AF0_9C88_C6E3)
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
