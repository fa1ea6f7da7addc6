import CausewayExactValues
import CausewayMerge
import CausewayMergeOracle
import CausewayMergeUniverse
import CausewayModel
import CausewayOperations
import CausewaySeeds
import CausewayShrinking
import Testing

/// The laws of RULES.md, section 7, over generated histories of three writers; what breaks one is shown as small as it gets.
@Suite struct LawTests {
    private static let seeds = SeedList.drawn(for: "laws", count: 250)
    private static let encodingSeeds = SeedList.drawn(for: "law-encoding", count: 100)

    /// Everything but what ends objects: between a delete and the create that follows it, the server's order decides.
    private static let lasting = Intention.allCases.filter {
        ![.delete, .createAgain, .deleteAndCreate, .deleteOther, .deleteAndCreateOther].contains($0)
    }
    private static let additions: [Intention] = [.addOne, .addMany, .addToEmbedded]

    private func law(
        _ name: String, _ intentions: [Intention], steps: Int = 40, broken: @escaping (History) -> String?
    ) -> Law<[History.Step]> {
        Law(name) { random in
            (0..<random.number(1...steps)).map { _ in
                let writer = random.below(History.writers)
                return random.once(in: 4)
                    ? .hear(writer, random.number(1...6)) : .act(writer, random.one(of: intentions))
            }
        } smaller: { steps in
            steps.withLess()
                + steps.withSmaller { step in
                    // A writer less is less, and so is hearing less.
                    switch step {
                    case .act(let writer, let intention): writer == 0 ? [] : [.act(writer - 1, intention)]
                    case .hear(let writer, let count): count == 1 ? [] : [.hear(writer, count - 1)]
                    }
                }
        } broken: {
            broken(History($0))
        }
    }

    private static func actions(_ history: History, _ order: [Int]) -> [Stamped] {
        history.beginning + order.flatMap { history.log[$0].actions }
    }

    @Test("writers that have heard the same operations in different orders hold equal bytes, as the reference says")
    func convergence() {
        let law = law("convergence", Self.lasting) { history in
            let order = Array(history.log.indices)
            let server = history.world(order)
            guard server.outcome == World.naiveOutcome(of: Self.actions(history, order)) else {
                return "the reference says otherwise"
            }
            var history = history
            history.settle()
            for (number, author) in history.authors.enumerated() {
                guard author.world == server else { return "writer \(number) has another state" }
                let isSame = zip(author.world.objects, server.objects).allSatisfy {
                    $0.state.encoded() == $1.state.encoded()
                }
                guard isSame else { return "writer \(number) has other bytes" }
            }
            for preference in [[0, 1, 2], [2, 1, 0], [1, 2, 0]]
            where history.world(history.order(preferring: preference)) != server {
                return "another order of delivery ends elsewhere"
            }
            return nil
        }
        expectHolds(law, seeds: Self.seeds)
    }

    @Test(
        "whatever the order, the state is what the reference makes of that order, with objects that end and come back")
    func lives() {
        let law = law("lives", Intention.allCases) { history in
            for preference in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                let order = history.order(preferring: preference)
                guard history.world(order).outcome == World.naiveOutcome(of: Self.actions(history, order)) else {
                    return "the reference says otherwise of \(order)"
                }
            }
            return nil
        }
        expectHolds(law, seeds: Self.seeds)
    }

    @Test("concurrent changesets commute, one behind the other in any state")
    func commutativity() {
        let law = law("commutativity", Self.lasting) { history in
            for second in history.log.indices.dropFirst() where !history.knows(second, of: second - 1) {
                let before = history.world(Array(0..<second - 1))
                var (one, other) = (before, before)
                for (world, entries) in [(0, [second - 1, second]), (1, [second, second - 1])] {
                    for entry in entries {
                        if world == 0 {
                            one.join(history.log[entry].actions, by: World.product)
                        } else {
                            other.join(history.log[entry].actions, by: World.product)
                        }
                    }
                }
                guard one == other else { return "changesets \(second - 1) and \(second) do not commute" }
            }
            return nil
        }
        expectHolds(law, seeds: Self.seeds)
    }

    @Test("joining everything again changes nothing, but for additions, which only [I2] keeps from counting twice")
    func idempotence() {
        let law = law("idempotence", Self.lasting.filter { !Self.additions.contains($0) }) { history in
            let server = history.world(Array(history.log.indices))
            for (number, entry) in history.log.enumerated() {
                var again = server
                again.join(entry.actions, by: World.product)
                guard again == server else { return "changeset \(number) counts twice" }
            }
            return nil
        }
        expectHolds(law, seeds: Self.seeds)
    }

    @Test("what has no effect at one time has none later, as long as its object lives")
    func dominance() {
        let law = law("dominance", Self.lasting) { history in
            // Operations that left their object as it was.
            var idle: [Stamped] = []
            var world = World()
            world.join(history.beginning, by: World.product)
            for action in history.log.flatMap(\.actions) {
                let before = world[action.operation.target]
                world.join([action], by: World.product)
                if let before, world[action.operation.target] == before { idle.append(action) }
                for past in idle {
                    var later = world
                    later.join([past], by: World.product)
                    guard later == world else { return "it had no effect, and has one later: \(past)" }
                }
            }
            return nil
        }
        expectHolds(law, seeds: Self.seeds)
    }

    @Test("merging list states is commutative, associative and idempotent, and equals joining the operations of all")
    func listStates() {
        let intentions: [Intention] = [
            .insertFirst, .insertSecond, .insertLast, .insertTwo, .removeFirst, .removeLast, .setFirst, .setLast,
            .moveFirstToLast, .moveLastToFirst, .moveFirstToSecond, .clearList,
        ]
        let law = law("merging lists", intentions) { history in
            func list(_ world: World) -> ListState { world[Author.note]?.list("items") ?? ListState() }
            return Self.brokenMerge(
                history.authors.map { list($0.world) }, expected: list(history.world(Array(history.log.indices)))
            ) { left, right in
                left.merge(right)
                left.checkInvariants("merged")
            }
        }
        expectHolds(law, seeds: Self.seeds)
    }

    @Test("merging sets and maps is commutative, associative and idempotent, and equals joining the operations of all")
    func keyedStates() {
        let intentions: [Intention] = [.putA, .putB, .putNull, .linkMap, .removeA, .removeB, .clearMap]
        let law = law("merging maps", intentions) { history in
            func map(_ world: World) -> KeyedState { world[Author.note]?.keyed("entries") ?? KeyedState() }
            return Self.brokenMerge(
                history.authors.map { map($0.world) }, expected: map(history.world(Array(history.log.indices)))
            ) { $0.merge($1) }
        }
        expectHolds(law, seeds: Self.seeds)
    }

    private static func brokenMerge<State: EncodedState & Equatable>(
        _ states: [State], expected: State, _ merge: (inout State, State) -> Void
    ) -> String? {
        func merged(_ left: State, _ right: State) -> State {
            var result = left
            merge(&result, right)
            return result
        }
        let (a, b, c) = (states[0], states[1], states[2])
        let all = merged(merged(a, b), c)
        if merged(a, a) != a { return "merging with itself changes it" }
        if merged(a, b) != merged(b, a) { return "the order shows" }
        if all != merged(a, merged(b, c)) { return "the grouping shows" }
        if all != expected || all.encoded() != expected.encoded() { return "it is not what all operations make" }
        return nil
    }

    @Test("states survive their encoding, and damaged ones are refused or harmless")
    func encoding() {
        let law = law("encoding", Intention.allCases, steps: 25) { history in
            let world = history.world(Array(history.log.indices))
            for object in world.objects {
                let bytes = object.state.encoded()
                guard let decoded = try? ObjectState(encoded: bytes), decoded == object.state,
                    decoded.encoded() == bytes
                else { return "\(object.name) does not survive" }
                let isOneNaN = decoded.fields.allSatisfy { ExactValue($0.value) == ExactValue(stored: $0.value) }
                guard isOneNaN else { return "\(object.name) keeps the payload of a NaN" }
                for length in bytes.indices where (try? ObjectState(encoded: Array(bytes.prefix(length)))) != nil {
                    return "\(object.name) cut to \(length) is accepted"
                }
                var random = SeededNumbers(seed: UInt64(bytes.count))
                for _ in 0..<40 {
                    var damaged = bytes
                    for _ in 0..<random.number(1...3) { damaged[random.below(bytes.count)] = random.bytes(1)[0] }
                    guard var state = try? ObjectState(encoded: damaged) else { continue }
                    // Whatever it is, it can be used.
                    for action in history.log.flatMap(\.actions) where action.operation.target == object.name {
                        state.join(action.operation, stamp: action.stamp)
                    }
                    state.overlay(object.state)
                    for part in state.parts {
                        if case .list(let list) = part.content { list.checkInvariants("damaged") }
                    }
                }
            }
            return nil
        }
        expectHolds(law, seeds: Self.encodingSeeds)
    }

    private func expectHolds(_ law: Law<[History.Step]>, seeds: [UInt64]) {
        if let found = law.counterexample(seeds: seeds) { Issue.record("\(found)") }
    }

    @Test("a law that is broken is shown in the fewest steps that break it")
    func minimal() throws {
        // Additions do count twice.
        let law = law("idempotence of additions", Self.lasting) { history in
            let server = history.world(Array(history.log.indices))
            var again = server
            for entry in history.log { again.join(entry.actions, by: World.product) }
            return again == server ? nil : "something counts twice"
        }
        let found = try #require(law.counterexample(seeds: 0..<50))
        #expect(found.minimal.count <= 2, "\(found)")
        #expect("\(found)".contains("add"), "\(found)")
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
