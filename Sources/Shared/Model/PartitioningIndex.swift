extension RandomAccessCollection {
    /// The first index at which a condition holds, if it then holds for all later elements; the end if it never holds.
    ///
    ///     [1, 3, 5, 7].partitioningIndex { $0 > 3 }  // 2
    ///
    /// - Complexity: O(log n)
    @inlinable
    package func partitioningIndex(where holds: (Element) throws -> Bool) rethrows -> Index {
        var low = startIndex
        var left = count
        while left > 0 {
            let half = left / 2
            let middle = index(low, offsetBy: half)
            if try holds(self[middle]) {
                left = half
            } else {
                low = index(after: middle)
                left -= half + 1
            }
        }
        return low
    }
}
