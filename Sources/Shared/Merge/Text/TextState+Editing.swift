package import CausewayModel
package import CausewayOperations

// MARK: - Local edits, by the index of visible scalars

extension TextState {
    /// Inserts text before the scalar with an index, or at the end, and returns the operation.
    ///
    /// The scalars get consecutive ids from `id` on. Nil if the text is empty.
    ///
    /// - Precondition: `index` is in `0...count`.
    /// - Complexity: O(1) beside the previous edit, otherwise O(n / 128) in pieces
    package mutating func insert(_ text: String, at index: Int, id: ElementID) -> TextOperation? {
        precondition(index >= 0 && index <= count, "A text of \(count) scalars takes no insertion at \(index).")
        if text.isEmpty { return nil }
        let left = index == 0 ? nil : seek(index - 1)
        let right = successor(left).map { key($0) }
        let (leftID, rightID) = (left.map { self.id(key($0)) }, right.map { self.id($0) })
        let made = key(id)
        var text = text
        text.withUTF8 { utf8 in add(made, utf8.scalarCount, utf8, left: left, right: right) }
        return .insert(id, left: leftID, right: rightID, text: text)
    }

    /// Removes scalars and returns the operations: one for each run of ids.
    ///
    /// - Precondition: the range is in `0..<count`.
    package mutating func remove(_ range: Range<Int>) -> [TextOperation] {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= count, "A text of \(count) scalars has no range \(range).")
        var operations: [TextOperation] = []
        var left = range.count
        while left > 0 {
            let spot = seek(range.lowerBound)
            let part = min(left, self[spot.block, spot.piece].count - spot.offset)
            let first = id(key(spot))
            if case .delete(let before, let count) = operations.last, before.client == first.client,
                before.counter + UInt64(count) == first.counter
            {
                operations[operations.count - 1] = .delete(before, count: count + part)
            } else {
                operations.append(.delete(first, count: part))
            }
            remove(spot, count: part)
            left -= part
        }
        return operations
    }
}
