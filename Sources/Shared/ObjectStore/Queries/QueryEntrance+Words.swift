import CausewayModel
import CausewayQuery

extension QueryEntrance {
    /// The objects whose text has the words that TEXT asks for, from the full-text index: the rows of the rarest word,
    /// without those that lack another word, and without those that have an excluded word.
    ///
    /// Words that are in very many more texts are not read from the index. The remaining texts, which are few by then,
    /// are tested for them.
    static func words(
        _ comparison: BoundComparison, _ step: BoundPath.Step, _ operand: [Value], _ table: Table, _ limit: Double
    ) -> QueryEntrance? {
        guard let index = table.columns[step.property].words, case .string(let text) = operand.first else {
            return nil
        }
        let search = TextSearch(Array(text.utf8))
        // The index does not tell which texts lack a word.
        guard !search.wanted.isEmpty else { return nil }
        let found = search.wanted.map { FoundWord($0, index, table, limit) }.sorted { $0.rowCount < $1.rowCount }
        guard let first = found.first, first.isCounted else { return nil }
        let excluded = search.excluded.map { FoundWord($0, index, table, limit) }
        let mostRows = max(first.rowCount, 16) * Self.readingRatio
        let others = found.dropFirst().filter { $0.isCounted && $0.rowCount <= mostRows }
        let without = excluded.filter { $0.isCounted && $0.rowCount <= mostRows }
        let isAll = others.count == found.count - 1 && without.count == excluded.count
        let looked = [first] + others + without
        let cost = looked.reduce(0) { $0 + $1.cost }
        guard cost <= limit else { return nil }
        let property = table.schema.properties[step.property].name
        var entrance = QueryEntrance(
            how: { "full-text index on \(table.name).\(property)" }, rest: isAll ? nil : .comparison(comparison),
            rowCount: first.rowCount, cost: cost, isOrdered: true, areAlive: true
        ) { keys in
            var rows = first.rows(of: index, table)
            for word in others where !rows.isEmpty { rows = Self.merged(rows, word.rows(of: index, table), kept: true) }
            for word in without where !rows.isEmpty {
                rows = Self.merged(rows, word.rows(of: index, table), kept: false)
            }
            keys += rows
        }
        if isAll, looked.count == 1, !first.term.isBeginning { entrance.count = { first.rowCount } }
        return entrance
    }

    /// How many rows of a word are read in the time that it takes to find the words of one text.
    private static let readingRatio = 50

    /// The ascending rows that are among others, or with `kept` false those that are not.
    private static func merged(_ rows: [ObjectKey], _ others: [ObjectKey], kept: Bool) -> [ObjectKey] {
        var place = 0
        return rows.filter { row in
            while place < others.count, others[place] < row { place += 1 }
            return (place < others.count && others[place] == row) == kept
        }
    }
}

/// A word of a search, or all words with the same beginning, in a full-text index.
private struct FoundWord {
    let term: TextSearch.Term
    let range: IndexRange
    let rowCount: Int
    /// The approximate cost of reading its rows, in nanoseconds.
    let cost: Double
    /// Whether there are few enough rows to read them.
    let isCounted: Bool

    init(_ term: TextSearch.Term, _ index: Postings, _ table: Table, _ limit: Double) {
        self.term = term
        range =
            term.isBeginning
            ? IndexRange(from: term.word, upTo: Table.successor(term.word), isExact: true)
            : IndexRange(prefix: term.word + [0])
        var chunks = 0
        var rows = 0
        let mostChunks = Int(min(limit / QueryEntrance.chunkCost, 1e9)) + 1
        isCounted = index.count(range, in: table.transaction, upTo: mostChunks, &chunks, &rows)
        rowCount = isCounted ? rows : .max
        cost =
            QueryEntrance.treeCost + Double(chunks) * QueryEntrance.chunkCost
            + Double(rows) * QueryEntrance.rowCost * (term.isBeginning ? 4 : 1)
    }

    /// Its rows, ascending, each once.
    func rows(of index: Postings, _ table: Table) -> [ObjectKey] {
        var keys = table.rows(of: [range], in: index, count: rowCount, upTo: .max)
        guard term.isBeginning else { return keys }
        keys.sort()
        var last: ObjectKey?
        return keys.filter { key in
            defer { last = key }
            return key != last
        }
    }
}
