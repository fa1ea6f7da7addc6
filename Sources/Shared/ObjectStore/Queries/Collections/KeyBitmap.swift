import CausewayModel
import Glibc

/// One bit for every object key of a table: what a condition says of each object, to be asked in any order.
///
/// Keys lie without the gaps that leaves of 1,000 slots would leave, so that asking needs no division.
final class KeyBitmap {
    private let words: UnsafeMutablePointer<UInt64>
    private let wordCount: UInt64

    /// What `answer` finds among the objects of each leaf; the bits of all other keys are clear.
    init(_ table: Table, _ answer: (_ number: Int, _ alive: SlotBitmap) -> SlotBitmap) {
        let numbers = table.leafNumbers
        // One word more than the keys fill, because a leaf's last word may reach into the next one.
        let count = numbers.upperBound * slotsPerLeaf / 64 + 2
        // Zeros that cost nothing where nobody looks: of most keys that were ever given there may be no object left.
        guard let memory = calloc(count, 8) else { preconditionFailure("there is no memory for a bit for each key") }
        words = memory.bindMemory(to: UInt64.self, capacity: count)
        wordCount = UInt64(count)
        for number in numbers {
            let alive = table.aliveWords(number)
            if alive.isEmpty { continue }
            insert(answer(number, alive), number)
        }
    }

    deinit {
        free(words)
    }

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
