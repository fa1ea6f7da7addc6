import Causeway
import CausewaySeeds
import Testing

@Suite("The difference of two collections")
struct CollectionDifferenceTests {
    private static let seeds = SeedList.drawn(for: "collection-differences", count: 60)

    /// Applies changes the way a table view does, and says whether what results is the new collection.
    private func isValid<Key: Hashable>(
        _ changes: IndexChanges, from old: [Key], to new: [Key]
    ) -> Bool {
        var keys = old
        for index in changes.deletions.reversed() { keys.remove(at: index) }
        for index in changes.insertions { keys.insert(new[index], at: index) }
        return keys == new && changes.modifications.isEmpty
            && changes.deletions == changes.deletions.sorted() && changes.insertions == changes.insertions.sorted()
    }

    /// The length of a longest common subsequence, by the textbook's table.
    private func longestCommon<Key: Hashable>(_ old: [Key], _ new: [Key]) -> Int {
        var row = [Int](repeating: 0, count: new.count + 1)
        for left in old {
            var diagonal = 0
            for (index, right) in new.enumerated() {
                let above = row[index + 1]
                row[index + 1] = left == right ? diagonal + 1 : max(above, row[index])
                diagonal = above
            }
        }
        return row[new.count]
    }

    /// Every ordered choice of distinct elements, of every length.
    private func sequences(of elements: [Int]) -> [[Int]] {
        [[]]
            + elements.flatMap { first in
                sequences(of: elements.filter { $0 != first }).map { [first] + $0 }
            }
    }

    @Test("of distinct keys it is valid and as small as possible, for every pair of small collections")
    func distinct() {
        let all = sequences(of: [1, 2, 3, 4])
        for old in all {
            for new in all {
                let changes = indexChanges(from: old, to: new)
                #expect(isValid(changes, from: old, to: new), "from \(old) to \(new): \(changes)")
                let stayed = new.count - changes.insertions.count
                #expect(stayed == longestCommon(old, new), "from \(old) to \(new): \(changes)")
            }
        }
    }

    @Test("of repeated keys it is valid, for every pair of small collections")
    func repeated() {
        var all: [[Int]] = [[]]
        for length in 1...4 {
            all += (0..<(1 << length)).map { bits in (0..<length).map { bits >> $0 & 1 } }
        }
        for old in all {
            for new in all {
                let changes = indexChanges(from: old, to: new)
                #expect(isValid(changes, from: old, to: new), "from \(old) to \(new): \(changes)")
            }
        }
    }

    @Test("after random edits it is valid and as small as possible", arguments: seeds)
    func random(seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        let old = Array(0..<Int.random(in: 0..<60, using: &generator)).shuffled(using: &generator)
        var new = old
        for fresh in 0..<Int.random(in: 0..<12, using: &generator) {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: new.insert(1_000 + fresh, at: Int.random(in: 0...new.count, using: &generator))
            case 1 where !new.isEmpty: new.remove(at: Int.random(in: 0..<new.count, using: &generator))
            case 2 where !new.isEmpty:
                let moved = new.remove(at: Int.random(in: 0..<new.count, using: &generator))
                new.insert(moved, at: Int.random(in: 0...new.count, using: &generator))
            default: break
            }
        }
        let changes = indexChanges(from: old, to: new)
        #expect(isValid(changes, from: old, to: new), "seed \(seed): \(changes)")
        let stayed = new.count - changes.insertions.count
        #expect(stayed == longestCommon(old, new), "seed \(seed)")
    }

    @Test("an element that moved is deleted and inserted")
    func moved() {
        let changes = indexChanges(from: [1, 2, 3, 4], to: [4, 1, 2, 3])
        #expect(changes.deletions == [3])
        #expect(changes.insertions == [0])
    }

    @Test("of ascending keys it is the same, found without a table", arguments: seeds)
    func ascending(seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        let old = (0..<40).filter { _ in Bool.random(using: &generator) }
        let new = (0..<40).filter { _ in Bool.random(using: &generator) }
        #expect(ascendingIndexChanges(from: old, to: new) == indexChanges(from: old, to: new), "seed \(seed)")
    }

    @Test("large collections are compared in time near their size")
    func large() {
        let old = Array(0..<200_000)
        var new = old
        new.removeSubrange(50_000..<50_100)
        new.insert(contentsOf: 900_000..<900_100, at: 120_000)
        new.swapAt(10, 150_000)
        // A comparison of every pair would not end here.
        let changes = indexChanges(from: old, to: new)
        #expect(changes.deletions.count == 102)
        #expect(changes.insertions.count == 102)
    }
}
