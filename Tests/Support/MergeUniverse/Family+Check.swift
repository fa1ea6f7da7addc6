import CausewayMerge
import CausewayMergeOracle
import CausewayModel
import CausewayOperations

/// What became of a scenario.
package enum Verdict: Equatable, Sendable {
    /// Somebody cannot do what is asked.
    case impossible
    case agrees(cases: Int)
    /// The case that shows it, and how.
    case differs(number: Int, String)
}

extension Family {
    /// - Parameter scenario: from 0.
    package func check(scenario: Int) -> Verdict {
        let intentions = intentions(ofScenario: scenario)
        guard let changesets = changesets(intentions) else { return .impossible }
        let verdict =
            dependsOnOrder(changesets) ? checkEachOrder(changesets) : checkLattice(changesets)
        guard case .differs(let order, let how) = verdict else { return verdict }
        return .differs(number: firstCase + scenario * lattice.orders + order, how)
    }

    /// The pair for which RULES.md, section 1, promises no independence of order: something written without having seen
    /// that its object was deleted and made again, and not older than that.
    func dependsOnOrder(_ changesets: [[Stamped]]) -> Bool {
        for (maker, made) in changesets.enumerated() {
            for action in made {
                guard case .create(let object, let life, _) = action.operation, life > 1 else { continue }
                for (writer, written) in changesets.enumerated()
                where !knowledge.knows(writer, of: maker) && !knowledge.knows(maker, of: writer) && writer != maker {
                    let isExempt = written.contains { other in
                        switch other.operation {
                        case .create, .delete: false
                        default: other.operation.target == object && !(other.stamp < action.stamp)
                        }
                    }
                    if isExempt { return true }
                }
            }
        }
        return false
    }

    // MARK: - Where all orders are one

    private func checkLattice(_ changesets: [[Stamped]]) -> Verdict {
        var worlds: [World] = [founded]
        worlds.reserveCapacity(lattice.nodes.count)
        for node in lattice.nodes.dropFirst() {
            var reached: World?
            for edge in node.edges {
                var world = worlds[edge.from]
                world.join(changesets[edge.changeset], by: join)
                if let reached, reached != world { return firstDifference(changesets) }
                if reached == nil { reached = world }
            }
            guard let reached else { preconditionFailure("A set of changesets is reached from nowhere.") }
            worlds.append(reached)
        }
        let end = worlds[worlds.count - 1]
        let order = lattice.order(0)
        let expected = World.naiveOutcome(of: beginning + order.flatMap { changesets[$0] })
        guard end.outcome == expected else { return .differs(number: 0, "the reference says otherwise") }
        for edge in lattice.nodes[worlds.count - 1].edges {
            var world = worlds[edge.from]
            world.join(changesets[edge.changeset], by: join)
            let isSame = zip(world.objects, end.objects).allSatisfy { $0.state.encoded() == $1.state.encoded() }
            if !isSame { return .differs(number: 0, "the order shows in the bytes") }
        }
        return .agrees(cases: lattice.orders)
    }

    /// Which order ends elsewhere than the first one.
    private func firstDifference(_ changesets: [[Stamped]]) -> Verdict {
        let first = delivered(lattice.order(0), changesets)
        for number in 1..<lattice.orders where delivered(lattice.order(number), changesets) != first {
            return .differs(number: number, "another order of delivery ends in another state")
        }
        return .differs(number: 0, "orders of delivery that end alike differ on the way")
    }

    // MARK: - Where the server's order decides

    private func checkEachOrder(_ changesets: [[Stamped]]) -> Verdict {
        for number in 0..<lattice.orders {
            let order = lattice.order(number)
            let expected = World.naiveOutcome(of: beginning + order.flatMap { changesets[$0] })
            guard delivered(order, changesets).outcome == expected else {
                return .differs(number: number, "the reference says otherwise")
            }
        }
        return .agrees(cases: lattice.orders)
    }

    func delivered(_ order: [Int], _ changesets: [[Stamped]]) -> World {
        var world = founded
        for changeset in order { world.join(changesets[changeset], by: join) }
        return world
    }
}
