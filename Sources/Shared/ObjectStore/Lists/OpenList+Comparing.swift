package import CausewayModel

/// What a list has between the elements that it shares with an older form of itself at both ends.
package struct ListMiddle {
    /// Equal elements at the beginning.
    package var prefix: Int
    /// Equal elements at the end. They do not overlap with those at the beginning.
    package var suffix: Int
    /// The elements between them.
    package var values: [Value]
}

extension Table {
    /// Compares a list of links with the keys that it had. Nil where an element cannot be read.
    ///
    /// - Complexity: O(n) comparisons in place; only elements between the equal ends are made.
    package func listMiddle(_ key: ObjectKey, _ column: Int, since old: [ObjectKey]) -> ListMiddle? {
        let list = openList(key, column)
        return old.withUnsafeBufferPointer { old in
            list.middle(since: old) { elements, chunk, index, old in
                guard let elements else { return chunk.value(index) == .object(old) }
                return elements.loadUnaligned(fromByteOffset: index * 8, as: Int64.self) == old.rawValue
            }
        }
    }

    /// The same for a list of values.
    package func listMiddle(_ key: ObjectKey, _ column: Int, since old: [Value]) -> ListMiddle? {
        let list = openList(key, column)
        let isOfIntegers = list.type == .int
        return old.withUnsafeBufferPointer { old in
            list.middle(since: old) { elements, chunk, index, old in
                guard isOfIntegers, let elements, case .int(let old) = old else { return chunk.value(index) == old }
                return elements.loadUnaligned(fromByteOffset: index * 8, as: Int64.self) == old
            }
        }
    }
}

extension OpenList {
    /// - Parameter isSame: whether the element of a chunk at an index is an older one. Gets the address of the chunk's
    ///   elements where they can be read in place.
    @inline(__always)
    fileprivate func middle<Old>(
        since old: UnsafeBufferPointer<Old>, _ isSame: (UnsafeRawPointer?, ListChunk, Int, Old) -> Bool
    ) -> ListMiddle? {
        let limit = min(count, old.count)
        var prefix = 0
        while prefix < limit {
            let chunk = approach(prefix).takeUnretainedValue()
            guard !chunk.isDamaged else { return nil }
            let (elements, end) = (chunk.plainElements, min(limit, nearStart + chunk.count))
            while prefix < end, isSame(elements, chunk, prefix - nearStart, old[prefix]) { prefix += 1 }
            if prefix < end { break }
        }
        var suffix = 0
        while suffix < limit - prefix {
            let chunk = approach(count - 1 - suffix).takeUnretainedValue()
            guard !chunk.isDamaged else { return nil }
            let (elements, end) = (chunk.plainElements, min(limit - prefix, count - nearStart))
            while suffix < end,
                isSame(elements, chunk, count - 1 - suffix - nearStart, old[old.count - 1 - suffix])
            { suffix += 1 }
            if suffix < end { break }
        }
        var values: [Value] = []
        var position = prefix
        while position < count - suffix {
            let chunk = approach(position).takeUnretainedValue()
            guard !chunk.isDamaged else { return nil }
            let end = min(count - suffix, nearStart + chunk.count)
            while position < end {
                values.append(chunk.value(position - nearStart))
                position += 1
            }
        }
        return ListMiddle(prefix: prefix, suffix: suffix, values: values)
    }
}
