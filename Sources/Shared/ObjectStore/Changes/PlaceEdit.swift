package import CausewayMerge
import CausewayModel

/// One edit of a list or a text without its content: enough to know where everything else is afterwards. Places count
/// the elements of a list, or the scalars of a text. Of sets and maps it only says what has changed.
package enum PlaceEdit: Hashable, Sendable {
    case insert(at: Int, count: Int)
    case remove(at: Int, count: Int)
    /// Other elements took the places of these.
    case replace(at: Int, count: Int)
    /// The element is at `to` afterwards.
    case move(from: Int, to: Int)
    /// Nothing of the text before is left.
    case replaceAll(count: Int)
    /// An element of a set, or a key of a map, by its `SetElement.lastingHash`.
    case change(UInt32)
}

extension [PlaceEdit] {
    /// - Complexity: O(edits)
    package init(_ edits: [ListEdit]) {
        self = []
        for edit in edits {
            switch edit {
            case .insert(let place, _): appendRun(.insert(at: place, count: 1))
            case .remove(let place): appendRun(.remove(at: place, count: 1))
            case .set(let place, _): appendRun(.replace(at: place, count: 1))
            case .move(let from, let to): append(.move(from: from, to: to))
            case .clear(let count): append(.remove(at: 0, count: count))
            }
        }
    }

    package init(_ edits: [TextEdit]) {
        self = edits.map { edit in
            switch edit {
            case .insert(let text, let place): .insert(at: place, count: text.scalarCount)
            case .remove(let range): .remove(at: range.lowerBound, count: range.count)
            }
        }
    }

    /// Appends an edit of one element, merged with the last one if it goes on where that ended.
    private mutating func appendRun(_ edit: PlaceEdit) {
        switch (last, edit) {
        case (.insert(let start, let count), .insert(let place, _)) where place == start + count:
            self[self.count - 1] = .insert(at: start, count: count + 1)
        case (.remove(let start, let count), .remove(let place, _)) where place == start:
            self[self.count - 1] = .remove(at: start, count: count + 1)
        case (.remove(let start, let count), .remove(let place, _)) where place == start - 1:
            self[self.count - 1] = .remove(at: place, count: count + 1)
        case (.replace(let start, let count), .replace(let place, _)) where place == start + count:
            self[self.count - 1] = .replace(at: start, count: count + 1)
        default: append(edit)
        }
    }
}
