package import CausewayModel
package import CausewayQuery

extension Transaction {
    /// Sorts objects by the values at the end of to-one paths. Stable; null comes first ascending and last descending,
    /// and NaN before all other numbers.
    ///
    /// Every sort key becomes a column of codes, numbers in the order of its values, and these are sorted by their
    /// digits. Strings are numbered first: each distinct one is looked at once, and its rank is the code.
    ///
    /// - Complexity: O(n) for each eleven bits of the codes, in about 40 bytes an object and sort key.
    package func sorted(_ keys: [ObjectKey], _ className: String, by sortKeys: [BoundSortKey]) -> [ObjectKey] {
        guard let columns = codes(of: keys, className, sortKeys) else { return keys }
        if columns.isEmpty || columns.count == 1 && columns[0].areAscending { return keys }
        let order = RadixSort.entries(columns)
        return keys.withUnsafeBufferPointer { keys in order.map { keys[RadixSort.position($0)] } }
    }

    /// The first `limit` keys of the result of `sorted`.
    ///
    /// - Complexity: O(n) for a limit below a quarter of the keys, without sorting the rest. Else that of `sorted`.
    package func sortedPrefix(
        _ limit: Int, of keys: [ObjectKey], _ className: String, by sortKeys: [BoundSortKey]
    ) -> [ObjectKey] {
        guard limit < keys.count / 4 else { return Array(sorted(keys, className, by: sortKeys).prefix(limit)) }
        guard let columns = codes(of: keys, className, sortKeys), !columns.isEmpty else {
            return Array(keys.prefix(limit))
        }
        return LeastRows.find(limit, columns).map { keys[$0] }
    }

    /// The columns of codes that sort the rows; nil when the rows keep their order.
    private func codes(of keys: [ObjectKey], _ className: String, _ sortKeys: [BoundSortKey]) -> [SortCodes]? {
        settle()
        guard let table = table(className), !sortKeys.isEmpty, keys.count > 1 else { return nil }
        return SortCodes.merged(sortKeys.flatMap { SortCodes.codes(of: keys, table, $0) })
    }
}

extension SortCodes {
    /// The codes of one sort key, the most significant first; none when it changes no order.
    fileprivate static func codes(of keys: [ObjectKey], _ table: Table, _ sortKey: BoundSortKey) -> [SortCodes] {
        guard let (table, keys, step) = table.end(of: sortKey.path, from: keys), step.collection == .none else {
            return []
        }
        if !step.isColumn {
            // An entry of a map or an element of a list: read row by row.
            let values = keys.map { key in
                key.rawValue < 0 ? Value.null : StoredRow(table: table, key: key).value(at: step)
            }
            return codes(MixedCodes.ordered(values), ascending: sortKey.ascending)
        }
        switch step.type {
        case .string, .data:
            let strings = ByteStringCodes(mayGiveUp: true)
            var numbers = strings.numbers(of: table, step.property, keys)
            numbers.replace(by: ByteStringRanks.ranks(strings))
            return codes(consume numbers, ascending: sortKey.ascending)
        case .mixed:
            return codes(MixedCodes.ordered(of: table, step.property, keys), ascending: sortKey.ascending)
        default:
            return OrderedNumbers.parts(of: step.type).flatMap { part in
                codes(OrderedNumbers(part, of: table, step.property, keys), ascending: sortKey.ascending)
            }
        }
    }

    fileprivate var areAscending: Bool {
        codes.withUnsafeBufferPointer { codes in
            for row in codes.indices.dropFirst() where codes[row] < codes[row - 1] { return false }
            return true
        }
    }
}
