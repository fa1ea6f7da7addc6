import CausewayMerge
import CausewayModel
import CausewayOperations

/// Every two changesets of each of three writers, in every corner of a small universe and every order of delivery that
/// respects causality: all orders must reach one state, and the reference must say the same.
///
/// A *scenario* is a shape, what the writers had seen, their clocks, and the intentions of the six changesets. A *case* is
/// a scenario delivered in one order. Scenarios in which somebody cannot do what is asked (remove from an empty list) are
/// left out and not counted.
///
/// Orders are not joined one by one. They are the paths through the lattice of delivered sets, so it is enough that all
/// edges into a node lead to the same state: then, from node to node, all paths do. This is stricter than comparing the
/// ends, since the states on the way are compared as well.
package struct Enumeration: Sendable {
    package let families: [Family]
    private let join: World.Join

    package init(shapes: [Shape] = Shape.all, join: @escaping World.Join = World.product) {
        self.join = join
        var families: [Family] = []
        var (firstCase, firstScenario) = (0, 0)
        for shape in shapes {
            for knowledge in Knowledge.all {
                for clocks in Clocks.allCases {
                    let family = Family(
                        shape, knowledge, clocks, firstCase: firstCase, firstScenario: firstScenario, join: join)
                    firstCase += family.scenarios * family.lattice.orders
                    firstScenario += family.scenarios
                    families.append(family)
                }
            }
        }
        self.families = families
    }

    /// Scenarios, the impossible ones among them.
    package var scenarios: Int { families.last.map { $0.firstScenario + $0.scenarios } ?? 0 }

    package func family(ofScenario number: Int) -> Family? {
        families.last { $0.firstScenario <= number && number < $0.firstScenario + $0.scenarios }
    }

    package func family(ofCase number: Int) -> Family? {
        families.last { $0.firstCase <= number && number < $0.firstCase + $0.scenarios * $0.lattice.orders }
    }
}

/// The scenarios of one shape, with the same knowledge and clocks.
package struct Family: Sendable {
    package let shape: Shape
    package let knowledge: Knowledge
    package let clocks: Clocks
    package let lattice: Lattice
    package let firstCase: Int
    package let firstScenario: Int
    /// What everybody has seen.
    let beginning: [Stamped]
    let founded: World
    /// The writers before their first turn.
    let authors: [Author]
    let join: World.Join

    init(
        _ shape: Shape, _ knowledge: Knowledge, _ clocks: Clocks, firstCase: Int, firstScenario: Int,
        join: @escaping World.Join
    ) {
        self.shape = shape
        self.knowledge = knowledge
        self.clocks = clocks
        self.firstCase = firstCase
        self.firstScenario = firstScenario
        self.join = join
        lattice = Lattice(knowledge)
        var founder = Author(9, join: join)
        beginning = shape.beginning.flatMap { founder.act($0) }
        founded = founder.world
        authors = [beginning].flatMap { beginning in
            (1...Knowledge.writers).map { writer in
                var author = Author(UInt64(writer), join: join)
                author.receive(beginning)
                if clocks == .firstAhead, writer == 1 { author.time += 100 }
                return author
            }
        }
    }

    package var scenarios: Int {
        (0..<Knowledge.changesets).reduce(1) { product, _ in product * shape.intentions.count }
    }

    /// What each changeset shall do, of the scenario with a number from 0.
    package func intentions(ofScenario number: Int) -> [Intention] {
        var number = number
        return (0..<Knowledge.changesets).map { _ in
            defer { number /= shape.intentions.count }
            return shape.intentions[number % shape.intentions.count]
        }
    }

    /// The operations of each changeset; nil when somebody cannot do what is asked.
    package func changesets(_ intentions: [Intention]) -> [[Stamped]]? {
        var authors = authors
        var heard = Array(repeating: [0, 0, 0], count: Knowledge.writers)
        var changesets = Array(repeating: [Stamped](), count: Knowledge.changesets)
        for changeset in lattice.order(0) {
            let writer = changeset / Knowledge.turns
            // In an order in which they can have been delivered.
            for other in lattice.order(0) where other / Knowledge.turns != writer {
                guard knowledge.knows(changeset, of: other), heard[writer][other / Knowledge.turns] <= other % 2
                else { continue }
                authors[writer].receive(changesets[other])
                heard[writer][other / Knowledge.turns] = other % Knowledge.turns + 1
            }
            changesets[changeset] = authors[writer].act(intentions[changeset])
            if changesets[changeset].isEmpty { return nil }
        }
        return changesets
    }
}
