import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import Testing

@Suite struct ListTests {
    private static let seeds = SeedList.drawn(for: "merged-lists", count: 300)

    private func stamp(_ time: UInt64, _ client: UInt64 = 1) -> Stamp {
        Stamp(time: time, client: ClientID(client))
    }

    private func id(_ counter: UInt64, _ client: UInt64 = 1) -> ElementID {
        ElementID(client: ClientID(client), counter: counter)
    }

    private func text(_ list: ListState) -> String {
        list.values.map { if case .string(let text) = $0 { text } else { "?" } }.joined()
    }

    private func list(_ letters: String) -> ListState {
        var list = ListState()
        for (index, letter) in letters.enumerated() {
            list.join(
                list.insertion(of: .string(String(letter)), at: index, id: id(UInt64(index + 1), 9)), stamp: stamp(1, 9)
            )
        }
        return list
    }

    /// Types letters at a place, forwards or backwards; gives the operations.
    private func type(
        _ letters: String, at index: Int, in start: ListState, by client: UInt64, backwards: Bool
    ) -> [ListOperation] {
        var list = start
        var operations: [ListOperation] = []
        for (offset, letter) in letters.enumerated() {
            let place = backwards ? index : index + offset
            let operation = list.insertion(
                of: .string(String(letter)), at: place, id: id(100 + UInt64(offset), client))
            list.join(operation, stamp: stamp(UInt64(10 + offset), client))
            operations.append(operation)
        }
        return operations
    }

    @Test("runs that several writers type at the same place never interleave, forwards or backwards")
    func runsStayWhole() {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            let start = list("<>")
            let runs = ["abcde", "fghij", "klmno"]
            let backwards = runs.map { _ in Bool.random(using: &random) }
            var queues = runs.enumerated().map { number, run in
                type(run, at: 1, in: start, by: UInt64(number + 1), backwards: backwards[number])
            }
            var merged = start
            while queues.contains(where: { !$0.isEmpty }) {
                let number = Int.random(in: queues.indices, using: &random)
                if queues[number].isEmpty { continue }
                merged.join(queues[number].removeFirst(), stamp: stamp(10, UInt64(number + 1)))
            }
            let result = text(merged)
            for (number, run) in runs.enumerated() {
                let expected = backwards[number] ? String(run.reversed()) : run
                #expect(result.contains(expected), "seed \(seed): \(result) tears \(expected)")
            }
        }
    }

    @Test("the later of two moves wins and the element shows once")
    func movesDoNotDuplicate() {
        let start = list("abcd")
        let toEnd = start.movement(from: 0, to: 3, id: id(50, 1))
        let toMiddle = start.movement(from: 0, to: 1, id: id(50, 2))
        for (first, second) in [((toEnd, 1), (toMiddle, 2)), ((toMiddle, 2), (toEnd, 1))]
            as [((ListOperation, UInt64), (ListOperation, UInt64))]
        {
            var merged = start
            merged.join(first.0, stamp: stamp(20 + first.1, first.1))
            merged.join(second.0, stamp: stamp(20 + second.1, second.1))
            #expect(text(merged) == "bacd")
        }
    }

    @Test("every local move lands at the index it names")
    func movements() {
        for from in 0..<5 {
            for to in 0..<5 {
                var merged = list("abcde")
                // A tombstone and an abandoned position in between make visible indices differ from places.
                merged.join(merged.insertion(of: .string("x"), at: 2, id: id(70)), stamp: stamp(5))
                merged.join(merged.removal(at: 2), stamp: stamp(6))
                merged.join(merged.movement(from: 4, to: 0, id: id(71)), stamp: stamp(7))
                var expected = Array(text(merged))
                expected.insert(expected.remove(at: from), at: to)
                merged.join(merged.movement(from: from, to: to, id: id(72)), stamp: stamp(8))
                #expect(text(merged) == String(expected), "\(from) to \(to)")
            }
        }
    }

    @Test("a clear removes what its writer saw and nothing else")
    func clearIsExact() {
        let start = list("abc")
        let clear = start.clearing()
        let insertion = start.insertion(of: .string("n"), at: 1, id: id(50, 2))
        for operations in [[clear, insertion], [insertion, clear]] {
            var merged = start
            for operation in operations { merged.join(operation, stamp: stamp(9)) }
            #expect(text(merged) == "n")
        }
    }

    @Test("operations that name unknown elements or origins neither trap nor lose an inserted element")
    func unknownNames() {
        for seed in Self.seeds {
            var random = SeededNumbers(seed: seed)
            var merged = list("abc")
            func anyID(_ random: inout SeededNumbers) -> ElementID {
                id(.random(in: 1...6, using: &random), .random(in: 8...10, using: &random))
            }
            func origin(_ random: inout SeededNumbers) -> ElementID? {
                Bool.random(using: &random) ? nil : anyID(&random)
            }
            for time in 0..<40 as Range<UInt64> {
                let operation: ListOperation =
                    switch UInt8.random(in: 0..<5, using: &random) {
                    case 0:
                        .insert(
                            anyID(&random), left: origin(&random), right: origin(&random), value: .int(Int64(time)))
                    case 1: .delete(anyID(&random))
                    case 2:
                        .move(
                            anyID(&random), position: anyID(&random), left: origin(&random), right: origin(&random))
                    case 3: .set(anyID(&random), value: .string("s"))
                    default: .clear([anyID(&random), anyID(&random)])
                    }
                merged.join(operation, stamp: stamp(time, 8))
                #expect(merged.values.count == merged.count, "seed \(seed)")
                merged.checkInvariants("seed \(seed)")
            }
            #expect((try? ListState(encoded: merged.encoded())) == merged, "seed \(seed)")
        }
        var empty = ListState()
        #expect(
            empty.join(.insert(id(1), left: id(7), right: id(8), value: .int(1)), stamp: stamp(1)) == .applied)
        #expect(empty.values == [.int(1)])
    }

    @Test("thousands of elements join, encode and decode in little time and space")
    func largeLists() throws {
        var merged = ListState()
        for index in 0..<20_000 {
            let operation = merged.insertion(of: .int(Int64(index)), at: index, id: id(UInt64(index + 1)))
            merged.join(operation, stamp: stamp(UInt64(index)))
        }
        for index in 0..<5_000 {
            merged.join(merged.insertion(of: .int(-1), at: 0, id: id(UInt64(30_000 + index))), stamp: stamp(50_000))
        }
        #expect(merged.count == 25_000)
        let bytes = merged.encoded()
        #expect(bytes.count < 25_000 * 10)
        #expect(try ListState(encoded: bytes) == merged)
    }

    @Test("a copy of a long list stays as it was when the list goes on")
    func copies() {
        var list = ListState()
        for index in 0..<3_000 {
            list.join(
                list.insertion(of: .int(Int64(index)), at: index, id: id(UInt64(index + 1))), stamp: stamp(1))
        }
        let copy = list
        list.join(.set(id(1_500), value: .int(-1)), stamp: stamp(2))
        list.join(.delete(id(10)), stamp: stamp(2))
        list.join(list.insertion(of: .int(-2), at: list.count, id: id(9_000)), stamp: stamp(2))
        #expect(copy.values == (0..<3_000).map { .int($0) })
        #expect(list.count == 3_000)
        #expect(list.values[1_498] == .int(-1))
        #expect(list.values.last == .int(-2))
        copy.checkInvariants("the copy")
        list.checkInvariants("the list")
    }
}

extension ListState {
    /// What ListState.swift promises about itself.
    func checkInvariants(_ comment: String) {
        #expect(isOrderOfTree, "\(comment): the kept order is not the tree's")
        #expect(Set(visible.map(\.id)).count == count, "\(comment): an element shows twice")
    }
}
