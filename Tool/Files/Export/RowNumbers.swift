import CausewayModel
import CausewayObjectStore

/// The numbers that objects of classes without a primary key have in an export: 0, 1, 2 … by row, in each class.
///
/// They are the same in a file that an export was imported into, where the rows are others. Takes a quarter of a byte for each
/// row of a class that has any, deleted ones included.
final class RowNumbers {
    private var classes: ExactDictionary<Ranks> = [:]

    private struct Ranks {
        /// One bit for each row, set where an object is.
        var words: [UInt64]
        /// How many objects are before each word.
        var before: [Int]

        init(_ table: Table) {
            let count = Int(table.keysEnd.rawValue)
            words = Array(repeating: 0, count: (count + 63) / 64)
            before = []
            for row in 0..<count where table.exists(ObjectKey(Int64(row))) { words[row / 64] |= 1 << UInt64(row % 64) }
            before.reserveCapacity(words.count)
            var sum = 0
            for word in words {
                before.append(sum)
                sum += word.nonzeroBitCount
            }
        }

        func number(of row: Int) -> Int {
            before[row / 64] + (words[row / 64] & ((1 << UInt64(row % 64)) - 1)).nonzeroBitCount
        }
    }

    /// - Precondition: the object is here.
    func number(of key: ObjectKey, in table: Table) -> Int {
        if let known = classes[table.name] { return known.number(of: Int(key.rawValue)) }
        let ranks = Ranks(table)
        classes[table.name] = ranks
        return ranks.number(of: Int(key.rawValue))
    }
}
