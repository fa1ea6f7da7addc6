import CausewayModel
import CausewayQuery
import CausewayStorage

/// The question that a part of a predicate asks of one list, prepared for a whole table.
protocol ListQuestion {
    func holds(_ list: SmallList) -> Bool
}

extension ListQuestion {
    /// The question as one function, made where its type is known: called through a generic type or a protocol it would
    /// not be specialised, and each of its elements would pay.
    @inline(__always)
    var function: (SmallList) -> Bool {
        { holds($0) }
    }
}

/// Asks a question about the lists of one column: the tree of the lists is read once for each leaf of owners.
///
/// Preparing a question can mean reading every object that the lists may hold. Until the tested rows would have paid
/// for that, the row evaluator answers. It also answers for lists that are being written or are stored in another form.
final class ListTest: LeafTest {
    /// The row evaluator's cost for one row with a list of some elements, in nanoseconds.
    private static let rowCost = 3000.0
    /// Above this many rows of a leaf, reading all its lists is cheaper than finding those of the rows.
    private static let scannedRows = 24

    private let table: Table
    private let column: Int
    private let layout: SmallList.Layout
    private let rows: RowTest
    private let preparation: Preparation
    private var question: ((SmallList) -> Bool)?
    private var rowsAsked = 0
    /// The owners, by leaf, whose lists were changed in this write: the tree still holds the old lists.
    private let written: [Int: SlotBitmap]

    /// How the question is made ready, and what that costs in nanoseconds.
    struct Preparation {
        var cost = 0.0
        var explanation = ""
        /// The bytes that a question of its own keeps in memory; 0 for what questions share.
        var scratchBytes = 0
        let prepare: () -> (SmallList) -> Bool
        /// The answer for one row without its elements, where there is a faster way than the row evaluator.
        var single: ((ObjectKey) -> Bool)?
    }

    /// - Parameter predicate: the same for the row evaluator.
    init(_ table: Table, _ column: Int, _ predicate: BoundPredicate, _ preparation: Preparation) {
        self.table = table
        self.column = column
        self.preparation = preparation
        layout = SmallList.Layout(table.elementType(column))
        rows = RowTest(table: table, predicate: predicate)
        var written: [Int: SlotBitmap] = [:]
        for place in table.writtenLists.keys where place.column == column {
            written[place.key.leafNumber, default: SlotBitmap()].insert(place.key.slot)
        }
        self.written = written
    }

    var cost: Double { 60 }
    var scratchBytes: Int { preparation.scratchBytes }

    /// Drops the question. It is prepared again after as many rows as the first time, because a few rows cost less one
    /// by one.
    func letGo() {
        guard scratchBytes > 0 else { return }
        question = nil
        rowsAsked = 0
    }

    var explanation: String {
        "lists \(table.name).\(table.schema.properties[Table.property(of: column)].name)\(preparation.explanation)"
    }

    func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let question = readyQuestion(for: candidates) else { return rows.evaluate(number, candidates) }
        let changed = written[number].map(candidates.intersection) ?? SlotBitmap()
        let (found, others) = ask(question, number, candidates.subtracting(changed))
        let single = changed.union(others)
        return single.isEmpty ? found : found.union(askSingly(number, single))
    }

    private func askSingly(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
        guard let single = preparation.single else { return rows.evaluate(number, candidates) }
        var found = SlotBitmap()
        candidates.forEach { slot in
            if single(ObjectKey(Int64(number * slotsPerLeaf + slot))) { found.insert(slot) }
        }
        return found
    }

    /// - Returns: the rows for which it holds, and those whose lists are not small ones.
    private func ask(
        _ question: (SmallList) -> Bool, _ number: Int, _ candidates: SlotBitmap
    ) -> (found: SlotBitmap, others: SlotBitmap) {
        guard !candidates.isEmpty else { return (candidates, candidates) }
        // The bitmaps are words in memory, where setting a slot takes a few instructions. In vector registers it takes
        // more.
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 3 * wordsPerLeaf) { words in
            let (wanted, found, others) = (0, wordsPerLeaf, 2 * wordsPerLeaf)
            // Rows without an entry have an empty list.
            let holdsForEmpty = question(.empty)
            for index in 0..<wordsPerLeaf {
                words[wanted + index] = candidates[index]
                words[found + index] = holdsForEmpty ? candidates[index] : 0
                words[others + index] = 0
            }
            visit(number, candidates) { slot, bytes in
                let word = Int(truncatingIfNeeded: slot &>> 6)
                let bit: UInt64 = 1 &<< (slot & 63)
                guard words[wanted + word] & bit != 0 else { return }
                if let list = SmallList(bytes, layout) {
                    if question(list) != holdsForEmpty { words[found + word] ^= bit }
                } else {
                    words[others + word] |= bit
                    words[found + word] &= ~bit
                }
            }
            return (SlotBitmap(words, from: found), SlotBitmap(words, from: others))
        }
    }

    /// Hands over the stored lists of a leaf: of the candidates when they are few, else of any row.
    @inline(__always)
    private func visit(
        _ number: Int, _ candidates: SlotBitmap, _ body: (_ slot: UInt64, _ list: UnsafeRawBufferPointer) -> Void
    ) {
        let reader = table.transaction.reader
        let tree = table.listTree(column)
        let first = UInt64(number * slotsPerLeaf)
        guard candidates.count > Self.scannedRows else {
            candidates.forEach { slot in
                let bytes = reader.get(tree, ObjectStore.changesKey(first + UInt64(slot)))
                if let bytes { body(UInt64(slot), bytes) }
            }
            return
        }
        reader.scan(
            tree: tree, from: ObjectStore.changesKey(first),
            upTo: ObjectStore.changesKey(first + UInt64(slotsPerLeaf)), reversed: false
        ) { key, list in
            let slot = key.readUInt64(at: 0) &- first
            if key.count == 8, slot < slotsPerLeaf { body(slot, list) }
            return true
        }
    }

    private func readyQuestion(for candidates: SlotBitmap) -> ((SmallList) -> Bool)? {
        if let question { return question }
        rowsAsked += candidates.count
        guard Double(rowsAsked) * Self.rowCost > preparation.cost else { return nil }
        question = preparation.prepare()
        return question
    }
}

extension SlotBitmap {
    fileprivate init(_ words: UnsafeMutableBufferPointer<UInt64>, from start: Int) {
        self.init()
        for index in 0..<wordsPerLeaf { self[index] = words[start + index] }
    }
}
