import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewaySeeds
import Testing

/// The laws of RULES.md, section 7, over random histories of several writers.
@Suite struct LawTests {
    typealias Stamped = (operation: Operation, stamp: Stamp)

    /// Writers that act and hear from each other at random; what each has not heard of the others stays in its inbox.
    private struct History {
        var writers: [Writer]
        /// Per writer, the actions of all others in their order that it has not yet received.
        var inboxes: [[[Stamped]]]
        /// All actions in the order in which the server would have joined them.
        var log: [[Stamped]]

        init(seed: UInt64, writers count: Int, actions: Int, intentions: [Writer.Intention]) {
            var random = SeededNumbers(seed: seed)
            var founder = Writer(100)
            let start = founder.act(.create)
            writers = (0..<count).map { Writer(UInt64($0 + 1)) }
            for index in writers.indices {
                for (operation, stamp) in start { writers[index].receive(operation, stamp) }
            }
            inboxes = Array(repeating: [], count: count)
            log = [start]
            for _ in 0..<actions {
                let writer = Int.random(in: 0..<count, using: &random)
                if Int.random(in: 0..<3, using: &random) == 0, !inboxes[writer].isEmpty {
                    // A prefix of the server's order, as a download is.
                    receive(writer, .random(in: 1...inboxes[writer].count, using: &random))
                    continue
                }
                let action = writers[writer].act(intentions.randomElement(using: &random)!)
                if action.isEmpty { continue }
                log.append(action)
                for other in 0..<count where other != writer { inboxes[other].append(action) }
            }
        }

        mutating func receive(_ writer: Int, _ count: Int) {
            for (operation, stamp) in inboxes[writer].prefix(count).joined() {
                writers[writer].receive(operation, stamp)
            }
            inboxes[writer].removeFirst(count)
        }
    }

    private static let exceptRecreation = Writer.Intention.allCases.filter { $0 != .recreate && $0 != .delete }

    @Test("writers that have heard the same operations in different orders hold equal bytes, as the reference says")
    func convergence() {
        for seed in 0..<300 as Range<UInt64> {
            var history = History(seed: seed, writers: 3, actions: 30, intentions: LawTests.exceptRecreation)
            var server = ObjectState()
            for (operation, stamp) in history.log.joined() { server.join(operation, stamp: stamp) }
            #expect(server.outcome == NaiveMerge(operations: Array(history.log.joined())).outcome, "seed \(seed)")
            for writer in history.writers.indices {
                history.receive(writer, history.inboxes[writer].count)
                #expect(history.writers[writer].state == server, "seed \(seed), writer \(writer)")
                #expect(history.writers[writer].state.encoded() == server.encoded(), "seed \(seed), writer \(writer)")
            }
        }
    }

    @Test("joining everything again changes nothing, but for additions, which only [I2] keeps from counting twice")
    func idempotence() {
        let intentions = LawTests.exceptRecreation.filter { $0 != .addOne && $0 != .addMany }
        for seed in 0..<200 as Range<UInt64> {
            let history = History(seed: seed, writers: 3, actions: 25, intentions: intentions)
            var server = ObjectState()
            for (operation, stamp) in history.log.joined() { server.join(operation, stamp: stamp) }
            let before = server
            for action in history.log {
                for (operation, stamp) in action { server.join(operation, stamp: stamp) }
                #expect(server == before, "seed \(seed): \(action)")
            }
        }
    }

    @Test("merging list states is commutative, associative and idempotent, and equals joining the operations of all")
    func listStates() {
        for seed in 0..<300 as Range<UInt64> {
            let history = History(seed: seed, writers: 3, actions: 30, intentions: Writer.Intention.aboutLists)
            var joined = ObjectState()
            for (operation, stamp) in history.log.joined() { joined.join(operation, stamp: stamp) }
            let expected = joined.list("items") ?? ListState()
            let states = history.writers.map { $0.state.list("items") ?? ListState() }
            func merged(_ left: ListState, _ right: ListState) -> ListState {
                var result = left
                result.merge(right)
                result.checkInvariants("seed \(seed)")
                return result
            }
            let (a, b, c) = (states[0], states[1], states[2])
            #expect(merged(a, a) == a, "seed \(seed)")
            #expect(merged(a, b) == merged(b, a), "seed \(seed)")
            #expect(merged(merged(a, b), c) == merged(a, merged(b, c)), "seed \(seed)")
            #expect(merged(merged(a, b), c) == expected, "seed \(seed)")
            #expect(merged(merged(a, b), c).encoded() == expected.encoded(), "seed \(seed)")
        }
    }

    @Test("merging sets and maps is commutative, associative and idempotent, and equals joining the operations of all")
    func keyedStates() {
        for seed in 0..<300 as Range<UInt64> {
            let history = History(seed: seed, writers: 3, actions: 30, intentions: Writer.Intention.aboutEntries)
            var joined = ObjectState()
            for (operation, stamp) in history.log.joined() { joined.join(operation, stamp: stamp) }
            let expected = joined.keyed("entries") ?? KeyedState()
            let states = history.writers.map { $0.state.keyed("entries") ?? KeyedState() }
            func merged(_ left: KeyedState, _ right: KeyedState) -> KeyedState {
                var result = left
                result.merge(right)
                return result
            }
            let (a, b, c) = (states[0], states[1], states[2])
            #expect(merged(a, a) == a, "seed \(seed)")
            #expect(merged(a, b) == merged(b, a), "seed \(seed)")
            #expect(merged(merged(a, b), c) == merged(a, merged(b, c)), "seed \(seed)")
            #expect(merged(merged(a, b), c) == expected, "seed \(seed)")
            #expect(merged(merged(a, b), c).encoded() == expected.encoded(), "seed \(seed)")
        }
    }

    @Test("states survive their encoding, and damaged ones are refused or harmless")
    func encoding() throws {
        for seed in 0..<150 as Range<UInt64> {
            var random = SeededNumbers(seed: seed)
            let history = History(seed: seed, writers: 2, actions: 25, intentions: LawTests.exceptRecreation)
            let state = history.writers[0].state
            let bytes = state.encoded()
            let decoded = try ObjectState(encoded: bytes)
            #expect(decoded == state, "seed \(seed)")
            #expect(decoded.encoded() == bytes, "seed \(seed)")
            for length in bytes.indices {
                #expect(throws: EncodingError.self, "seed \(seed), cut to \(length)") {
                    try ObjectState(encoded: Array(bytes.prefix(length)))
                }
            }
            for _ in 0..<100 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    damaged[.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                guard var state = try? ObjectState(encoded: damaged) else { continue }
                // Whatever it is, it can be used.
                for (operation, stamp) in history.log.joined() { state.join(operation, stamp: stamp) }
                state.overlay(history.writers[1].state)
                for list in state.lists { list.list.checkInvariants("seed \(seed), damaged") }
            }
        }
    }

    @Test("an overlay replaces fields whatever their stamps, and a new life replaces everything")
    func overlay() {
        let late = Stamp(time: 9, client: ClientID(1))
        let early = Stamp(time: 1, client: ClientID(2))
        var state = ObjectState(
            life: 1, fields: [.init("x", .int(1), stamp: late), .init("y", .int(1), stamp: late)], born: early)
        state.overlay(
            ObjectState(life: 1, fields: [.init("y", .int(2), stamp: early), .init("z", .int(2), stamp: early)]))
        #expect(state["x"]?.value == .int(1))
        #expect(state["y"]?.value == .int(2))
        #expect(state["z"]?.value == .int(2))
        state.overlay(ObjectState(life: 3, fields: [.init("z", .int(3), stamp: early)]))
        #expect(state.fields.map(\.property) == ["z"])
        state.overlay(ObjectState(life: 4))
        #expect(state == ObjectState(life: 4))
    }
}
