extension TextRuns {
    /// Invariants 1 and 2: whether the pieces are in the order of their tree and know their children.
    ///
    /// - Complexity: O(n log n) in pieces
    package var isOrderOfTree: Bool {
        let pieces = blocks.flatMap(\.pieces)
        guard areApart(pieces) else { return false }
        var firsts: [Key: Int] = [:]
        var lasts: [Key: Int] = [:]
        for (number, piece) in pieces.enumerated() {
            firsts[piece.key] = number
            lasts[piece.last] = number
        }
        var left = [[Int]](repeating: [], count: pieces.count)
        var right = left
        var roots: [Int] = []
        var continued = [Bool](repeating: false, count: pieces.count)
        var others = continued
        for (number, piece) in pieces.enumerated() {
            switch piece.link {
            case .continuation:
                guard piece.key.counter > 0,
                    let parent = lasts[Key(client: piece.key.client, counter: piece.key.counter - 1)]
                else { return false }
                right[parent].append(number)
                continued[parent] = true
            case .right where piece.parent == .root: roots.append(number)
            case .right:
                guard let parent = lasts[piece.parent], piece.parent.advanced(by: 1) != piece.key else { return false }
                right[parent].append(number)
                others[parent] = true
            case .left:
                guard let parent = firsts[piece.parent] else { return false }
                left[parent].append(number)
            }
        }
        for number in pieces.indices
        where pieces[number].continues != continued[number] || pieces[number].hasOthers != others[number] {
            return false
        }
        return order(pieces, roots, left, right) == Array(pieces.indices)
    }

    /// Whether all ids differ.
    private func areApart(_ pieces: [Piece]) -> Bool {
        let sorted = pieces.sorted { ($0.key.client, $0.key.counter) < ($1.key.client, $1.key.counter) }
        return zip(sorted, sorted.dropFirst()).allSatisfy { left, right in
            left.key.client != right.key.client || right.key.counter - left.key.counter >= UInt64(left.count)
        }
    }

    private func order(_ pieces: [Piece], _ roots: [Int], _ left: [[Int]], _ right: [[Int]]) -> [Int] {
        var result: [Int] = []
        // A step is a number to expand, or the complement of a number to append.
        var steps: [Int] = []
        func push(_ numbers: [Int]) {
            steps += numbers.sorted { precedes(pieces[$1].key, pieces[$0].key) }
        }
        push(roots)
        while let step = steps.popLast() {
            if step < 0 {
                result.append(~step)
                continue
            }
            push(right[step])
            steps.append(~step)
            push(left[step])
        }
        return result
    }

    /// Whether all counts are those of the pieces.
    var isCounted: Bool {
        var visible = 0
        for (place, block) in blocks.enumerated() {
            guard block.pieces.reduce(0, { $0 + $1.visible }) == block.visible,
                !block.pieces.isEmpty, places[Int(block.number)] == place
            else { return false }
            visible += block.visible
        }
        return visible == count
    }
}
