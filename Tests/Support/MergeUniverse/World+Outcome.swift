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
    /// What an app sees of it.
    package var outcome: NaiveMerge.Outcome {
        NaiveMerge.Outcome(
            life: life,
            fields: Dictionary(uniqueKeysWithValues: fields.map { ($0.property, $0.value) }),
            lists: Dictionary(uniqueKeysWithValues: lists.map { ($0.property, $0.list.values) })
                .filter { !$0.value.isEmpty },
            entries: Dictionary(
                uniqueKeysWithValues: keyed.map { field in
                    (
                        field.property,
                        Dictionary(uniqueKeysWithValues: field.entries.visible.map { ($0.key, $0.value) })
                    )
                }
            ).filter { !$0.value.isEmpty },
            texts: Dictionary(uniqueKeysWithValues: texts.map { ($0.property, ExactString($0.text.string)) })
                .filter { !$0.value.string.isEmpty }
        )
    }
}
