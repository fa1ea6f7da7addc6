import CausewayModel
import CausewayObjectStoreReference
import CausewayQuery

// Subscripts of mixed values, as the grammar's page words them.

extension NaiveEvaluator {
    /// What the subscripts at a path's end find. One of them that finds nothing makes null, and nothing at all where any
    /// of them leads to many.
    func nested(_ step: BoundPath.Step, of row: ReferenceStore.Row) -> [Value] {
        var reached: [ReferenceStore.Collection?]
        var found: [Value?] = []
        if let name = step.mapKey {
            found = [entries(step, of: row)[name]]
            reached = [store.collections[found[0] ?? .null]]
        } else {
            switch step.collection {
            case .none:
                found = [row.values[step.property]]
                reached = [store.collections[row.values[step.property]]]
            case .list, .set: reached = [.list(row.lists[step.property] ?? [])]
            case .map: reached = [.map(entries(step, of: row))]
            }
        }
        for subscripted in step.nested {
            if subscripted == .count {
                // A text or data has as many as it has bytes.
                found = reached.indices.map { place in
                    bytes(of: found.indices.contains(place) ? found[place] : nil)
                        ?? elements(of: reached[place], at: .count)[0]
                }
            } else {
                found = reached.flatMap { elements(of: $0, at: subscripted) }
            }
            reached = found.map { value in value.flatMap { store.collections[$0] } }
        }
        return goesToMany(step.nested) ? found.compactMap { $0 } : found.map { $0 ?? .null }
    }

    private func bytes(of value: Value?) -> Value? {
        switch value {
        case .string(let text): .int(Int64(text.utf8.count))
        case .bytes(let bytes): .int(Int64(bytes.count))
        default: nil
        }
    }

    func goesToMany(_ steps: [NestedStep]) -> Bool { steps.contains(.any) || steps.contains(.keys) }

    private func entries(_ step: BoundPath.Step, of row: ReferenceStore.Row) -> [ExactString: Value] {
        var entries: [ExactString: Value] = [:]
        for case (.string(let name), let value) in zip(row.lists[~step.property] ?? [], row.lists[step.property] ?? [])
        {
            entries[ExactString(name)] = value
        }
        return entries
    }

    /// Nil stands for what is not there.
    private func elements(of collection: ReferenceStore.Collection?, at step: NestedStep) -> [Value?] {
        switch (step, collection) {
        case (.any, .list(let elements)): elements
        case (.any, .map(let entries)): entries.map(\.value)
        case (.keys, .map(let entries)): entries.map { .string($0.key.string) }
        case (.count, .list(let elements)): [.int(Int64(elements.count))]
        case (.count, .map(let entries)): [.int(Int64(entries.count))]
        case (.index(let index), .list(let elements)): [index < elements.count ? elements[index] : nil]
        case (.key(let key), .map(let entries)): [entries[key]]
        default: [nil]
        }
    }
}
