import CausewayJSON
import CausewayModel
import CausewayObjectStore
import CausewayQuery

/// A table by RFC 4180: a row of the properties' names, and one for each object.
///
/// An empty cell is null, and `""` is the empty string.
struct CSVForm: ExportForm {
    private let object: ObjectLine

    init(_ transaction: Transaction) {
        object = ObjectLine(transaction, numbers: RowNumbers())
    }

    func header(_ header: ExportHeader, _ tables: [Table]) -> [UInt8] {
        Self.row(tables.flatMap { $0.schema.properties.map { Array($0.name.utf8) } })
    }

    func line(_ key: ObjectKey, _ table: Table) throws -> [UInt8] {
        Self.row(try table.schema.properties.indices.map { try cell(key, table, $0) })
    }

    /// Nil for null. What has no plain text is JSON.
    private func cell(_ key: ObjectKey, _ table: Table, _ column: Int) throws -> [UInt8]? {
        let property = table.schema.properties[column]
        if property.collection == .none {
            let value = table.value(key, column)
            if value.isNull { return nil }
            if property.isPlain, let text = Self.text(value) { return Array(text.utf8) }
        }
        var writer = JSONWriter()
        try object.writeProperty(key, table, column, to: &writer)
        return writer.bytes
    }

    /// Nil for what has no plain text.
    private static func text(_ value: Value) -> String? {
        if case .bytes(let bytes) = value { return Base64.encode(bytes) }
        return ValueText.text(of: value)
    }

    private static func row(_ cells: [[UInt8]?]) -> [UInt8] {
        var row: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { row.append(UInt8(ascii: ",")) }
            guard let cell else { continue }
            if cell.isEmpty || cell.contains(where: needsQuotes) {
                row.append(UInt8(ascii: "\""))
                for byte in cell { row += byte == UInt8(ascii: "\"") ? [byte, byte] : [byte] }
                row.append(UInt8(ascii: "\""))
            } else {
                row += cell
            }
        }
        return row + [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }
}
