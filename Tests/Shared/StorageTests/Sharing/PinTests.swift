import CausewaySeeds
@testable import CausewayStorage
import Glibc
import Testing

@Suite("Pins")
struct PinTests {
    private static let seeds = SeedList.drawn(for: "pins", count: 40)

    @Test("at every step the writer is told of every pinned state, and of no state outside of what is pinned")
    func againstReference() throws {
        for seed in Self.seeds {
            let folder = try SharedFolder()
            let states = try (0..<3).map { _ in try folder.join() }
            var random = SeededNumbers(seed: seed)
            var held = states.map { _ in [SharedState.Pin]() }
            var newest: UInt64 = 1
            let mostPins = [3, 70, 200][Int(seed % 3)]
            for step in 0..<600 {
                let who = Int.random(in: 0..<3, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<2:
                    newest += UInt64.random(in: 1...3, using: &random)
                    states[who].publish(newest, slot: 0)
                case 2..<7 where held[who].count < mostPins:
                    let pin = states[who].pin()
                    #expect(pin.transaction == newest)
                    held[who].append(pin)
                default:
                    guard !held[who].isEmpty else { continue }
                    let index = Int.random(in: 0..<held[who].count, using: &random)
                    states[who].unpin(held[who].remove(at: index))
                }
                let told = states[step % 3].pinnedStates()
                let pinned = Set(held.joined().map(\.transaction))
                let ends = Set(told.ranges.flatMap { [$0.lowerBound, $0.upperBound] })
                #expect(Set(told.exact).union(ends).isSubset(of: pinned), "seed \(seed), step \(step)")
                #expect(told.exact == Set(told.exact).sorted(), "seed \(seed), step \(step)")
                #expect(
                    pinned.allSatisfy { one in
                        told.exact.contains(one) || told.ranges.contains { $0.contains(one) }
                    }, "seed \(seed), step \(step)")
                #expect(states[0].oldestPin?.transaction == pinned.min(), "seed \(seed), step \(step)")
                if mostPins <= SharedLayout.pinsMaximum { #expect(told.ranges.isEmpty) }
            }
        }
    }

    @Test("pins beyond the exact ones make a range no wider than they are, and end when they end")
    func range() {
        let state = SharedState()
        state.begin(at: 10)
        let exact = (0..<SharedLayout.pinsMaximum).map { _ in state.pin() }
        #expect(state.pinnedStates() == .init(exact: [10]))
        state.publish(20, slot: 0)
        let low = state.pin()
        #expect(state.pinnedStates() == .init(exact: [10], ranges: [20...20]))
        state.publish(30, slot: 0)
        let middle = (0..<1000).map { _ in state.pin() }
        state.publish(40, slot: 0)
        let high = state.pin()
        #expect(state.pinnedStates() == .init(exact: [10], ranges: [20...40]))
        state.unpin(low)
        #expect(state.pinnedStates() == .init(exact: [10], ranges: [30...40]))
        state.unpin(high)
        #expect(state.pinnedStates() == .init(exact: [10], ranges: [30...30]))
        for pin in exact { state.unpin(pin) }
        #expect(state.pinnedStates() == .init(ranges: [30...30]))
        #expect(state.oldestPin?.transaction == 30)
        for pin in middle { state.unpin(pin) }
        #expect(state.pinnedStates() == .init())
        #expect(state.oldestPin == nil)
    }

    @Test("the oldest pin is told with the process that holds it")
    func oldest() throws {
        let folder = try SharedFolder()
        let first = try folder.join()
        let second = try folder.join()
        let pin = second.pin()
        first.publish(9, slot: 0)
        _ = first.pin()
        #expect(first.oldestPin?.transaction == 1)
        #expect(first.oldestPin?.processID == getpid())
        second.unpin(pin)
        #expect(first.oldestPin?.transaction == 9)
    }

    @Test("a state that a reader has pinned is never written over while many threads pin and one writes")
    func concurrently() throws {
        // One mapping, since the thread sanitizer cannot tell that two show the same words. Several are `ProcessTests`.
        let state = try SharedFolder().join()
        let cells = Cells(count: 8)
        let isOver = Counter()
        let broken = Counter()
        let readings = Counter()
        atOnce(5) { number in
            var random = SeededNumbers(seed: UInt64(number))
            if number == 0 {
                while readings.value < 4 { usleep(10) }
                for _ in 0..<50_000 {
                    guard let cell = cells.free(state, &random) else { continue }
                    let transaction = state.takeBirth() * UInt64(cells.count) + UInt64(cell)
                    cells.fill(cell, with: transaction)
                    state.publish(transaction, slot: 0)
                }
                isOver.add(1)
                return
            }
            while isOver.value == 0 {
                let pins = (0..<(random.next() % 32 == 0 ? 40 : 1)).map { _ in state.pin() }
                for pin in pins {
                    if pin.transaction > 1, !cells.isFilled(with: pin.transaction) { broken.add(1) }
                    readings.add(1)
                    state.unpin(pin)
                }
            }
        }
        #expect(broken.value == 0)
        #expect(readings.value > 0)
        #expect(state.pinnedStates() == .init())
    }

    /// Every state is one cell filled with the number of its transaction, which names the cell.
    private final class Cells: Sendable {
        let count: Int
        /// nonisolated(unsafe): the rule under test is what keeps writer and readers apart.
        private nonisolated(unsafe) let words: UnsafeMutablePointer<UInt64>
        private static let width = 8

        init(count: Int) {
            self.count = count
            words = .allocate(capacity: count * Self.width)
            words.initialize(repeating: 0, count: count * Self.width)
        }

        deinit {
            words.deallocate()
        }

        func free(_ state: SharedState, _ random: inout SeededNumbers) -> Int? {
            let newest = state.newest
            let pinned = state.pinnedStates()
            let start = Int.random(in: 0..<count, using: &random)
            return (0..<count).map { (start + $0) % count }.first { cell in
                let transaction = words[cell * Self.width]
                return transaction != newest && !pinned.exact.contains(transaction)
                    && !pinned.ranges.contains { $0.contains(transaction) }
            }
        }

        func fill(_ cell: Int, with transaction: UInt64) {
            for word in 0..<Self.width { words[cell * Self.width + word] = transaction }
        }

        func isFilled(with transaction: UInt64) -> Bool {
            let cell = Int(transaction % UInt64(count))
            return (0..<Self.width).allSatisfy { words[cell * Self.width + $0] == transaction }
        }
    }
}
