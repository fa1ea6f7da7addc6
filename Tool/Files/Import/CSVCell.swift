import CausewayJSON
import CausewayModel

/// The JSON form of a cell.
enum CSVCell {
    static func json(_ cell: CSVRecord.Cell, _ property: Property, of className: String) throws -> JSON {
        if cell.text.isEmpty, !cell.isQuoted {
            // Programs that know no null write nothing for an empty text.
            return property.type == .string && property.collection == .none && !property.isOptional
                ? .string("") : .null
        }
        guard property.collection == .none, property.isPlain else {
            return try JSONLinesSource.json(Array(cell.text.utf8))
        }
        return try plain(cell.text, property, className)
    }

    private static func plain(_ text: String, _ property: Property, _ className: String) throws -> JSON {
        switch property.type {
        case .string: return .string(text)
        case .bool where text == "true" || text == "false": return .bool(text == "true")
        case .int, .float, .double:
            if let number = try? JSONReader.read(Array(text.utf8)), case .number = number { return number }
            return tagged("$numberDouble", text)
        case .data: return tagged("$binary", .object([JSON.Member("base64", .string(text))]))
        case .date where text.utf8.first == UInt8(ascii: "{"): return try JSONLinesSource.json(Array(text.utf8))
        case .date: return tagged("$date", text)
        case .objectId: return tagged("$oid", text)
        case .uuid: return tagged("$uuid", text)
        case .decimal128: return tagged("$numberDecimal", text)
        case .bool, .mixed, .object:
            throw FileFailure(
                "'\(className).\(property.name)' has another form than its type. Expected: true or false.")
        }
    }

    private static func tagged(_ tag: String, _ text: String) -> JSON { tagged(tag, .string(text)) }

    private static func tagged(_ tag: String, _ value: JSON) -> JSON { .object([JSON.Member(tag, value)]) }
}
