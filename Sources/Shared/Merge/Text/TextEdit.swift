package import CausewayModel
package import CausewayOperations

/// One edit of a text by its visible scalars, as the app makes it.
package enum TextEdit: Hashable, Sendable {
    /// Before the scalar with this index, or at the end.
    case insert(String, at: Int)
    case remove(Range<Int>)
}

extension TextEdit {
    package func moved(by scalars: Int) -> TextEdit {
        switch self {
        case .insert(let text, let place): .insert(text, at: place + scalars)
        case .remove(let range): .remove(range.lowerBound + scalars..<range.upperBound + scalars)
        }
    }
}

extension [TextEdit] {
    /// Appends an edit, merged with the last one if it continues typing or deleting there.
    package mutating func appendRun(_ edit: TextEdit) {
        switch (last, edit) {
        case (.insert(let text, let place), .insert(let more, let next))
        where next == place + text.scalarCount:
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

extension [TextEdit] {
    /// Appends the edit that reverses the one just made, merged with the last one if the two reverse one run. To go back,
    /// the reversals are applied from the last to the first.
    package mutating func appendReversal(_ edit: TextEdit) {
        switch (last, edit) {
        case (.remove(let before), .remove(let range)) where range.lowerBound == before.upperBound:
            // Typed on.
            self[count - 1] = .remove(before.lowerBound..<range.upperBound)
        case (.insert(let text, let place), .insert(let more, let next)) where next + more.scalarCount == place:
            // Deleted backwards.
            self[count - 1] = .insert(more + text, at: next)
        case (.insert(let text, let place), .insert(let more, let next)) where next == place:
            // Deleted forwards.
            self[count - 1] = .insert(text + more, at: place)
        default: append(edit)
        }
    }
}

extension TextDifference {
    /// The reversals of edits that ``edits(from:to:)`` found, in the order of the edits.
    package static func reversals(of edits: [TextEdit], from old: String) -> [TextEdit] {
        var text = TextBuffer(old)
        return edits.map { edit in
            defer { text.apply(edit) }
            switch edit {
            case .insert(let added, let place): return .remove(place..<place + added.scalarCount)
            case .remove(let range): return .insert(text.string(in: range), at: range.lowerBound)
            }
        }
    }
}

extension TextRuns {
    /// Applies edits and returns their operations. Nil if an edit names a place that is not there; the edits before it
    /// are applied by then.
    ///
    /// - Parameter nextID: returns the first of `count` ids with consecutive counters.
    package mutating func apply(_ edits: [TextEdit], nextID: (_ count: Int) -> ElementID) -> [TextOperation]? {
        var operations: [TextOperation] = []
        for edit in edits {
            switch edit {
            case .insert(let text, let index):
                guard index >= 0, index <= count else { return nil }
                let scalars = text.scalarCount
                guard scalars > 0 else { continue }
                let id = nextID(scalars)
                let (left, right) = insert(scalars, at: index, id: id)
                operations.appendRun(.insert(id, left: left, right: right, text: text))
            case .remove(let range):
                guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
                for operation in remove(range) { operations.appendRun(operation) }
            }
        }
        return operations
    }
}

extension TextBuffer {
    /// - Precondition: the edit's places are in the text.
    package mutating func apply(_ edit: TextEdit) {
        switch edit {
        case .insert(let text, let place): _ = insert(text, at: place)
        case .remove(let range): remove(range)
        }
    }
}
