import CausewayMerge
import CausewayModel
import CausewayOperations
import CausewayStore

// What the version does to lists, sets, maps and texts, for the history: EditJournal.

extension WorkingObject {
    /// Joins an operation on a list, set, map or text, and notes what it did.
    ///
    /// - Parameter isPlaced: whether the operation is not as its author sent it.
    func joinNoting(_ operation: Operation, _ column: Int, stamp: Stamp, isPlaced: Bool) -> Outcome {
        guard var journal = journals.removeValue(forKey: column) ?? newJournal(column) else {
            // Asked until it is so once: the answer takes a walk over all that was removed.
            if effective, remembersUnseen(column) || image != nil && !knowsWhatIsNamed(by: operation) {
                effective = false
            }
            return state.join(operation, stamp: stamp)
        }
        defer { journals[column] = journal }
        // What was meant for an earlier life may have taken effect on the device, which does not know where lives began.
        if isPlaced || !state.isAlive || stamp < state.born { journal.noteAltered() }
        switch operation {
        case .list(_, let property, var edit):
            let isKnown = knowsWhatIsNamed(by: operation)
            if !isKnown, case .clear(let ids) = edit {
                let known = state.change(property, .list) { $0.changeList { $0.known(ids) } ?? [] }
                if let known { edit = .clear(known) }
            }
            let outcome = state.join(operation, stamp: stamp)
            journal.note(edit, stamp, isKnown: isKnown, outcome)
            return outcome
        case .keyed(_, _, let edit):
            let outcome = state.join(operation, stamp: stamp)
            journal.note(edit, stamp, outcome)
            return outcome
        case .text(_, _, let edit):
            let isKnown = knowsWhatIsNamed(by: operation)
            let outcome = state.join(operation, stamp: stamp)
            journal.note(edit, stamp, isKnown: isKnown, outcome)
            return outcome
        case .create, .delete, .set, .add:
            return state.join(operation, stamp: stamp)
        }
    }

    /// Nil where only the whole state can be told: the version found no object, or a part that showed nothing. A resync
    /// does not compare what is remembered of such a part, so devices may remember something else.
    private func newJournal(_ column: Int) -> EditJournal? {
        let property = plan.schema.properties[column]
        guard let kind = property.part, let image, let found = image[property.name, kind], !found.showsNothing else {
            return nil
        }
        return EditJournal(kind)
    }

    /// Whether the version found a part that showed nothing and was not blank: the author may not have what it remembers,
    /// and is told the whole.
    private func remembersUnseen(_ column: Int) -> Bool {
        let property = plan.schema.properties[column]
        guard let kind = property.part, let found = image?[property.name, kind] else { return false }
        return found.showsNothing && found != ObjectState.Content(kind)
    }

    /// Whether all that an operation on a list or text names is here. Else its author has placed it by what only its device
    /// knows (RULES.md, U2 and U3).
    private func knowsWhatIsNamed(by operation: Operation) -> Bool {
        switch operation {
        case .list(_, let property, let edit):
            var nothing = ListState()
            return state.change(property, .list) { $0.changeList { $0.knowsWhatIsNamed(by: edit) } ?? false }
                ?? nothing.knowsWhatIsNamed(by: edit)
        case .text(_, let property, let edit):
            var nothing = TextState()
            return state.change(property, .text) { $0.changeText { $0.knowsWhatIsNamed(by: edit) } ?? false }
                ?? nothing.knowsWhatIsNamed(by: edit)
        case .keyed, .create, .delete, .set, .add: return true
        }
    }

    /// The edits that the history keeps, ascending by column, and those of them that the author is not told.
    func keptEdits(
        bytesMin: Int
    ) -> (edits: [(column: Int, bytes: [UInt8])], edited: PropertyNumbers, altered: PropertyNumbers) {
        var edits: [(column: Int, bytes: [UInt8])] = []
        var (edited, altered) = (PropertyNumbers(), PropertyNumbers())
        // In another life nothing leads on from the state before.
        guard let image, state.isAlive, image.life == state.life, key == firstKey else {
            return (edits, edited, altered)
        }
        for (column, journal) in journals.sorted(by: { $0.key < $1.key }) where journal.isComplete {
            guard let wholeBytes = wholeBytes[column], wholeBytes >= bytesMin else { continue }
            let bytes = KeptEdits.encode(journal.edits, wholeBytes: wholeBytes)
            guard bytes.count < wholeBytes else { continue }
            assert(
                wholeBytes > Self.checkedBytesMax || isFollowed(by: journal.edits, column),
                "what is kept of a version does not lead to the state of \(plan.schema.properties[column].name)")
            edits.append((column, bytes))
            edited.insert(column)
            if journal.isAltered { altered.insert(column) }
        }
        return (edits, edited, altered)
    }

    /// Larger parts are not checked: every commit would walk them.
    private static let checkedBytesMax = 1 << 15

    private func isFollowed(by edits: PartEdits, _ column: Int) -> Bool {
        let name = plan.schema.properties[column].name
        guard var content = image?[name, edits.kind], content.follow(edits) else { return false }
        return content == state[name, edits.kind]
    }
}
