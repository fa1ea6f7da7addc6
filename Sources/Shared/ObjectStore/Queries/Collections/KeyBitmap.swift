import CausewayModel
import Glibc

/// One bit for every object key of a table: whether a condition holds for the object. Bits are read in any order.
///
/// Keys lie without the gaps that leaves of 1,000 slots would leave, so that asking needs no division.
final class KeyBitmap {
    private let words: UnsafeMutablePointer<UInt64>
    private let wordCount: UInt64

    private init(_ table: Table) {
        // One word more than the keys fill, because a leaf's last word may reach into the next one.
        let count = table.leafNumbers.upperBound * slotsPerLeaf / 64 + 2
        // Zeros cost nothing until they are touched: of most keys ever given there may be no object left.
        guard let memory = calloc(count, 8) else { preconditionFailure("there is no memory for a bit for each key") }
        words = memory.bindMemory(to: UInt64.self, capacity: count)
        wordCount = UInt64(count)
    }

    /// Sets the bits that `answer` finds among the objects of each leaf. All other bits are clear.
    convenience init(_ table: Table, _ answer: (_ number: Int, _ alive: SlotBitmap) -> SlotBitmap) {
        self.init(table)
        for number in table.leafNumbers {
            let alive = table.aliveWords(number)
            if alive.isEmpty { continue }
            insert(answer(number, alive), number)
        }
    }

    /// Sets the bits of the objects that meet a condition. Afterwards the condition keeps nothing in memory.
    convenience init(_ table: Table, meeting condition: any LeafTest) {
        self.init(table)
        var batch = LeafBatch(condition, scratchMax: table.transaction.queryScratchMax)
        func take(_ number: Int, _ found: SlotBitmap) -> Bool {
            insert(found, number)
            return true
        }
        for number in table.leafNumbers { _ = batch.take(number, table.aliveWords(number), take) }
        _ = batch.settle(take)
        condition.letGo()
    }

    deinit {
        free(words)
    }

    /// The bytes that a bitmap of a table takes.
    static func bytes(_ table: Table) -> Int { table.leafNumbers.upperBound * slotsPerLeaf / 8 }

    private func insert(_ slots: SlotBitmap, _ number: Int) {
        let first = number * slotsPerLeaf
        let shift = UInt64(first & 63)
        for index in 0..<wordsPerLeaf {
            let word = slots[index]
            if word == 0 { continue }
            let place = first >> 6 + index
            words[place] |= word << shift
            // A shift by 64 gives zero: nothing reaches over.
            words[place + 1] |= word >> (64 - shift)
        }
    }

    /// 1 or 0; 0 for what is no key of the table.
    @inline(__always)
    func bit(_ key: UInt64) -> Int {
        let place = key &>> 6
        guard place < wordCount else { return 0 }
        return Int(truncatingIfNeeded: words[Int(truncatingIfNeeded: place)] &>> (key & 63) & 1)
    }
}
