import CausewayModel

/// A class with something of everything that merges, and what is embedded in it.
enum JourneySchema {
    static let schema = Schema([
        ClassSchema(
            name: "Item",
            properties: [
                Property(name: "_id", type: .int, isPrimaryKey: true),
                Property(name: "name", type: .string),
                Property(name: "flag", type: .bool),
                Property(name: "likes", type: .int, isCounter: true),
                Property(name: "link", type: .object, isOptional: true, target: "Item"),
                Property(name: "tags", type: .string, collection: .list),
                Property(name: "friends", type: .object, collection: .list, target: "Item"),
                Property(name: "labels", type: .decimal128, collection: .set),
                Property(name: "scores", type: .string, collection: .map),
                Property(name: "body", type: .string, isText: true),
                Property(name: "address", type: .object, isOptional: true, target: "Address"),
                Property(name: "parts", type: .object, collection: .list, target: "Part"),
                Property(name: "it", type: .mixed, isOptional: true),
            ]),
        ClassSchema(
            name: "Address", kind: .embedded,
            properties: [
                Property(name: "city", type: .string),
                Property(name: "number", type: .int, isCounter: true),
            ]),
        ClassSchema(name: "Part", kind: .embedded, properties: [Property(name: "n", type: .string)]),
    ])
}
