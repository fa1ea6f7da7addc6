import CausewayMerge
import CausewayMergeOracle
import CausewayModel
import CausewayOperations

extension Family {
    /// One case to be read: who wrote what, and the states in the order of delivery. Nil when it is impossible.
    ///
    /// - Parameter number: of the case, among all of the enumeration.
    package func story(ofCase number: Int) -> String? {
        let (scenario, order) = (number - firstCase).quotientAndRemainder(dividingBy: lattice.orders)
        let intentions = intentions(ofScenario: scenario)
        guard let changesets = changesets(intentions) else { return nil }
        var lines = [
            "case \(number): \(shape.name); \(knowledge.name); clocks: \(clocks.rawValue)",
            "everybody has seen: \(shape.beginning.map(\.rawValue).joined(separator: ", "))",
        ]
        for action in beginning { lines.append("    \(action)") }
        var world = founded
        var past = beginning
        for changeset in lattice.order(order) {
            let (writer, turn) = (changeset / Knowledge.turns + 1, changeset % Knowledge.turns + 1)
            lines.append("writer \(writer), turn \(turn): \(intentions[changeset].rawValue)")
            for action in changesets[changeset] { lines.append("    \(action)") }
            world.join(changesets[changeset], by: join)
            past += changesets[changeset]
            let expected = World.naiveOutcome(of: past)
            for object in world.objects {
                let outcome = object.state.outcome
                lines.append("  \(object.name.className) \(object.name.key): \(outcome)")
                if outcome != expected[object.name] {
                    let other = expected[object.name].map { "\($0)" } ?? "nothing"
                    lines.append("    the reference says: \(other)")
                }
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension Stamped: CustomStringConvertible {
    package var description: String {
        "\(stamp.time >> 16) by \(stamp.client.rawValue): \(operation)"
    }
}
