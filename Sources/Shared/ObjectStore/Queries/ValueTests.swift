import CausewayModel
import CausewayQuery

/// Conditions over a column of strings or data. A dictionary-coded leaf asks once for each distinct value.
final class StringTest: LeafTest {
    private let table: Table
    private let column: Int
    private var matchers: [StringMatcher]
    /// The one needle of a plain equality, for which lengths decide most rows.
    private let exact: [UInt8]?
    private let nulls: NullRule
    private let isBetween: Bool

    init?(_ table: Table, _ column: Int, _ comparison: BoundComparison, _ operand: [Value]) {
        let comparator = comparison.comparator
        var needles: [[UInt8]] = []
        for value in operand {
            switch value {
            case .string(let text): needles.append(Array(text.utf8))
            case .bytes(let bytes): needles.append(bytes)
            case .null: break
            default: return nil
            }
        }
        self.table = table
        self.column = column
        nulls = NullRule(comparator, operand)
        isBetween = comparator == .between
        if isBetween {
            guard needles.count == 2 else { return nil }
            matchers = [
                StringMatcher(.greaterOrEqual, needles[0]), StringMatcher(.lessOrEqual, needles[1]),
            ]
        } else {
            // Against nil alone every string differs, and none is anything else.
            let simple: Comparator = comparator == .in ? .equal : comparator
            matchers = needles.map { StringMatcher(simple, $0, options: comparison.options) }
        }
        exact =
            (comparator == .equal || comparator == .in) && needles.count == 1 && comparison.options.isEmpty
            ? needles[0] : nil
        holdsWithoutNeedle = comparator == .notEqual
    }

    private let holdsWithoutNeedle: Bool

    var cost: Double { 20 }
    var explanation: String { "scan \(table.name).\(table.schema.properties[column].name)" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = table.leaf(column, number) else { return evaluateWritten(number, candidates) }
        let strings = StringLeaf(leaf)
        let wanted = candidates.subtracting(SlotBitmap(nullsOf: leaf))
        var found = SlotBitmap()
        let entries = Int(leaf.leafField(LeafLayout.dictionaryCount, UInt16.self))
        if entries > 0 {
            found = evaluateCodes(strings, entries, wanted)
        } else if let exact {
            exact.withUnsafeBytes { needle in
                wanted.forEach { slot in
                    let bytes = strings.bytes(slot)
                    if bytes.count == needle.count, StringMatcher.equal(bytes, needle) { found.insert(slot) }
                }
            }
        } else {
            wanted.forEach { if matches(strings.bytes($0)) { found.insert($0) } }
        }
        return nulls.apply(found, leaf, candidates)
    }

    private func evaluateCodes(_ strings: StringLeaf, _ entries: Int, _ wanted: SlotBitmap) -> SlotBitmap {
        var holds = [Bool](repeating: false, count: 256)
        var any = false
        for code in 0..<min(entries, 256) {
            holds[code] = matches(strings.entry(code))
            any = any || holds[code]
        }
        guard any else { return SlotBitmap() }
        let header = LeafHeader(strings.leaf)
        let payload = header.payload
        return holds.withUnsafeBufferPointer { holds in
            BitmapKernel.words(header.count) { holds[Int(payload.leafField($0, UInt8.self))] }
        }.intersection(wanted)
    }

    /// The leaf is being written and has no layout.
    private func evaluateWritten(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        var found = SlotBitmap()
        candidates.forEach { slot in
            let key = ObjectKey(Int64(number * slotsPerLeaf + slot))
            let holds = table.withBytes(key, column) { $0.map { matches($0) } ?? nulls.nullsMatch }
            if holds { found.insert(slot) }
        }
        return found
    }

    private func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if matchers.isEmpty { return holdsWithoutNeedle }
        if isBetween { return matchers[0].matches(bytes) && matchers[1].matches(bytes) }
        for index in matchers.indices where matchers[index].matches(bytes) { return true }
        return false
    }
}

/// Comparisons of dates, ObjectIds and UUIDs, value by value; dates skip leaves by their seconds.
struct ValueTest: LeafTest {
    private let table: Table
    private let column: Int
    private let type: PropertyType
    private let comparator: Comparator
    private let operand: [Value]
    private let nulls: NullRule

    init(_ table: Table, _ column: Int, _ comparator: Comparator, _ operand: [Value]) {
        self.table = table
        self.column = column
        self.comparator = comparator
        self.operand = operand
        type = table.schema.properties[column].type
        nulls = NullRule(comparator, operand)
    }

    var cost: Double { 30 }
    var explanation: String { "scan \(table.name).\(table.schema.properties[column].name)" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = table.leaf(column, number) else { return SlotBitmap() }
        var found = SlotBitmap()
        if !isOutOfZone(leaf) {
            candidates.subtracting(SlotBitmap(nullsOf: leaf)).forEach { slot in
                if holds(LeafValue.read(leaf, slot, type)) { found.insert(slot) }
            }
        }
        return nulls.apply(found, leaf, candidates)
    }

    private func holds(_ value: Value) -> Bool {
        switch comparator {
        case .in: operand.contains { ValueComparison.holds(value, .equal, $0, []) }
        case .between:
            operand.count == 2 && ValueComparison.holds(value, .greaterOrEqual, operand[0], [])
                && ValueComparison.holds(value, .lessOrEqual, operand[1], [])
        default: operand.first.map { ValueComparison.holds(value, comparator, $0, []) } ?? false
        }
    }

    private func isOutOfZone(_ leaf: UnsafeRawPointer) -> Bool {
        guard type == .date, leaf.leafField(LeafLayout.flags, UInt8.self) & LeafLayout.flagZone != 0,
            operand.count == 1, case .timestamp(let constant) = operand[0]
        else { return false }
        let minimum = leaf.leafField(LeafLayout.minimum, Int64.self)
        let maximum = leaf.leafField(LeafLayout.maximum, Int64.self)
        return switch comparator {
        case .equal, .in: constant.seconds < minimum || constant.seconds > maximum
        case .less, .lessOrEqual: minimum > constant.seconds
        case .greater, .greaterOrEqual: maximum < constant.seconds
        default: false
        }
    }
}

/// A condition behind a to-one link: the condition is run over leaves of the target, each once, and looked up there.
final class LinkTest: LeafTest {
    private let table: Table
    private let column: Int
    private let target: Table
    private let inner: any LeafTest
    /// What the condition says where the link leads nowhere.
    private let holdsForNothing: Bool
    private var known: [Int: (tested: SlotBitmap, found: SlotBitmap)] = [:]

    init(_ table: Table, _ column: Int, to target: Table, _ inner: any LeafTest, holdsForNothing: Bool) {
        self.table = table
        self.column = column
        self.target = target
        self.inner = inner
        self.holdsForNothing = holdsForNothing
    }

    var cost: Double { 10 + inner.cost }
    var explanation: String {
        "follow \(table.name).\(table.schema.properties[column].name) to \(inner.explanation)"
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = table.leaf(column, number) else { return SlotBitmap() }
        let links = IntegerLeaf(leaf)
        var found = SlotBitmap()
        var lastNumber = -1
        var last = (tested: SlotBitmap(), found: SlotBitmap())
        candidates.forEach { slot in
            guard !links.isNull(slot) else {
                if holdsForNothing { found.insert(slot) }
                return
            }
            let linked = ObjectKey(links.value(slot))
            if linked.leafNumber != lastNumber {
                lastNumber = linked.leafNumber
                last = results(lastNumber)
            }
            // A ghost is not among those tested: the link leads nowhere here.
            let holds = last.tested.contains(linked.slot) ? last.found.contains(linked.slot) : holdsForNothing
            if holds { found.insert(slot) }
        }
        return found
    }

    private func results(_ number: Int) -> (tested: SlotBitmap, found: SlotBitmap) {
        if let results = known[number] { return results }
        let alive = target.aliveWords(number)
        let results = (tested: alive, found: alive.isEmpty ? alive : inner.evaluate(number, alive))
        known[number] = results
        return results
    }
}
