import CausewayMerge
import CausewayModel
import CausewayOperations

/// What a version does to a list, set, map or text, noted while its operations are joined. A device that has the state
/// before follows these operations to the state after.
///
/// Operations without effect are left out: a device does not have the stamps by which they lost. What depends on the
/// order of arrival is not noted at all, because a device has joined its own operations first; then the journal is not
/// complete, and the part can only be told whole.
struct EditJournal {
    private(set) var edits: PartEdits
    /// Whether the operations lead from the state before to the state after.
    private(set) var isComplete = true
    /// Whether the author's device may not have what its own operations came to.
    private(set) var isAltered = false
    private var room = Self.elementsMax

    /// The most operations, and elements that clears name, that are noted.
    private static let elementsMax = 10_000

    init(_ kind: ObjectState.Kind) {
        edits =
            switch kind {
            case .list: .list([])
            case .keyed: .keyed([])
            case .text: .text([])
            }
    }

    mutating func noteAltered() { isAltered = true }

    /// - Parameters:
    ///   - operation: of a clear only the elements that were there.
    ///   - isKnown: whether all that the operation names was there before it.
    mutating func note(_ operation: ListOperation, _ stamp: Stamp, isKnown: Bool, _ outcome: Outcome) {
        switch (operation, outcome) {
        case (.insert, .noEffect), (.set, .noEffect): isAltered = true
        case (.delete, .noEffect), (.clear, .noEffect): if !isKnown { isAltered = true }
        // Its position came all the same.
        case (.move, .noEffect): giveUp()
        case (.clear(let ids), .applied):
            if !isKnown { isAltered = true }
            append(operation, stamp, ids.count)
        case (_, .applied): if isKnown { append(operation, stamp, 1) } else { giveUp() }
        }
    }

    mutating func note(_ operation: KeyedOperation, _ stamp: Stamp, _ outcome: Outcome) {
        guard outcome == .applied else { return isAltered = true }
        guard takeRoom(1), case .keyed(var noted) = edits else { return }
        edits = .keyed([])
        noted.append(StampedEdit(operation, stamp))
        edits = .keyed(noted)
    }

    mutating func note(_ operation: TextOperation, _ stamp: Stamp, isKnown: Bool, _ outcome: Outcome) {
        switch (operation, outcome) {
        case (.insert, .noEffect): isAltered = true
        case (.delete, .noEffect): if !isKnown { isAltered = true }
        case (_, .applied):
            guard isKnown else { return giveUp() }
            guard takeRoom(1), case .text(var noted) = edits else { return }
            edits = .text([])
            noted.append(StampedEdit(operation, stamp))
            edits = .text(noted)
        }
    }

    private mutating func append(_ operation: ListOperation, _ stamp: Stamp, _ count: Int) {
        guard takeRoom(count), case .list(var noted) = edits else { return }
        // The array is taken out before it is changed: with two owners it would be copied.
        edits = .list([])
        noted.append(StampedEdit(operation, stamp))
        edits = .list(noted)
    }

    private mutating func takeRoom(_ count: Int) -> Bool {
        guard isComplete, count <= room else {
            giveUp()
            return false
        }
        room -= count
        return true
    }

    private mutating func giveUp() {
        isComplete = false
        edits = .list([])
    }
}
