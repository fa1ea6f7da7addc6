import CausewayJSON
import CausewayFeed
import CausewayModel
import CausewayQuery

/// How a property becomes a column. SINKS.md has the table.
struct PostgreSQLColumn: Hashable {
    var name: String
    var type: String
    var isPrimaryKey = false
    var isOptional = true
    private var form = Form.plain

    private enum Form: Hashable {
        /// A JSON text or number that PostgreSQL's type reads.
        case plain
        /// JSON as it is.
        case json
    }

    init(_ property: Property, in schema: Schema) {
        name = PostgreSQLName.stored(property.name)
        isPrimaryKey = property.isPrimaryKey
        isOptional = property.isOptional
        let type = property.collection == .none ? Self.type(of: property, in: schema) : nil
        self.type = type ?? "jsonb"
        form = type == nil ? .json : .plain
    }

    /// Nil for what only JSON can hold.
    private static func type(of property: Property, in schema: Schema) -> String? {
        switch property.type {
        case .bool: "boolean"
        case .int: "bigint"
        case .float: "real"
        case .double: "double precision"
        case .string: "text"
        case .data: "bytea"
        case .date: "timestamptz"
        case .objectId: "text"
        case .uuid: "uuid"
        case .decimal128: "numeric"
        case .mixed: nil
        case .object:
            property.target.flatMap { schema[$0] }.flatMap { target in
                target.primaryKeyIndex.flatMap { type(of: target.properties[$0], in: schema) }
            }
        }
    }

    // MARK: - Values

    func append(_ content: ObjectValues.Content, to json: inout JSONWriter) {
        guard form == .plain, case .single(let item) = content else { return json.write(content) }
        switch item {
        case .value(let value) where isPrimaryKey: append(key: value, to: &json)
        case .value(let value): append(value, to: &json)
        case .link(let link): append(key: link.key.value ?? .null, to: &json)
        case .mixed, .embedded, .nested: json.write(content)
        }
    }

    /// A primary key, also that of a link's target.
    private func append(key: Value, to json: inout JSONWriter) {
        if case .string(let text) = key { json.write(nameText: text) } else { append(key, to: &json) }
    }

    private func append(_ value: Value, to json: inout JSONWriter) {
        switch value {
        case .null, .object, .anyObject, .anyLink, .link: json.null()
        case .bool(let value): json.write(value)
        case .int(let value): json.write(value)
        case .float(let value): number("\(value)", value.isFinite, value.isNaN, &json)
        case .double(let value): number("\(value)", value.isFinite, value.isNaN, &json)
        case .string(let value): json.write(value)
        case .bytes(let value): json.write("\\x" + value.map(Self.hexadecimal).joined())
        case .timestamp(let value): json.write(Self.time(value))
        case .objectId(let value): json.write(value.hexadecimal)
        case .uuid(let value): json.write(value.hyphenated)
        case .decimal(let value): json.write(Self.decimal(value))
        }
    }

    private func number(_ text: String, _ isFinite: Bool, _ isNaN: Bool, _ json: inout JSONWriter) {
        if isFinite { return json.raw(text) }
        json.write(isNaN ? "NaN" : text.hasPrefix("-") ? "-Infinity" : "Infinity")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }

    private static func decimal(_ value: DecimalNumber) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value.isNegative ? "-Infinity" : "Infinity" }
        return value.description
    }

    /// The years 1 to 9999, which both write alike.
    private static func time(_ value: Timestamp) -> String {
        DateText.text(value) ?? (value.seconds < 0 ? "-infinity" : "infinity")
    }
}
