import CausewayJSON
import CausewayModel
import CausewayObjectStore

/// The objects that an import made or replaced in a file, as the entries of an export. Those that links lead to come first, except
/// around circles.
final class ImportedObjects {
    private let transaction: Transaction
    private let classes: [(table: Table, rows: ImportedRows)]
    private let line: ObjectLine

    init(_ transaction: Transaction, _ rows: ExactDictionary<ImportedRows>) {
        self.transaction = transaction
        line = ObjectLine(transaction)
        // One-way objects leave the file as soon as they are written, and nothing links to them.
        let all = transaction.schema.classes
        let names = all.filter { $0.kind != .asymmetric } + all.filter { $0.kind == .asymmetric }
        classes = transaction.schema.linkedFirst(names.map(\.name)).compactMap { name in
            guard let imported = rows[name], let table = transaction.table(name) else { return nil }
            return (table, imported)
        }
    }

    var count: Int {
        classes.reduce(0) { $0 + $1.rows.replaced.count + Int($1.table.keysEnd.rawValue - $1.rows.first) }
    }

    /// - Parameter body: is given each object and the bytes that it takes as JSON.
    func forEach(_ body: (ImportEntry, _ bytes: Int) throws -> Void) throws {
        for (table, rows) in classes {
            for key in rows.replaced { try visit(key, table, body) }
            for row in rows.first..<table.keysEnd.rawValue {
                if row % 1_000 == 0 { transaction.letGoOfPages() }
                try visit(ObjectKey(row), table, body)
            }
        }
    }

    private func visit(_ key: ObjectKey, _ table: Table, _ body: (ImportEntry, Int) throws -> Void) throws {
        guard table.exists(key) else { return }
        var writer = JSONWriter()
        writer.open(UInt8(ascii: "{"))
        try line.writeProperties(key, table, to: &writer)
        writer.close(UInt8(ascii: "}"))
        let members = try JSONLinesSource.json(writer.bytes).members ?? []
        try body(ImportEntry(className: table.name, members: members), writer.bytes.count)
    }
}
