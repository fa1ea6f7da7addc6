import CausewayJSON
import CausewayFeed
import CausewayModel
import CausewayQuery

/// The table of a class: its columns, and the statements that make, extend and fill it.
struct PostgreSQLTable: Hashable {
    let className: String
    private let name: String
    private let columns: [PostgreSQLColumn]
    /// Whether the class has more properties than get columns: the others are together in one.
    private let hasRest: Bool
    /// Of properties with columns.
    private let numbers: [ExactString: Int]
    private let key: PostgreSQLColumn?

    /// For a class whose primary key may be null, which no primary key of PostgreSQL may.
    private static let keyText = "causeway_key"
    private static let sequence = "causeway_sequence"
    private static let received = "causeway_received"
    private static let rest = "causeway_rest"

    /// A row of PostgreSQL has one page of 8 KB. Of a column up to 24 bytes stay in it, wherever a long value is.
    private static let columnsMax = 250

    /// - Parameter area: the schema in PostgreSQL.
    init(_ classSchema: ClassSchema, in schema: Schema, area: String) {
        className = classSchema.name
        name =
            PostgreSQLName.quoted(area) + "." + PostgreSQLName.quoted(PostgreSQLName.stored(classSchema.name))
        let shown = classSchema.properties.enumerated().filter {
            $0.offset < Self.columnsMax || $0.element.isPrimaryKey
        }
        .map(\.element)
        columns = shown.map { PostgreSQLColumn($0, in: schema) }
        hasRest = shown.count < classSchema.properties.count
        numbers = Dictionary(uniqueKeysWithValues: shown.enumerated().map { (ExactString($1.name), $0) })
        key = columns.first { $0.isPrimaryKey && !$0.isOptional }
    }

    /// All columns with their types.
    private var all: [(name: String, type: String)] {
        columns.map { ($0.name, $0.type) } + (key == nil ? [(Self.keyText, "text")] : [])
            + [(Self.sequence, "bigint"), (Self.received, "timestamptz")] + (hasRest ? [(Self.rest, "jsonb")] : [])
    }

    private var keyName: String { PostgreSQLName.quoted(key?.name ?? Self.keyText) }

    // MARK: - Making

    /// Makes the table, or adds the columns that it lacks. What is there is never changed.
    var preparations: [String] {
        let rows = all.map { "\(PostgreSQLName.quoted($0.name)) \($0.type)" }.joined(separator: ", ")
        let additions = all.map { "ADD COLUMN IF NOT EXISTS \(PostgreSQLName.quoted($0.name)) \($0.type)" }
        return [
            "CREATE TABLE IF NOT EXISTS \(name) (\(rows), PRIMARY KEY (\(keyName)))",
            "ALTER TABLE \(name) \(additions.joined(separator: ", "))",
        ]
    }

    // MARK: - Filling

    /// Takes all rows as one parameter, a JSON array: `rows` makes it.
    var insertion: String {
        let names = all.map { PostgreSQLName.quoted($0.name) }
        let sources = all.indices.map { "c\($0)" }
        let types = zip(sources, all).map { "\($0) \($1.type)" }.joined(separator: ", ")
        let changes = names.filter { $0 != keyName }.map { "\($0) = EXCLUDED.\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(names.joined(separator: ", "))) SELECT \(sources.joined(separator: ", ")) "
            + "FROM json_to_recordset($1::json) AS r(\(types)) ON CONFLICT (\(keyName)) DO UPDATE SET \(changes)"
    }

    func rows(_ rows: [SinkRow]) -> [UInt8] {
        // No text in PostgreSQL holds the character U+0000.
        var json = JSONWriter(withoutNull: true)
        json.array(rows) { row, json in
            json.object { append(row, to: &$0) }
        }
        return json.bytes
    }

    private func append(_ row: SinkRow, to json: inout JSONWriter) {
        for property in row.values.properties {
            guard let number = numbers[ExactString(property.name)] else { continue }
            json.name("c\(number)")
            columns[number].append(property.content, to: &json)
        }
        var number = columns.count
        if key == nil {
            json.name("c\(number)")
            json.write(nameText: Self.text(of: row.key))
            number += 1
        }
        json.field("c\(number)", row.sequence)
        if row.time > 0 { json.field("c\(number + 1)", DateText.text(milliseconds: row.time)) }
        guard hasRest else { return }
        json.name("c\(number + 2)")
        var rest = ObjectValues(className: className)
        rest.properties = row.values.properties.filter { numbers[ExactString($0.name)] == nil }
        json.write(rest)
    }

    /// A text for each primary key, null among them.
    private static func text(of key: PrimaryKey) -> String {
        switch key {
        case .null, .container: "null"
        case .int(let value): "int \(value)"
        case .string(let value): "string \(value)"
        case .objectId(let value): "objectId \(value.hexadecimal)"
        case .uuid(let value): "uuid \(value.hyphenated)"
        }
    }
}
