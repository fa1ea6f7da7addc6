package import CausewayModel
package import CausewayOperations

/// One edit of a text by its visible scalars, as the app makes it.
package enum TextEdit: Hashable, Sendable {
    /// Before the scalar with this index, or at the end.
    case insert(String, at: Int)
    case remove(Range<Int>)
}

extension [TextEdit] {
    /// Appends an edit, merged with the last one if it continues typing or deleting there.
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
    /// Applies edits and returns their operations. Nil if an edit names a place that is not there; the edits before it
    /// are applied by then.
    ///
    /// - Parameter nextID: returns the first of `count` ids with consecutive counters.
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
