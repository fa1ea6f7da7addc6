import CausewayModel
import CausewayQuery
import CausewayStorage

/// The way into a table for a query: what trees say of a predicate before any leaf is looked at.
enum QueryEntrance {
    /// These rows at most, ascending.
    case rows([ObjectKey], how: String)
    case scan

    init(_ predicate: BoundPredicate, _ table: Table) {
        let parts = if case .and(let parts) = predicate { parts } else { [predicate] }
        var best: (keys: [ObjectKey], how: String)?
        for case .comparison(let comparison) in parts {
            guard let found = Self.rows(comparison, table) else { continue }
            if found.keys.count < best?.keys.count ?? .max { best = found }
            if found.keys.count <= 1 { break }
        }
        self = best.map { .rows($0.keys.sorted(), how: $0.how) } ?? .scan
    }

    /// The rows that a tree names for an equality, when they are few.
    private static func rows(_ comparison: BoundComparison, _ table: Table) -> (keys: [ObjectKey], how: String)? {
        guard comparison.quantifier == .implied, comparison.path.aggregate == nil, comparison.path.steps.count == 1,
            comparison.comparator == .equal || comparison.comparator == .in, comparison.options.isEmpty,
            let step = comparison.path.steps.first, step.collection == .none,
            let operand = comparison.operand.constants, operand.count <= 100
        else { return nil }
        let property = table.schema.properties[step.property]
        if property.isPrimaryKey {
            let keys = operand.compactMap { PrimaryKey($0).flatMap(table.keyOrGhost) }
            return (Array(Set(keys)), "primary key")
        }
        let column = table.columns[step.property]
        guard column.indexTree != 0 else { return nil }
        let limit = table.count / 8 + 16
        var keys: [ObjectKey] = []
        for value in Set(operand) {
            guard collect(value, column, table, limit, &keys) else { return nil }
        }
        return (keys, "index on \(table.name).\(property.name)")
    }

    /// False when there are too many rows for the index to be the better way.
    private static func collect(
        _ value: Value, _ column: Column, _ table: Table, _ limit: Int, _ keys: inout [ObjectKey]
    ) -> Bool {
        if case .link = value { return false }
        let buffer = table.transaction.keyBuffer
        buffer.clear()
        buffer.append(index: value)
        let prefix = buffer.array
        var found = keys
        table.transaction.reader.scan(
            tree: column.indexTree, from: prefix, upTo: Table.successor(prefix), reversed: false
        ) { key, _ in
            if key.count == prefix.count + 8 {
                found.append(ObjectKey(Int64(bitPattern: key.readUInt64(at: prefix.count))))
            }
            return found.count <= limit
        }
        keys = found
        return found.count <= limit
    }
}

extension Operand {
    /// The constants on the right side; nil when a path stands there.
    var constants: [Value]? {
        switch self {
        case .value(let value): [value]
        case .values(let values): values
        case .path: nil
        }
    }
}
