package import CausewayJSON
package import CausewayModel
import CausewayQuery

// Objects in MongoDB's extended JSON, as far as plain JSON has no form of its own. FEED.md has the table.

extension JSONWriter {
    /// The largest whole number up to which doubles have all of them: many readers of JSON know no others.
    private static let exactMax: UInt64 = 1 << 53 - 1

    package mutating func write(_ object: ObjectValues) {
        self.object { json in
            for property in object.properties {
                json.name(property.name)
                json.write(property.content)
            }
        }
    }

    /// What one property holds.
    package mutating func write(_ content: ObjectValues.Content) {
        switch content {
        case .single(let item): write(item)
        case .list(let items): array(items) { $1.write($0) }
        case .map(let entries):
            object { json in
                for entry in entries {
                    json.name(entry.key)
                    json.write(entry.item)
                }
            }
        }
    }

    private mutating func write(_ item: ObjectValues.Item) {
        switch item {
        case .value(let value): write(value)
        case .embedded(let object): write(object)
        case .nested(let content): write(content)
        }
    }

    package mutating func write(_ key: PrimaryKey) {
        if case .string(let text) = key { write(nameText: text) } else { write(key.value ?? .null) }
    }

    /// A single value; links are named by the primary key of their target.
    package mutating func write(_ value: Value) {
        switch value {
        case .null, .object, .anyObject: null()
        case .bool(let value): write(value)
        case .int(let value) where value.magnitude <= Self.exactMax: write(value)
        case .int(let value): tagged("$numberLong", String(value))
        case .float(let value): write("\(value)", isFinite: value.isFinite, isNaN: value.isNaN)
        case .double(let value): write("\(value)", isFinite: value.isFinite, isNaN: value.isNaN)
        case .string(let value): write(value)
        case .bytes(let value):
            object { json in
                json.name("$binary")
                json.object { json in
                    json.field("base64", Base64.encode(value))
                    json.field("subType", "00")
                }
            }
        case .timestamp(let value): tagged("$date", TimeText.iso8601(value))
        case .objectId(let value): tagged("$oid", value.hexadecimal)
        case .uuid(let value): tagged("$uuid", value.hyphenated)
        case .decimal(let value): tagged("$numberDecimal", value.description)
        case .link(let key): write(key)
        case .anyLink(let link):
            object { json in
                json.field("$ref", link.className)
                json.name("$id")
                json.write(link.key)
            }
        }
    }

    /// The shortest text that reads back as the same number. JSON has no infinity and no NaN.
    private mutating func write(_ text: String, isFinite: Bool, isNaN: Bool) {
        if isFinite { return raw(text) }
        tagged("$numberDouble", isNaN ? "NaN" : text.hasPrefix("-") ? "-Infinity" : "Infinity")
    }
}
