import CScan
import CausewayModel
import CausewayQuery

/// A condition behind a to-one link. The condition runs over the leaves of the target, and rows look up its results:
/// leaf by leaf while few rows were tested, then in one flat bitmap of the whole target.
final class LinkTest: LeafTest {
    private let table: Table
    private let column: Int
    private let target: Table
    private let inner: any LeafTest
    /// The result where the link leads nowhere.
    private let holdsForNothing: Bool
    private let explanationOfPath: String
    /// After this many rows for each leaf of the target, the flat bitmap is made.
    private static let rowsPerTargetLeaf = 8
    // Nothing here calls back into this object, so accesses never overlap.
    @exclusivity(unchecked) private var rowsSeen = 0
    @exclusivity(unchecked) private var answers: Answers?
    @exclusivity(unchecked) private var known: [Int: SlotBitmap] = [:]

    init(_ table: Table, _ column: Int, to target: Table, _ inner: any LeafTest, holdsForNothing: Bool) {
        self.table = table
        self.column = column
        self.target = target
        self.inner = inner
        self.holdsForNothing = holdsForNothing
        explanationOfPath = "follow \(table.name).\(table.schema.properties[column].name)"
    }

    var cost: Double { 3 + inner.cost }
    var share: Double { inner.share }
    var scratchBytes: Int { KeyBitmap.bytes(target) + inner.scratchBytes }

    func letGo() {
        rowsSeen = 0
        answers = nil
        known = [:]
        inner.letGo()
    }

    var explanation: String { "\(explanationOfPath) to \(inner.explanation)" }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let leaf = table.leaf(column, number) else { return SlotBitmap() }
        let nulls = NullRule(nullsMatch: holdsForNothing)
        rowsSeen += candidates.count
        // A few rows need a few leaves of the target. Many rows soon need all of them.
        guard answers != nil || rowsSeen > target.leafNumbers.upperBound * Self.rowsPerTargetLeaf else {
            return nulls.apply(leafByLeaf(leaf, candidates), leaf, candidates)
        }
        let answers = flatAnswers
        if let same = answers.same {
            return same == holdsForNothing
                ? (same ? candidates : SlotBitmap())
                : nulls.apply(same ? SlotBitmap(first: LeafHeader(leaf).count) : SlotBitmap(), leaf, candidates)
        }
        return nulls.apply(answers.slots(of: leaf), leaf, candidates)
    }

    func isRuledOut(_ number: Int) -> Bool {
        if let answers, let same = answers.same { return !same && !holdsForNothing }
        return false
    }

    private func leafByLeaf(_ leaf: UnsafeRawPointer, _ candidates: SlotBitmap) -> SlotBitmap {
        let links = IntegerLeaf(leaf)
        var found = SlotBitmap()
        var lastNumber = -1
        var last = SlotBitmap()
        candidates.forEach { slot in
            guard !links.isNull(slot) else { return }
            let linked = links.value(slot)
            // Only a damaged file has such links.
            guard linked >= 0 else {
                if holdsForNothing { found.insert(slot) }
                return
            }
            let key = ObjectKey(linked)
            if key.leafNumber != lastNumber {
                lastNumber = key.leafNumber
                last = results(lastNumber)
            }
            if last.contains(key.slot) { found.insert(slot) }
        }
        return found
    }

    /// The results for links to each slot of a leaf of the target. A link to a ghost or a dead slot leads nowhere.
    private func results(_ number: Int) -> SlotBitmap {
        if let results = known[number] { return results }
        let alive = target.aliveWords(number)
        var results = alive.isEmpty ? alive : inner.evaluate(number, alive)
        if holdsForNothing { results = results.union(SlotBitmap(first: slotsPerLeaf).subtracting(alive)) }
        known[number] = results
        return results
    }

    // MARK: - All answers at once

    private var flatAnswers: Answers {
        if let answers { return answers }
        let made = Answers(limit: target.leafNumbers.upperBound * slotsPerLeaf, holdsForNothing) { results($0) }
        known = [:]
        inner.letGo()
        answers = made
        return made
    }

    /// A bit for each key of the target, and one behind them for all other keys.
    private struct Answers {
        private let bits: [UInt8]
        private let limit: Int
        /// The result of every link, if all have the same.
        let same: Bool?

        init(limit: Int, _ behind: Bool, _ results: (Int) -> SlotBitmap) {
            var count = 0
            // 1,000 slots are 125 bytes, so each leaf begins at a byte of its own.
            var bits: [UInt8] = []
            bits.reserveCapacity(limit / 8 + 4)
            for number in 0..<limit / slotsPerLeaf {
                let words = results(number)
                count += words.count
                withUnsafeBytes(of: words) { bits.append(contentsOf: $0.prefix(slotsPerLeaf / 8)) }
            }
            bits.append(behind ? 1 : 0)
            self.bits = bits
            self.limit = limit
            same = count == limit && behind ? true : count == 0 && !behind ? false : nil
        }

        func slots(of leaf: UnsafeRawPointer) -> SlotBitmap {
            let header = LeafHeader(leaf)
            return bits.withUnsafeBufferPointer { bits in
                SlotBitmap { words in
                    causeway_scan_bits(
                        header.payload, UInt32(leaf.leafField(LeafLayout.width, UInt8.self)), UInt32(header.count),
                        leaf.leafField(LeafLayout.minimum, UInt64.self), UInt64(limit), bits.baseAddress, words)
                }
            }
        }
    }
}
