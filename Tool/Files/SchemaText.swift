import CausewayJSON
package import CausewayModel
import CausewayObjectStore

/// A schema for people, and as JSON.
package enum SchemaText {
    package static func text(of file: OpenedFile) throws -> String { text(of: try file.read { $0.schema }) }

    package static func json(of file: OpenedFile) throws -> String { json(try file.read { $0.schema }) }

    package static func text(of schema: Schema) -> String {
        schema.withoutNestedCollections.classes.map { classSchema in
            let kind = classSchema.kind == .object ? "" : " (\(classSchema.kind))"
            let lines = classSchema.properties.map { "    \($0.name): \(type(of: $0))" }
            return ([classSchema.name + kind] + lines).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// A property as `causeway schema` shows it, without its name.
    package static func type(of property: Property) -> String {
        let base = (property.target ?? "\(property.type)") + (property.isOptional ? "?" : "")
        let type = property.collection == .none ? base : "\(property.collection)<\(base)>"
        return ([type] + property.flags.filter { $0.isSet && $0.name != "optional" }.map(\.name)).joined(separator: " ")
    }

    private static func json(_ schema: Schema) -> String {
        var writer = JSONWriter()
        writer.object { json in writeClasses(schema, to: &json) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the member `classes` of an object.
    static func writeClasses(_ schema: Schema, to writer: inout JSONWriter) {
        writer.name("classes")
        writer.array(schema.withoutNestedCollections.classes) { classSchema, json in
            json.object { json in
                json.field("name", classSchema.name)
                json.field("kind", "\(classSchema.kind)")
                json.name("properties")
                json.array(classSchema.properties) { property, json in write(property, to: &json) }
            }
        }
    }

    private static func write(_ property: Property, to writer: inout JSONWriter) {
        writer.object { json in
            json.field("name", property.name)
            json.members(of: property)
            if property.deletionRule != .none { json.field("deletionRule", "\(property.deletionRule)") }
        }
    }
}
