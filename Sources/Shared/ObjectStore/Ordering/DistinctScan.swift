import CScan
import CausewayModel

/// Finds the first row of each value of one column, leaf by leaf in the order of the keys. The column holds strings,
/// data, or integers and links of one byte. A leaf that can have no new value is skipped, and short strings that were
/// met before are recognised at once. `DistinctRows` says which values are the same.
final class DistinctScan {
    private enum Values {
        case integers(SeenIntegers)
        case strings(SeenStrings)
    }

    private let table: Table
    private let column: Int
    private let values: Values
    private var wasNullSeen = false
    private(set) var keys: [ObjectKey] = []

    /// Nil for other columns, and during a write, when leaves have no layout.
    init?(_ table: Table, _ column: Int) {
        guard !table.transaction.isWritable else { return nil }
        self.table = table
        self.column = column
        switch table.schema.properties[column].type {
        case .int, .object:
            guard table.leafNumbers.allSatisfy({ SeenIntegers.canRead(table.leaf(column, $0)) }) else { return nil }
            values = .integers(SeenIntegers())
        case .string: values = .strings(SeenStrings())
        case .data: values = .strings(SeenStrings())
        default: return nil
        }
    }

    func add(_ number: Int, _ candidates: SlotBitmap) {
        guard let leaf = table.leaf(column, number) else { return }
        let header = LeafHeader(leaf)
        let present = candidates.intersection(
            SlotBitmap(first: header.count).subtracting(SlotBitmap(nullsOf: leaf)))
        let nulls = candidates.subtracting(present)
        var found = SlotBitmap()
        if !present.isEmpty {
            switch values {
            case .integers(let seen): found = seen.firsts(leaf, present)
            case .strings(let seen): found = seen.firsts(leaf, present)
            }
        }
        if !wasNullSeen, let null = nulls.first {
            wasNullSeen = true
            found.insert(null)
        }
        let first = Int64(number * slotsPerLeaf)
        found.forEach { keys.append(ObjectKey(first + Int64($0))) }
    }
}

extension SlotBitmap {
    fileprivate var first: Int? {
        for word in 0..<wordsPerLeaf where self[word] != 0 { return word * 64 + self[word].trailingZeroBitCount }
        return nil
    }
}

/// Integers that were met, in leaves of at most a byte for each.
private final class SeenIntegers {
    private var seen: Set<Int64> = []
    /// A range of which every integer was met.
    private var whole: ClosedRange<Int64>?

    static func canRead(_ leaf: UnsafeRawPointer?) -> Bool {
        leaf.map { $0.leafField(LeafLayout.width, UInt8.self) <= 1 } ?? false
    }

    func firsts(_ leaf: UnsafeRawPointer, _ present: SlotBitmap) -> SlotBitmap {
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        var found = SlotBitmap()
        if leaf.leafField(LeafLayout.width, UInt8.self) == 0 {
            if seen.insert(minimum).inserted, let slot = present.first { found.insert(slot) }
            return found
        }
        let maximum = leaf.leafField(LeafLayout.maximum, Int64.self)
        if let whole, whole.contains(minimum), whole.contains(maximum) { return found }
        // In a damaged leaf the difference may be more than an Int64 holds.
        let most = minimum <= maximum ? min(UInt64(bitPattern: maximum &- minimum), 255) : 255
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { isNew in
            isNew.initialize(repeating: 0)
            var newCount = 0
            for relative in 0...Int(most) where !seen.contains(minimum &+ Int64(relative)) {
                isNew[relative] = 1
                newCount += 1
            }
            // Those not met yet are looked up for all slots at once.
            if newCount > 0, let table = isNew.baseAddress {
                let header = LeafHeader(leaf)
                BitmapKernel.lookUp(header.payload, count: header.count, in: table).intersection(present).forEach {
                    let relative = Int(header.payload.leafField($0, UInt8.self))
                    guard isNew[relative] != 0 else { return }
                    isNew[relative] = 0
                    newCount -= 1
                    seen.insert(minimum &+ Int64(relative))
                    found.insert($0)
                }
            }
            if newCount == 0, minimum <= maximum { whole = minimum...maximum }
            return found
        }
    }
}

/// Strings or data that were met. Most rows repeat a short string, which a table of them finds in a few instructions.
private final class SeenStrings {
    private let codes = ByteStringCodes(mayGiveUp: false)
    /// By code: whether a row with it was found.
    private var wasFound: [Bool] = []
    private let short: UnsafeMutablePointer<causeway_short_strings>
    private var rowsKnown = 0
    private var rowsAsked = 0

    init() {
        short = .allocate(capacity: 1)
        causeway_scan_forget_short(short)
    }

    deinit {
        short.deallocate()
    }

    func firsts(_ leaf: UnsafeRawPointer, _ present: SlotBitmap) -> SlotBitmap {
        if leaf.leafField(LeafLayout.dictionaryCount, UInt16.self) > 0 { return coded(leaf, present) }
        var open = present
        if let span = StringSpan(plain: leaf), isWorthTrying {
            open = present.subtracting(span.known(short))
            rowsAsked += present.count
            rowsKnown += present.count - open.count
        }
        let strings = StringLeaf(leaf)
        var found = SlotBitmap()
        open.forEach { slot in
            let bytes = strings.bytes(slot)
            if isFirst(codes.code(bytes)) { found.insert(slot) }
            causeway_scan_add_short(bytes.baseAddress, bytes.count, short)
        }
        return found
    }

    /// Whether rows repeat strings of the table often enough.
    private var isWorthTrying: Bool { rowsAsked < 20 * slotsPerLeaf || rowsKnown > rowsAsked / 4 }

    private func coded(_ leaf: UnsafeRawPointer, _ present: SlotBitmap) -> SlotBitmap {
        let strings = StringLeaf(leaf)
        let header = LeafHeader(leaf)
        let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
        let width = leaf.leafField(LeafLayout.width, UInt8.self)
        // The last one is for damaged codes, which read as an empty string.
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: entries + 1) { known in
            var areAllFound = true
            for entry in 0..<entries {
                known[entry] = codes.code(strings.entry(entry))
                areAllFound = areAllFound && isFound(known[entry])
            }
            var found = SlotBitmap()
            if areAllFound { return found }
            known[entries] = codes.code(strings.entry(entries))
            present.forEach { slot in
                let local = Int(truncatingIfNeeded: IntegerLeaf.relative(header.payload, width, slot))
                if isFirst(known[local >= 0 && local < entries ? local : entries]) { found.insert(slot) }
            }
            return found
        }
    }

    private func isFound(_ code: UInt32) -> Bool { Int(code) < wasFound.count && wasFound[Int(code)] }

    private func isFirst(_ code: UInt32) -> Bool {
        if isFound(code) { return false }
        while wasFound.count <= Int(code) { wasFound.append(false) }
        wasFound[Int(code)] = true
        return true
    }
}
