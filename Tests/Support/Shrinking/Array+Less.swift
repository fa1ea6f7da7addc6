extension Array {
    /// The same with a part left out: first halves, then quarters, and so on down to single elements.
    package func withLess() -> [[Element]] {
        var result: [[Element]] = []
        var length = count
        while length > 0 {
            for start in stride(from: 0, to: count, by: length) {
                result.append(Array(self[..<start]) + self[Swift.min(start + length, count)...])
            }
            length /= 2
        }
        return result
    }

    /// The same with one element replaced by a smaller one.
    package func withSmaller(_ smaller: (Element) -> [Element]) -> [[Element]] {
        indices.flatMap { index in
            smaller(self[index]).map { element in
                var copy = self
                copy[index] = element
                return copy
            }
        }
    }
}
