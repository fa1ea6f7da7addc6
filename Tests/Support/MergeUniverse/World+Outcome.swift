import CausewayExactValues
package import CausewayMerge
package import CausewayMergeOracle
import CausewayModel
package import CausewayOperations

extension World {
    /// What an app sees of each object.
    package var outcome: [ObjectReference: NaiveMerge.Outcome] {
        Dictionary(uniqueKeysWithValues: objects.map { ($0.name, $0.state.outcome) })
    }

    /// What the reference says of each object.
    package static func naiveOutcome(of actions: [Stamped]) -> [ObjectReference: NaiveMerge.Outcome] {
        var merges: [ObjectReference: NaiveMerge] = [:]
        for action in actions {
            merges[action.operation.target, default: NaiveMerge()].operations.append((action.operation, action.stamp))
        }
        return merges.mapValues(\.outcome)
    }
}

extension ObjectState {
    /// What an app sees of it. In memory a NaN may have its payload yet: `LawTests` look at what is written of it.
    package var outcome: NaiveMerge.Outcome {
        var outcome = NaiveMerge.Outcome(
            life: life,
            fields: Dictionary(
                uniqueKeysWithValues: fields.map { (ExactString($0.property), ExactValue(stored: $0.value)) }))
        for part in parts {
            let name = ExactString(part.property)
            switch part.content {
            case .list(let list) where !list.isEmpty:
                outcome.lists[name] = list.values.map { ExactValue(stored: $0) }
            case .keyed(let entries) where !entries.isEmpty:
                outcome.entries[name] = Dictionary(
                    uniqueKeysWithValues: entries.visible.map {
                        (ExactValue(stored: $0.key), ExactValue(stored: $0.value))
                    })
            case .text(let text) where !text.string.isEmpty: outcome.texts[name] = ExactString(text.string)
            case .list, .keyed, .text: break
            }
        }
        return outcome
    }
}
