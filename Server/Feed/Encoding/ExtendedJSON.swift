package import CausewayJSON
package import CausewayModel
import CausewayQuery

/// Objects in MongoDB's extended JSON, as far as plain JSON has no form of its own. FEED.md has the table.
package struct ExtendedJSON: FeedEncoder {
    package init() {}

    /// The largest whole number up to which doubles have all of them: many readers of JSON know no others.
    private static let exactMax: UInt64 = 1 << 53 - 1

    package func append(_ object: ObjectValues, to json: inout JSONWriter) {
        json.object { json in
            for property in object.properties {
                json.name(property.name)
                append(property.content, to: &json)
            }
        }
    }

    package func append(_ content: ObjectValues.Content, to json: inout JSONWriter) {
        switch content {
        case .single(let item): append(item, to: &json)
        case .list(let items): json.array(items) { append($0, to: &$1) }
        case .map(let entries):
            json.object { json in
                for entry in entries {
                    json.name(entry.key)
                    append(entry.item, to: &json)
                }
            }
        }
    }

    private func append(_ item: ObjectValues.Item, to json: inout JSONWriter) {
        switch item {
        case .value(let value): append(value, to: &json)
        case .embedded(let object): append(object, to: &json)
        case .nested(let content): append(content, to: &json)
        }
    }

    package func append(_ value: Value, to json: inout JSONWriter) {
        switch value {
        case .null, .object, .anyObject: json.null()
        case .bool(let value): json.write(value)
        case .int(let value) where value.magnitude <= Self.exactMax: json.write(value)
        case .int(let value): single("$numberLong", String(value), &json)
        case .float(let value): number("\(value)", isFinite: value.isFinite, isNaN: value.isNaN, &json)
        case .double(let value): number("\(value)", isFinite: value.isFinite, isNaN: value.isNaN, &json)
        case .string(let value): json.write(value)
        case .bytes(let value):
            json.object { json in
                json.name("$binary")
                json.object { json in
                    json.field("base64", Base64.encode(value))
                    json.field("subType", "00")
                }
            }
        case .timestamp(let value): single("$date", TimeText.iso8601(value), &json)
        case .objectId(let value): single("$oid", value.hexadecimal, &json)
        case .uuid(let value): single("$uuid", value.hyphenated, &json)
        case .decimal(let value): single("$numberDecimal", value.description, &json)
        case .link(let key): append(key, to: &json)
        case .anyLink(let link):
            json.object { json in
                json.field("$ref", link.className)
                json.name("$id")
                append(link.key, to: &json)
            }
        }
    }

    private func single(_ name: String, _ text: String, _ json: inout JSONWriter) {
        json.object { $0.field(name, text) }
    }

    /// The shortest text that reads back as the same number. JSON has no infinity and no NaN.
    private func number(_ text: String, isFinite: Bool, isNaN: Bool, _ json: inout JSONWriter) {
        if isFinite { return json.raw(text) }
        single("$numberDouble", isNaN ? "NaN" : text.hasPrefix("-") ? "-Infinity" : "Infinity", &json)
    }
}
