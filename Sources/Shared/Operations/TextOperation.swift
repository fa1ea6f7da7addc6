package import CausewayModel

/// One intention about a text. Origins name the neighbours that the writer saw, removed ones included.
package enum TextOperation: Hashable, Sendable {
    /// Scalars with consecutive ids from this one on: the first between its origins, each other behind the one before.
    case insert(ElementID, left: ElementID?, right: ElementID?, text: String)
    /// Removes so many scalars with consecutive ids from this one on.
    case delete(ElementID, count: Int)
}

extension [TextOperation] {
    /// Appends an operation, merged with the last one if it continues typing or deleting there.
    package mutating func appendRun(_ operation: TextOperation) {
        switch (last, operation) {
        case (.insert(let id, let left, let right, let text), .insert(let next, let nextLeft?, _, let more)):
            let end = id.counter &+ UInt64(text.unicodeScalars.count)
            guard next.client == id.client, next.counter == end, nextLeft.client == id.client,
                nextLeft.counter &+ 1 == end
            else { break }
            self[count - 1] = .insert(id, left: left, right: right, text: text + more)
            return
        case (.delete(let id, let deleted), .delete(let next, let more)) where next.client == id.client:
            if id.counter &+ UInt64(deleted) == next.counter {
                self[count - 1] = .delete(id, count: deleted + more)
                return
            }
            if next.counter &+ UInt64(more) == id.counter {
                self[count - 1] = .delete(next, count: deleted + more)
                return
            }
        default: break
        }
        append(operation)
    }
}
