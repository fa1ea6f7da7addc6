/// Finds elements again in a sequence that has changed: as many as possible, in their order, and preferably side by side.
struct SequenceAlignment<Element: Hashable> {
    /// The most pairs of elements that are compared. Beyond that only the surroundings of the expected place are searched.
    static var cellsMax: Int { 1 << 22 }

    /// Where each element is now; nil for one that is gone. Ascending.
    let places: [Int?]

    /// - Parameter expected: where the first element stood.
    /// - Complexity: O(n) where the elements still stand side by side, else O(k · n) for k elements, bounded by
    ///   `cellsMax`.
    init(of elements: [Element], in present: [Element], near expected: Int) {
        guard !elements.isEmpty, !present.isEmpty else {
            places = elements.map { _ in nil }
            return
        }
        if let start = Self.start(of: elements, in: present, near: expected) {
            places = elements.indices.map { start + $0 }
            return
        }
        let width = min(present.count, max(1, Self.cellsMax / elements.count))
        let middle = expected + elements.count / 2
        let low = max(0, min(present.count - width, middle - width / 2))
        places = Self.aligned(elements, Array(present[low..<(low + width)])).map { $0.map { $0 + low } }
    }

    /// The nearest place where all elements stand side by side.
    private static func start(of elements: [Element], in present: [Element], near expected: Int) -> Int? {
        let last = present.count - elements.count
        guard last >= 0 else { return nil }
        func isThere(_ start: Int) -> Bool {
            (0...last).contains(start) && elements.indices.allSatisfy { present[start + $0] == elements[$0] }
        }
        for distance in 0...max(abs(expected), abs(last - expected)) {
            if isThere(expected - distance) { return expected - distance }
            if isThere(expected + distance) { return expected + distance }
        }
        return nil
    }

    /// The best alignment of two short sequences. A pair is worth 2, and 3 directly behind another pair.
    private static func aligned(_ elements: [Element], _ present: [Element]) -> [Int?] {
        let width = present.count + 1
        // Scores of alignments of the first i elements with the first j present ones: of any, and of those that end in a
        // pair of the last two.
        var best = [Int32](repeating: 0, count: (elements.count + 1) * width)
        var paired = [Int32](repeating: -1, count: best.count)
        for row in 1...elements.count {
            for column in 1..<width {
                let cell = row * width + column
                let diagonal = cell - width - 1
                if elements[row - 1] == present[column - 1] {
                    paired[cell] = max(best[diagonal] + 2, paired[diagonal] < 0 ? 0 : paired[diagonal] + 3)
                }
                best[cell] = max(best[cell - width], best[cell - 1], paired[cell])
            }
        }
        var places = [Int?](repeating: nil, count: elements.count)
        var (row, column, inRun) = (elements.count, width - 1, false)
        while row > 0, column > 0 {
            let cell = row * width + column
            if inRun || paired[cell] >= 0 && paired[cell] == best[cell] {
                places[row - 1] = column - 1
                let diagonal = cell - width - 1
                inRun = paired[diagonal] >= 0 && paired[cell] == paired[diagonal] + 3
                (row, column) = (row - 1, column - 1)
            } else if best[cell] == best[cell - 1] {
                column -= 1
            } else {
                row -= 1
            }
        }
        return places
    }
}
