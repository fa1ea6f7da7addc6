import CausewayModel
import CausewayQuery

/// Conditions over a column of strings or data. A dictionary-coded leaf asks once for each distinct value.
final class StringTest: LeafTest {
    private let tested: TestedColumn
    /// Nothing here calls back into this object, so accesses never overlap.
    @exclusivity(unchecked) private var conditions: [StringCondition]
    /// Whether all conditions must hold, and not only one of them.
    private let isBetween: Bool
    private let isNegated: Bool
    /// Whether this is a search that reads every word of every text.
    private let isSearch: Bool
    let share: Double
    /// Replaces the conditions when there are many strings to find, in leaves that have a layout.
    private let set: StringSet?
    private static let fewNeedles = 4

    init?(_ table: Table, _ column: Int, _ comparison: BoundComparison, _ operand: [Value]) {
        let comparator = comparison.comparator
        let isText = table.schema.properties[column].type == .string
        var needles: [[UInt8]] = []
        for value in operand {
            switch value {
            case .string(let text) where isText: needles.append(Array(text.utf8))
            case .bytes(let bytes) where !isText: needles.append(bytes)
            case .null: break
            default: return nil
            }
        }
        tested = TestedColumn(table, column, comparator, operand)
        share = GuessedShare.of(comparator, operand)
        isBetween = comparator == .between
        isNegated = comparator == .notEqual
        isSearch = comparator == .text
        let options = comparison.options
        set =
            comparator == .in && options.isEmpty && needles.count > Self.fewNeedles ? StringSet(needles) : nil
        if isBetween {
            guard needles.count == 2 else { return nil }
            conditions = [
                StringCondition(.greaterOrEqual, needles[0], [], isText: isText),
                StringCondition(.lessOrEqual, needles[1], [], isText: isText),
            ]
        } else {
            // With nil as the only constant there is no condition: every string differs and nothing else holds.
            let simple: Comparator = comparator == .in || comparator == .notEqual ? .equal : comparator
            conditions = needles.map { StringCondition(simple, $0, options, isText: isText) }
        }
    }

    var cost: Double {
        isSearch ? QueryEntrance.textCost : 2 * Double(min(max(conditions.count, 1), Self.fewNeedles))
    }
    var explanation: String { tested.explanation }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = tested.leaf(number) else { return evaluateWritten(number, candidates) }
        let strings = StringLeaf(leaf)
        let reached = SlotBitmap(first: LeafHeader(leaf).count)
        let wanted = candidates.intersection(reached).subtracting(SlotBitmap(nullsOf: leaf))
        var found = SlotBitmap()
        if wanted.isEmpty {
            found = wanted
        } else if let span = StringSpan(plain: leaf) {
            found = holding(span, strings, isEntries: false, wanted)
        } else if let span = StringSpan(dictionaryOf: leaf) {
            let codes = holding(span, strings, isEntries: true, SlotBitmap(first: span.count))
            found = Self.slots(of: leaf, codes, span.count)
        } else {
            wanted.forEach { if matches(strings.bytes($0)) { found.insert($0) } }
            return tested.nulls.apply(found, leaf, candidates)
        }
        if isNegated { found = wanted.subtracting(found) }
        return tested.nulls.apply(found, leaf, candidates)
    }

    private func holding(
        _ span: StringSpan, _ strings: StringLeaf, isEntries: Bool, _ wanted: SlotBitmap
    ) -> SlotBitmap {
        if let set { return set.evaluate(span, strings, isEntries: isEntries, wanted) }
        var found = isBetween ? wanted : SlotBitmap()
        for index in conditions.indices {
            if isBetween {
                found = conditions[index].evaluate(span, strings, isEntries: isEntries, found)
            } else {
                let open = wanted.subtracting(found)
                if open.isEmpty { break }
                found = found.union(conditions[index].evaluate(span, strings, isEntries: isEntries, open))
            }
        }
        return found
    }

    /// The slots of a coded leaf that have one of these codes.
    private static func slots(of leaf: UnsafeRawPointer, _ codes: SlotBitmap, _ entries: Int) -> SlotBitmap {
        let header = LeafHeader(leaf)
        let count = codes.count
        if count == 0 { return SlotBitmap() }
        if count == entries { return SlotBitmap(first: header.count) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
            table.initialize(repeating: 0)
            var last: UInt64 = 0
            codes.forEach { code in
                table[code] = 1
                last = UInt64(code)
            }
            guard count > 1, let table = table.baseAddress else {
                let range = RelativeRange(first: last, last: last)
                return BitmapKernel.integers(header.payload, width: 1, count: header.count, range)
            }
            return BitmapKernel.lookUp(header.payload, count: header.count, in: table)
        }
    }

    /// Evaluates a leaf that is being written and has no layout.
    private func evaluateWritten(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        var found = SlotBitmap()
        candidates.forEach { slot in
            let key = ObjectKey(Int64(number * slotsPerLeaf + slot))
            let holds = tested.table.withBytes(key, tested.column) { bytes in
                bytes.map { matches($0) } ?? tested.nulls.nullsMatch
            }
            if holds { found.insert(slot) }
        }
        return found
    }

    private func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isBetween { return conditions[0].matches(bytes) && conditions[1].matches(bytes) }
        for index in conditions.indices where conditions[index].matches(bytes) { return !isNegated }
        return isNegated
    }
}
