import CausewayJSON
import CausewayModel

/// The objects of one class as a table. The first record names the properties.
final class CSVSource: ImportSource {
    /// Spreadsheets write it before the first cell.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let lines: LineReader
    private let className: String
    private var columns: [Property] = []
    private(set) var lineNumber = 0
    private(set) var lineBytes = 0

    init(_ lines: LineReader, _ className: String) {
        self.lines = lines
        self.className = className
    }

    var path: String { lines.path }

    /// The class as the file has it, or a new one of the columns.
    func header(in schema: Schema) throws -> ExportHeader {
        try lines.rewind()
        guard !className.isEmpty, NestedCollection(className: className) == nil else {
            throw FileFailure("'\(className)' is no name for a class. Choose another one.")
        }
        guard let cells = try record() else { throw FileFailure("The file is empty, and has no row of names.") }
        let known = schema[className]
        columns = try cells.map { try Self.property($0.text, of: known) }
        for (index, column) in columns.enumerated() where columns[..<index].contains(where: { $0.name == column.name })
        {
            throw FileFailure("The column '\(column.name.prefix(100))' is there twice. Remove one of the two.")
        }
        let wanted = known == nil ? Schema([ClassSchema(name: className, properties: columns)]) : schema
        return ExportHeader(schema: wanted.reached(from: [className]))
    }

    func rewind() throws {
        try lines.rewind()
        _ = try record()
    }

    func next() throws -> ImportEntry? {
        guard let cells = try record() else { return nil }
        guard cells.count == columns.count else {
            throw FileFailure("The row has \(cells.count) cells, and the first one names \(columns.count) properties.")
        }
        let members = try zip(columns, cells).map { column, cell in
            JSON.Member(column.name, try CSVCell.json(cell, column, of: className))
        }
        return ImportEntry(className: className, members: members)
    }

    /// The cells of the next record, which may take several lines.
    private func record() throws -> [CSVRecord.Cell]? {
        while true {
            lineNumber = lines.number + 1
            guard var bytes = try lines.next() else { return nil }
            if lineNumber == 1, bytes.starts(with: Self.byteOrderMark) { bytes.removeFirst(3) }
            // The end of a line is part of a cell in quotation marks.
            while !CSVRecord.isWhole(bytes) {
                guard let more = try lines.next() else { throw FileFailure("A cell has no closing quotation mark.") }
                bytes.append(UInt8(ascii: "\n"))
                bytes += more
                guard bytes.count <= ObjectExport.lineBytesMax else {
                    throw FileFailure("The row has more than \(ObjectExport.lineBytesMax) bytes, and none may.")
                }
            }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            lineBytes = bytes.count
            // In a table of one column, an empty line is an object.
            if bytes.isEmpty, columns.count != 1 { continue }
            return try CSVRecord.cells(bytes)
        }
    }

    /// The property of a column: one of the class, or of a new class `name` or `name:type`.
    private static func property(_ text: String, of known: ClassSchema?) throws -> Property {
        if let known {
            guard let index = known.index(of: text) else {
                throw FileFailure(
                    "Class '\(known.name)' has no property '\(text.prefix(100))'. Rename the column, or remove it.")
            }
            return known.properties[index]
        }
        var (name, type) = (text[...], PropertyType.string)
        if let colon = text.lastIndex(of: ":") {
            let types = PropertyType.allCases.filter { $0 != .object }
            guard let named = types.first(where: { "\($0)" == text[text.index(after: colon)...] }) else {
                throw FileFailure(
                    "The column '\(text.prefix(100))' has no known type. Expected: a name, or name:type with one of "
                        + types.map { "\($0)" }.joined(separator: ", ") + ".")
            }
            (name, type) = (text[..<colon], named)
        }
        guard !name.isEmpty else { throw FileFailure("A column has no name.") }
        return Property(name: String(name), type: type, isOptional: true)
    }
}
