import CausewayJSON
import CausewayModel

/// The objects of one class as a table. The first record names the properties.
final class CSVSource: ImportSource {
    /// Spreadsheets write it before the first cell.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let lines: LineReader
    private let className: String
    private let options: TableOptions
    /// The class that the table makes; nil where the file has it.
    private(set) var newClass: ClassSchema?
    private var columns: [Property] = []
    private(set) var lineNumber = 0
    private(set) var lineBytes = 0

    init(_ lines: LineReader, _ className: String, _ options: TableOptions) {
        self.lines = lines
        self.className = className
        self.options = options
    }

    var path: String { lines.path }

    /// The class as the file has it, or a new one of the columns.
    func header(in schema: Schema) throws -> ExportHeader {
        try lines.rewind()
        guard !className.isEmpty, NestedCollection(className: className) == nil else {
            throw FileFailure("'\(className)' is no name for a class. Choose another one.")
        }
        guard let cells = try record() else { throw FileFailure("The file is empty, and has no row of names.") }
        if cells.count == 1, let other = cells[0].text.first(where: { $0 == ";" || $0 == "\t" }) {
            throw FileFailure(
                "The first row has one column, with \(other == ";" ? "semicolons" : "tabs") in its name. Convert the file: "
                    + "commas separate the cells.")
        }
        let known = schema[className]
        columns = try cells.map { try Self.property($0.text, of: known) }
        for (index, column) in columns.enumerated() where columns[..<index].contains(where: { $0.name == column.name })
        {
            throw FileFailure("The column '\(column.name.prefix(100))' is there twice. Remove one of the two.")
        }
        guard known == nil else {
            guard options.primaryKey == nil else {
                throw FileFailure(
                    "The file has the class '\(className)' with its key already. Leave --primary-key out.")
            }
            return ExportHeader(schema: schema.reached(from: [className]))
        }
        try guessTypes(of: cells)
        try setPrimaryKey()
        let made = ClassSchema(name: className, properties: columns)
        newClass = made
        return ExportHeader(schema: Schema([made]).reached(from: [className]))
    }

    /// Reads all cells to find the types of the columns whose heads name none.
    private func guessTypes(of heads: [CSVRecord.Cell]) throws {
        let unknown = heads.indices.filter { !heads[$0].text.contains(":") }
        guard !unknown.isEmpty else { return }
        var guesses = [ColumnGuess](repeating: ColumnGuess(), count: columns.count)
        while let cells = try record() {
            // The import says which row has too few.
            guard cells.count == columns.count else { break }
            for index in unknown where !isNull(cells[index]) { guesses[index].see(cells[index].text) }
        }
        for index in unknown { columns[index].type = guesses[index].type }
    }

    private func setPrimaryKey() throws {
        guard let name = options.primaryKey else { return }
        guard let index = columns.firstIndex(where: { $0.name == name }) else {
            throw FileFailure(
                "The table has no column '\(name.prefix(100))' for the primary key. It has: "
                    + columns.map(\.name).joined(separator: ", ").prefix(500) + ".")
        }
        guard [.int, .string, .objectId, .uuid].contains(columns[index].type) else {
            throw FileFailure(
                "The column '\(name)' is a \(columns[index].type), and no primary key may be. Name its type in the first row: "
                    + "\(name):string.")
        }
        columns[index].isPrimaryKey = true
        columns[index].isOptional = false
    }

    private func isNull(_ cell: CSVRecord.Cell) -> Bool {
        !cell.isQuoted && cell.text.isEmpty || isNullText(cell)
    }

    /// Whether it says what the caller takes for null.
    private func isNullText(_ cell: CSVRecord.Cell) -> Bool { !cell.isQuoted && cell.text == options.nullText }

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
            JSON.Member(column.name, isNullText(cell) ? .null : try CSVCell.json(cell, column, of: className))
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
