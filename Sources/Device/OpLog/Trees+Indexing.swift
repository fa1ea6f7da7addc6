import CausewayModel
import CausewayObjectStore
import CausewayOperations

extension Trees {
    /// Makes the index of a log that an earlier build wrote: which changeset created a row, and which one was about an
    /// object before. Reads the whole log once.
    func index(_ stored: ReplicaState) throws(StoreError) {
        var state = stored
        var last: [ObjectReference: UInt64] = [:]
        var elementCounter: UInt64 = 0
        for (sequence, found) in try touched(after: state.acknowledged, through: state.lastSequence) {
            var touched = found
            for rows in touched.fresh { fresh.add(rows, by: sequence) }
            for index in touched.others.indices {
                let object = touched.others[index].object
                let creator = creator(of: object).flatMap { $0 < sequence ? $0 : nil }
                touched.others[index].previous = last[object] ?? creator ?? 0
                if last[object] == nil, let creator { addDue(object, with: creator) }
                last[object] = sequence
            }
            let operations = try entry(sequence, of: log)?.operations ?? []
            for operation in operations {
                guard case .container(let id) = operation.target.key, state.hasMade(id) else { continue }
                elementCounter = max(elementCounter, id.counter)
            }
            touched.elementCounter = elementCounter
            self.touched.put(Self.key(sequence), touched.encoded())
        }
        state.isIndexed = true
        save(state)
    }

    private func creator(of object: ObjectReference) -> UInt64? {
        guard let key = row(of: object) else { return nil }
        return fresh.creator(of: object.className, key)
    }
}
