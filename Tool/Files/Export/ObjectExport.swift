import CausewayModel
import CausewayObjectStore

/// An export of objects: a header, and a line or a row for each of them. EXPORT.md tells the formats.
///
/// It reads one snapshot, and holds one object at a time in memory.
package struct ObjectExport {
    /// No object has a longer line, and no import takes one.
    static let lineBytesMax = 64 << 20
    /// How many rows are read before the snapshot may let go of pages that it keeps in memory.
    private static let rowsPerPiece: Int64 = 1_000

    private let format: ExportFormat
    /// Empty for all of them.
    private let classNames: [String]
    private let query: ObjectQuery?

    /// - Parameters:
    ///   - format: a table needs exactly one class.
    ///   - classNames: the classes whose objects are written; empty for all.
    ///   - query: which objects of the one class; nil for all.
    package init(_ format: ExportFormat = .jsonl, classNames: [String] = [], query: String? = nil) throws {
        self.format = format
        self.classNames = classNames
        guard format != .csv || classNames.count == 1 else {
            throw FileFailure("A CSV file holds the objects of exactly one class. Name one, or export to jsonl.")
        }
        guard query == nil || classNames.count == 1 else {
            throw FileFailure("A query needs exactly one class. Name one, or leave the query out.")
        }
        self.query = try query.map { try ObjectQuery(classNames[0], $0) }
    }

    /// - Returns: how many objects were written.
    @discardableResult
    package func write(_ file: OpenedFile, to output: ExportOutput, progress: (Int) -> Void = { _ in }) throws -> Int {
        try file.read { transaction in
            let tables = try self.tables(in: transaction)
            let rows = try query?.rows(in: transaction)
            let header = ExportHeader(
                schema: transaction.schema.reached(from: tables.map(\.name)),
                objectCount: rows?.count ?? tables.reduce(0) { $0 + $1.count },
                schemaVersion: transaction.appSchemaVersion)
            let form: any ExportForm =
                switch format {
                case .jsonl: JSONLinesForm(transaction)
                case .csv: CSVForm(transaction)
                }
            try output.write(form.header(header, tables))
            var count = 0
            func write(_ key: ObjectKey, _ table: Table) throws {
                try output.write(Self.checked(form.line(key, table), table))
                count += 1
                progress(count)
            }
            if let rows, let table = tables.first {
                for (index, key) in rows.enumerated() {
                    if Int64(index) % Self.rowsPerPiece == 0 { transaction.letGoOfPages() }
                    try write(key, table)
                }
            } else {
                for table in tables { try Self.forEach(table, of: transaction) { try write($0, table) } }
            }
            return count
        }
    }

    private func tables(in transaction: Transaction) throws -> [Table] {
        let named = Set(classNames.map { ExactString($0) })
        let classes = transaction.schema.withoutNestedCollections.classes
        for name in classNames {
            guard let found = transaction.schema[name], NestedCollection(className: name) == nil else {
                let names = classes.filter { $0.kind != .embedded }.map(\.name).joined(separator: ", ")
                throw FileFailure("There is no class '\(name)'. The file has: \(names.isEmpty ? "none" : names).")
            }
            guard found.kind != .embedded else {
                throw FileFailure(
                    "Class '\(name)' is embedded. Its objects are written inside of the objects that hold them: export those."
                )
            }
        }
        return classes.filter { $0.kind != .embedded && (named.isEmpty || named.contains(ExactString($0.name))) }
            .compactMap { transaction.table($0.name) }
    }

    private static func forEach(
        _ table: Table, of transaction: Transaction, _ body: (ObjectKey) throws -> Void
    ) throws {
        for row in 0..<table.keysEnd.rawValue {
            if row % rowsPerPiece == 0 { transaction.letGoOfPages() }
            let key = ObjectKey(row)
            if table.exists(key) { try body(key) }
        }
    }

    private static func checked(_ line: [UInt8], _ table: Table) throws -> [UInt8] {
        if line.count <= lineBytesMax { return line }
        throw FileFailure(
            "An object of class '\(table.name)' takes more than \(lineBytesMax) bytes, and no line may. Copy the file with "
                + "`causeway copy` instead.")
    }
}
