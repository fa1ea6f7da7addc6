package import CausewayModel
package import CausewayOperations

// MARK: - Local edits, by the index of visible scalars

extension TextRuns {
    /// Inserts scalars before the one with an index, or at the end, and returns their origins.
    ///
    /// The scalars get consecutive ids from `id` on.
    ///
    /// - Precondition: `index` is in `0...count`, and there is something to insert.
    /// - Complexity: O(1) beside the previous edit, otherwise O(n / 128) in pieces
    package mutating func insert(_ added: Int, at index: Int, id: ElementID) -> (left: ElementID?, right: ElementID?) {
        precondition(index >= 0 && index <= count, "A text of \(count) scalars takes no insertion at \(index).")
        let left = index == 0 ? nil : seek(index - 1)
        let right = successor(left).map { key($0) }
        let origins = (left.map { self.id(key($0)) }, right.map { self.id($0) })
        _ = add(key(id), added, left: left, right: right)
        return origins
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
            _ = remove(spot, count: part)
            left -= part
        }
        return operations
    }
}
