/// Finds the known name that an unknown one was probably meant to be.
package enum NearestName {
    /// The nearest by edits, if at most a third of the letters differ.
    package static func of(_ name: String, among known: [String]) -> String? {
        let wanted = name.lowercased()
        // Names are short; a long one is no typing error, and its distance would be costly.
        guard wanted.utf8.count <= 64 else { return nil }
        let nearest = known.map { (name: $0, distance: distance(wanted, $0.lowercased())) }
            .min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(1, max(wanted.utf8.count, nearest.name.utf8.count) / 3) else {
            return nil
        }
        return nearest.name
    }

    /// How many letters to insert, leave out, exchange or swap with a neighbour: the ways a hand slips.
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        var rows = [Array(0...right.count)]
        for (row, leftByte) in left.enumerated() {
            var current = [row + 1]
            for (column, rightByte) in right.enumerated() {
                let exchanged = rows[row][column] + (leftByte == rightByte ? 0 : 1)
                var best = min(exchanged, rows[row][column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, leftByte == right[column - 1], rightByte == left[row - 1] {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}
