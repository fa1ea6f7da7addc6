import CausewayJSON
import CausewayModel
import CausewayObjectStore

/// The formats of exports. EXPORT.md describes them.
package enum ExportFormat: String, CaseIterable, Sendable {
    case jsonl, csv
}

/// How an export is written: its header and its objects, each with the end of its line.
protocol ExportForm {
    func header(_ header: ExportHeader, _ tables: [Table]) -> [UInt8]
    func line(_ key: ObjectKey, _ table: Table) throws -> [UInt8]
}

/// A line of JSON for each object.
struct JSONLinesForm: ExportForm {
    private let numbers = RowNumbers()
    private let object: ObjectLine

    init(_ transaction: Transaction) {
        object = ObjectLine(transaction, numbers: numbers)
    }

    func header(_ header: ExportHeader, _ tables: [Table]) -> [UInt8] { header.line + [UInt8(ascii: "\n")] }

    func line(_ key: ObjectKey, _ table: Table) throws -> [UInt8] {
        var writer = JSONWriter()
        writer.open(UInt8(ascii: "{"))
        writer.field("class", table.name)
        if table.schema.primaryKeyIndex == nil { writer.field("number", numbers.number(of: key, in: table)) }
        writer.name("object")
        writer.open(UInt8(ascii: "{"))
        try object.writeProperties(key, table, to: &writer)
        writer.close(UInt8(ascii: "}"))
        writer.close(UInt8(ascii: "}"))
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
