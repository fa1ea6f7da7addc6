import CausewayMerge
import CausewayMergeUniverse
import CausewayModel
import CausewayOperations
import CausewaySeeds
import Testing

/// A sample of `deploy/test --enumerate`, and that the enumeration finds rules that are broken.
@Suite struct EnumerationTests {
    /// Which part is tried.
    private static let seeds = SeedList.drawn(for: "enumeration", count: 1)

    private struct Sample {
        var cases = 0
        var scenarios = 0
        var differences: [(number: Int, how: String)] = []
    }

    /// One part of so many of the scenarios.
    private func sample(_ enumeration: Enumeration, part: Int, of parts: Int, stopsAtFirst: Bool = false) -> Sample {
        var sample = Sample()
        for number in 0..<enumeration.scenarios where SpreadParts.part(ofScenario: number, of: parts) == part {
            guard let family = enumeration.family(ofScenario: number) else { continue }
            switch family.check(scenario: number - family.firstScenario) {
            case .impossible: break
            case .agrees(let cases):
                sample.cases += cases
                sample.scenarios += 1
            case .differs(let number, let how):
                sample.differences.append((number, how))
                if stopsAtFirst { return sample }
            }
        }
        return sample
    }

    @Test("every order in which two changesets each of three writers can arrive gives one state", arguments: Shape.all)
    func everyOrder(_ shape: Shape) throws {
        let enumeration = Enumeration(shapes: [shape])
        let parts = max(1, enumeration.scenarios / 300)
        for seed in Self.seeds {
            let part = Int(seed % UInt64(parts)) + 1
            let sample = sample(enumeration, part: part, of: parts)
            #expect(sample.scenarios > 0, "part \(part) of \(parts)")
            for (number, how) in sample.differences.prefix(3) {
                let story = enumeration.family(ofCase: number)?.story(ofCase: number)
                Issue.record("part \(part) of \(parts): \(how): \(story ?? "")")
            }
        }
    }

    /// A rule of merging, broken.
    struct Mutation: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let shape: String
        let join: World.Join
    }

    private static let mutations: [Mutation] = [
        Mutation(testDescription: "the last to arrive wins", shape: "values") { state, operation, stamp in
            guard case .set = operation else { return _ = state.join(operation, stamp: stamp) }
            state.join(operation, stamp: Stamp(time: stamp.time + 1 << 40, client: ClientID(1)))
        },
        Mutation(testDescription: "a default is a value like others", shape: "values") { state, operation, stamp in
            guard case .set(let object, var field) = operation else { return _ = state.join(operation, stamp: stamp) }
            field.isDefault = false
            state.join(.set(object, field), stamp: stamp)
        },
        Mutation(testDescription: "an addition counts on whatever stands", shape: "counters") {
            state, operation, stamp in
            guard case .add(let object, let property, var addition) = operation else {
                return _ = state.join(operation, stamp: stamp)
            }
            addition.base = nil
            state.join(.add(object, property: property, addition), stamp: stamp)
        },
        Mutation(testDescription: "a clear removes all that is there", shape: "lists") { state, operation, stamp in
            guard case .list(let object, let property, .clear) = operation, let list = state.list(property) else {
                return _ = state.join(operation, stamp: stamp)
            }
            state.join(.list(object, property: property, list.clearing()), stamp: stamp)
        },
        Mutation(testDescription: "an insert forgets its right neighbour", shape: "lists") { state, operation, stamp in
            guard case .list(let object, let property, .insert(let id, let left, _, let value)) = operation else {
                return _ = state.join(operation, stamp: stamp)
            }
            let edit = ListOperation.insert(id, left: left, right: nil, value: value)
            state.join(.list(object, property: property, edit), stamp: stamp)
        },
        Mutation(testDescription: "a removal leaves no stamp", shape: "maps") { state, operation, stamp in
            guard case .keyed(_, let property, .remove(let key)) = operation, let entries = state.keyed(property),
                entries[key] == nil
            else { return _ = state.join(operation, stamp: stamp) }
        },
        Mutation(testDescription: "an element is written as it was at first", shape: "sets") {
            state, operation, stamp in
            guard case .keyed(let object, let property, .put(let key, let value)) = operation,
                let standing = state.keyed(property)?.standing(key)
            else { return _ = state.join(operation, stamp: stamp) }
            state.join(.keyed(object, property: property, .put(key: standing, value: value)), stamp: stamp)
        },
        Mutation(testDescription: "a delete says nothing about which life", shape: "life") { state, operation, stamp in
            guard case .delete(let object, _) = operation else { return _ = state.join(operation, stamp: stamp) }
            state.join(.delete(object, life: state.life + 1), stamp: stamp)
        },
        Mutation(testDescription: "typing forgets what stood before it", shape: "texts") { state, operation, stamp in
            guard case .text(let object, let property, .insert(let id, _, let right, let text)) = operation else {
                return _ = state.join(operation, stamp: stamp)
            }
            let edit = TextOperation.insert(id, left: nil, right: right, text: text)
            state.join(.text(object, property: property, edit), stamp: stamp)
        },
    ]

    @Test("a rule that is broken is found", arguments: mutations)
    func mutation(_ mutation: Mutation) throws {
        let shape = try #require(Shape.all.first { $0.name == mutation.shape })
        let enumeration = Enumeration(shapes: [shape], join: mutation.join)
        let sample = sample(enumeration, part: 1, of: 500, stopsAtFirst: true)
        let number = try #require(sample.differences.first?.number)
        let story = try #require(enumeration.family(ofCase: number)?.story(ofCase: number))
        #expect(story.hasPrefix("case \(number): \(shape.name)"))
    }

    @Test("orders of delivery are counted, and each is a different one")
    func orders() {
        for knowledge in Knowledge.all {
            let lattice = Lattice(knowledge)
            let orders = (0..<lattice.orders).map { lattice.order($0) }
            #expect(Set(orders).count == lattice.orders, "\(knowledge.name)")
            for order in orders {
                #expect(order.sorted() == Array(0..<Knowledge.changesets), "\(knowledge.name)")
                for (place, changeset) in order.enumerated() {
                    for later in order[place...] {
                        #expect(!knowledge.knows(changeset, of: later), "\(knowledge.name): \(order)")
                    }
                }
            }
        }
        #expect(Lattice(Knowledge.all[0]).orders == 90)
    }
}
