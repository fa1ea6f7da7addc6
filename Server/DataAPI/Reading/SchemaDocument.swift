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
            body.name("name")
            body.write(classSchema.name)
            body.name("kind")
            body.write("\(classSchema.kind)")
            body.name("properties")
            body.array { list in
                for property in classSchema.properties { list.write(property) }
            }
        }
    }

    private mutating func write(_ property: Property) {
        object { body in
            body.name("name")
            body.write(property.name)
            body.name("type")
            body.write("\(property.type)")
            if property.collection != .none {
                body.name("collection")
                body.write("\(property.collection)")
            }
            if let target = property.target {
                body.name("target")
                body.write(target)
            }
            let flags = [
                ("optional", property.isOptional), ("primaryKey", property.isPrimaryKey),
                ("indexed", property.isIndexed), ("counter", property.isCounter), ("text", property.isText),
            ]
            for (name, isSet) in flags where isSet {
                body.name(name)
                body.write(true)
            }
        }
    }
}
