/// Splits a record of RFC 4180 into its cells.
enum CSVRecord {
    struct Cell: Equatable {
        var text: String
        /// `""` is an empty text, and an empty cell is null.
        var isQuoted: Bool
    }

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")

    /// Whether a record ends with these bytes: no cell is still in quotation marks.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        bytes.reduce(0) { $1 == quote ? $0 + 1 : $0 } % 2 == 0
    }

    static func cells(_ bytes: [UInt8]) throws -> [Cell] {
        var cells: [Cell] = []
        var place = 0
        while true {
            cells.append(
                try place < bytes.count && bytes[place] == quote ? quoted(bytes, &place) : plain(bytes, &place))
            guard place < bytes.count else { return cells }
            guard bytes[place] == comma else {
                throw FileFailure("Cell \(cells.count) has text behind its quotation marks. Quote the whole cell.")
            }
            place += 1
        }
    }

    private static func plain(_ bytes: [UInt8], _ place: inout Int) throws -> Cell {
        let end = bytes[place...].firstIndex(of: comma) ?? bytes.count
        defer { place = end }
        guard !bytes[place..<end].contains(quote) else {
            throw FileFailure(
                "A quotation mark stands in a cell without them. Quote the whole cell, and write two for one.")
        }
        return Cell(text: try text(bytes[place..<end]), isQuoted: false)
    }

    private static func quoted(_ bytes: [UInt8], _ place: inout Int) throws -> Cell {
        var content: [UInt8] = []
        place += 1
        while let end = bytes[place...].firstIndex(of: quote) {
            content += bytes[place..<end]
            place = end + 1
            guard place < bytes.count, bytes[place] == quote else {
                return Cell(text: try text(content[...]), isQuoted: true)
            }
            content.append(quote)
            place += 1
        }
        throw FileFailure("A cell has no closing quotation mark.")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileFailure("A cell is not UTF-8. Convert the file.")
        }
        return text
    }
}
