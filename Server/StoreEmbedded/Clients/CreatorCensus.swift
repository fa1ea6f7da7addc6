import CausewayModel
import CausewayObjectStore
import CausewayOperations
import CausewayStore

/// Counts from the rows what `CreatorTree` keeps: for a record of an earlier build, for a class that is dropped, and to
/// verify a record.
///
/// - Complexity: O(n) in the number of rows. In memory are the runs of one class.
enum CreatorCensus {
    /// Rows that share stamps, and how many of them are alive and have no stamps of their own.
    private struct Run {
        var rows: ClosedRange<Int64>
        var creator: ClientID
        var count = 0
    }

    /// By user, in the whole record.
    static func objects(in transaction: Transaction) throws(StoreFailure) -> [ExactString: Int] {
        let numbers = RecordCatalog.numbers(in: transaction)
        var changes = CreatorChanges()
        for table in transaction.tables where table.schema.kind == .object {
            guard let number = numbers[table.schema.name] else { continue }
            try count(number, table, in: transaction, into: &changes)
        }
        return try changes.settled(in: transaction)
    }

    /// Adds the rows of one class.
    ///
    /// - Parameter sign: -1 subtracts them.
    static func count(
        _ classNumber: Int, _ table: Table, in transaction: Transaction, times sign: Int = 1,
        into changes: inout CreatorChanges
    ) throws(StoreFailure) {
        var runs: [Run] = []
        try scan(Layout.births, classNumber, in: transaction) { last, reader throws(EncodingError) in
            let first = Int64(bitPattern: try reader.readFixed64())
            guard first <= last else {
                throw EncodingError(.malformed, "A run of rows begins behind its end.", offset: 0)
            }
            runs.append(Run(rows: first...last, creator: try ObjectStamps(from: &reader).born.client))
        }
        var next = 0
        table.forEachKey { key in
            skip(runs, before: key.rawValue, &next)
            if next < runs.count, runs[next].rows.contains(key.rawValue) { runs[next].count += 1 }
            return true
        }
        // A row's own stamps go before those of the run around it.
        next = 0
        try scan(Layout.stamps, classNumber, in: transaction) { row, reader throws(EncodingError) in
            changes.add(sign, by: try ObjectStamps(from: &reader).born.client)
            skip(runs, before: row, &next)
            if next < runs.count, runs[next].rows.contains(row) { runs[next].count -= 1 }
        }
        for run in runs where run.count != 0 { changes.add(sign * run.count, by: run.creator) }
    }

    /// Runs and rows both come in ascending order.
    private static func skip(_ runs: [Run], before row: Int64, _ next: inout Int) {
        while next < runs.count, runs[next].rows.upperBound < row { next += 1 }
    }

    /// The entries of a class in a tree whose keys are a class number and a row.
    private static func scan(
        _ tree: String, _ classNumber: Int, in transaction: Transaction,
        _ body: (Int64, inout ByteReader) throws(EncodingError) -> Void
    ) throws(StoreFailure) {
        let prefix = UInt32(truncatingIfNeeded: classNumber)
        var damage: EncodingError?
        transaction.tree(tree).scan(from: Layout.bytes(prefix), upTo: Layout.bytes(prefix + 1)) { key, value in
            guard let row: UInt64 = Layout.number(key, at: 4) else { return true }
            do throws(EncodingError) {
                var reader = ByteReader(Array(value))
                try body(Int64(bitPattern: row), &reader)
                return true
            } catch {
                damage = error
                return false
            }
        }
        if let damage { throw StoreFailure(damaged: tree, damage) }
    }
}
