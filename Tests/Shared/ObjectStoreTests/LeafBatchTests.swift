import CausewaySeeds
import Testing

@testable import CausewayObjectStore

@Suite("Predicates of many parts that keep something")
struct LeafBatchTests {
    /// What parts keep at the moment, and at most.
    private final class Account {
        var kept = 0 {
            didSet { most = max(most, kept) }
        }
        var most = 0
        /// How often a part began to keep something.
        var beginnings = 0
    }

    /// Holds for every slot that its step divides, and keeps a thousand bytes from the first question on.
    private final class KeepingTest: LeafTest {
        let step: Int
        let account: Account
        var isKeeping = false

        init(step: Int, _ account: Account) {
            self.step = step
            self.account = account
        }

        var cost: Double { Double(step) }
        var explanation: String { "every \(step)th" }
        var scratchBytes: Int { 1_000 }

        func evaluate(_ number: Int, _ candidates: SlotBitmap) -> SlotBitmap {
            if !isKeeping {
                account.kept += scratchBytes
                account.beginnings += 1
            }
            isKeeping = true
            var found = SlotBitmap()
            candidates.forEach { if ($0 + number).isMultiple(of: step) { found.insert($0) } }
            return found
        }

        func letGo() {
            if isKeeping { account.kept -= scratchBytes }
            isKeeping = false
        }
    }

    /// Of 21 parts.
    private func predicate(_ account: Account) -> any LeafTest {
        let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43]
        let parts = primes.map { KeepingTest(step: $0, account) as any LeafTest }
        let others = primes.prefix(7).map { NotTest(part: KeepingTest(step: $0, account)) as any LeafTest }
        let both = AndTest([OrTest(Array(parts[7...])), NotTest(part: parts[0])])
        return OrTest([AndTest(others), both] + parts[1..<7])
    }

    private func run(
        _ test: any LeafTest, scratchMax: Int, leaves: Int, stopAfter: Int = .max
    ) -> [Int: SlotBitmap] {
        var found: [Int: SlotBitmap] = [:]
        var last = -1
        var batch = LeafBatch(test, scratchMax: scratchMax)
        func take(_ number: Int, _ slots: SlotBitmap) -> Bool {
            #expect(number > last && !slots.isEmpty)
            last = number
            found[number] = slots
            return found.count < stopAfter
        }
        for number in 0..<leaves {
            // Each third leaf is empty.
            let candidates = number % 3 == 2 ? SlotBitmap() : SlotBitmap(first: 1 + number * 37 % slotsPerLeaf)
            if !batch.take(number, candidates, take) { return found }
        }
        _ = batch.settle(take)
        return found
    }

    @Test("in batches they find the same, and one part keeps something at a time")
    func batches() {
        for leaves in [0, 1, 25, 1_535, 1_536, 1_537, 3_100] {
            let (free, bounded) = (Account(), Account())
            let expected = run(predicate(free), scratchMax: 21_000, leaves: leaves)
            #expect(run(predicate(bounded), scratchMax: 20_999, leaves: leaves) == expected, "\(leaves) leaves")
            #expect(bounded.kept == 0)
            guard leaves > 1 else { continue }
            #expect(expected.count > leaves / 2)
            #expect(free.most > 15_000, "\(leaves) leaves")
            #expect(bounded.most == 1_000, "\(leaves) leaves")
            // Two of three leaves have rows, and 1,024 of them are a batch.
            #expect(bounded.beginnings <= free.beginnings * (1 + leaves * 2 / 3 / 1_024), "\(leaves) leaves")
        }
    }

    @Test("whoever has enough is told no more")
    func stopping() {
        let account = Account()
        for count in [1, 5, 1_000] {
            #expect(run(predicate(account), scratchMax: 0, leaves: 3_000, stopAfter: count).count == count)
            #expect(run(predicate(account), scratchMax: .max, leaves: 3_000, stopAfter: count).count == count)
        }
    }
}
