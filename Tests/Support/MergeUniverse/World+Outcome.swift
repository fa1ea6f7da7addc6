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
        NaiveMerge.Outcome(
            life: life,
            fields: Self.byName(fields.map { ($0.property, ExactValue(stored: $0.value)) }),
            lists: Self.byName(
                lists.filter { !$0.list.isEmpty }.map { field in
                    (field.property, field.list.values.map { ExactValue(stored: $0) })
                }),
            entries: Self.byName(
                keyed.filter { !$0.entries.isEmpty }.map { field in
                    let visible = field.entries.visible
                    return (
                        field.property,
                        Dictionary(
                            uniqueKeysWithValues: visible.map {
                                (ExactValue(stored: $0.key), ExactValue(stored: $0.value))
                            })
                    )
                }),
            texts: Self.byName(texts.map { ($0.property, ExactString($0.text.string)) })
                .filter { !$0.value.string.isEmpty }
        )
    }

    private static func byName<Content>(_ properties: [(String, Content)]) -> [ExactString: Content] {
        Dictionary(uniqueKeysWithValues: properties.map { (ExactString($0.0), $0.1) })
    }
}
