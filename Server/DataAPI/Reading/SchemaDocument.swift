import CausewayJSON
import CausewayModel

extension Schema {
    /// The schema as a client reads it: the classes that stand for themselves, and those embedded in them.
    var document: [UInt8] {
        var writer = JSONWriter()
        writer.object { document in
            document.name("classes")
            document.array { list in
                for classSchema in withoutNestedCollections.classes { list.write(classSchema) }
            }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ classSchema: ClassSchema) {
        object { body in
            body.field("name", classSchema.name)
            body.field("kind", "\(classSchema.kind)")
            body.name("properties")
            body.array { list in
                for property in classSchema.properties { list.write(property) }
            }
        }
    }

    private mutating func write(_ property: Property) {
        object { body in
            body.field("name", property.name)
            body.members(of: property)
        }
    }
}
