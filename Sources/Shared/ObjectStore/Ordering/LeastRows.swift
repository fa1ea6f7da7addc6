/// The first rows of an order, found without putting the others in order.
///
/// Candidate rows are gathered. Whenever there are too many, only the least of them stay, and the greatest of these is
/// the bound for later rows.
struct LeastRows {
    private let columns: [SortCodes]
    private let limit: Int
    private var rows: [Int] = []
    /// The greatest code of the first column that later rows may have.
    private var bound = UInt64.max

    /// The positions of the first `limit` rows, in order. Of equal rows the earlier one comes first.
    static func find(_ limit: Int, _ columns: [SortCodes]) -> [Int] {
        guard limit > 0, let first = columns.first else { return [] }
        var least = LeastRows(columns: columns, limit: limit)
        let most = limit * 4 + 1024
        first.codes.withUnsafeBufferPointer { codes in
            for row in codes.indices where codes[row] <= least.bound {
                least.rows.append(row)
                if least.rows.count == most { least.shorten() }
            }
        }
        least.shorten()
        return least.rows
    }

    private init(columns: [SortCodes], limit: Int) {
        self.columns = columns
        self.limit = limit
    }

    private mutating func shorten() {
        rows.sort { left, right in
            for column in columns {
                let (first, second) = (column.codes[left], column.codes[right])
                if first != second { return first < second }
            }
            return left < right
        }
        guard rows.count >= limit else { return }
        rows.removeLast(rows.count - limit)
        guard let last = rows.last, let code = columns.first?.codes[last] else { return }
        // With one column, a later row of the same code comes behind those that are there. Zero stays the bound,
        // because no code is below it.
        bound = columns.count == 1 && code > 0 ? code - 1 : code
    }
}
