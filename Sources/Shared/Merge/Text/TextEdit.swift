package import CausewayModel
package import CausewayOperations

/// One edit of a text by its visible scalars, as the app makes it.
package enum TextEdit: Hashable, Sendable {
    /// Before the scalar with this index, or at the end.
    case insert(String, at: Int)
    case remove(Range<Int>)
}

extension [TextEdit] {
    /// Appends an edit, as one with the last where it goes on typing or deleting there.
    package mutating func appendRun(_ edit: TextEdit) {
        switch (last, edit) {
        case (.insert(let text, let place), .insert(let more, let next))
        where next == place + text.unicodeScalars.count:
            self[count - 1] = .insert(text + more, at: place)
        case (.remove(let before), .remove(let range)) where range.upperBound == before.lowerBound:
            // Deleting backwards.
            self[count - 1] = .remove(range.lowerBound..<before.upperBound)
        case (.remove(let before), .remove(let range)) where range.lowerBound == before.lowerBound:
            self[count - 1] = .remove(before.lowerBound..<before.upperBound + range.count)
        default: append(edit)
        }
    }
}

extension TextState {
    /// Makes the edits that a text can take, and gives the operations that say so; nil when one of them names a place
    /// that is not there.
    ///
    /// - Parameter nextID: gives the first of so many ids with consecutive counters.
    package mutating func apply(
        _ edits: [TextEdit], nextID: (_ count: Int) -> ElementID
    ) -> [TextOperation]? {
        var operations: [TextOperation] = []
        for edit in edits {
            switch edit {
            case .insert(let text, let index):
                guard index >= 0, index <= count else { return nil }
                let scalars = text.unicodeScalars.count
                guard scalars > 0 else { continue }
                if let operation = insert(text, at: index, id: nextID(scalars)) { operations.appendRun(operation) }
            case .remove(let range):
                guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
                for operation in remove(range) { operations.appendRun(operation) }
            }
        }
        return operations
    }
}
