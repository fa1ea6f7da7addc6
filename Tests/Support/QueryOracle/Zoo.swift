import CausewayModel

/// The classes that queries are tried on: every type, required and optional, with an index and without; links, lists, sets,
/// maps, embedded objects, and mixed values that hold lists and dictionaries.
enum Zoo {
    static let schema = Schema([animal, keeper, cage])

    static let animal = ClassSchema(
        name: "Animal",
        properties: [
            Property(name: "id", type: .int, isPrimaryKey: true),
            Property(name: "isTame", type: .bool, isOptional: true),
            Property(name: "legs", type: .int),
            Property(name: "age", type: .int, isOptional: true, isIndexed: true),
            Property(name: "speed", type: .float, isOptional: true),
            Property(name: "weight", type: .double, isIndexed: true),
            Property(name: "name", type: .string),
            Property(name: "breed", type: .string, isOptional: true, isIndexed: true),
            Property(name: "picture", type: .data, isOptional: true),
            Property(name: "born", type: .date, isIndexed: true),
            Property(name: "died", type: .date, isOptional: true),
            Property(name: "chip", type: .objectId, isOptional: true, isIndexed: true),
            Property(name: "passport", type: .uuid),
            Property(name: "price", type: .decimal128, isOptional: true),
            Property(name: "story", type: .string, isOptional: true, isFullTextIndexed: true),
            Property(name: "gift", type: .mixed),
            Property(name: "label", type: .mixed, isIndexed: true),
            Property(name: "keeper", type: .object, isOptional: true, target: "Keeper"),
            Property(name: "mother", type: .object, isOptional: true, target: "Animal"),
            Property(name: "cage", type: .object, isOptional: true, target: "Cage"),
            Property(name: "marks", type: .int, collection: .list, isOptional: true),
            Property(name: "nicknames", type: .string, collection: .list),
            Property(name: "weights", type: .double, collection: .list),
            Property(name: "offers", type: .decimal128, collection: .list),
            Property(name: "friends", type: .object, collection: .list, target: "Animal"),
            Property(name: "foods", type: .string, collection: .set),
            Property(name: "numbers", type: .int, collection: .set, isOptional: true),
            Property(name: "rivals", type: .object, collection: .set, target: "Animal"),
            Property(name: "scores", type: .double, collection: .map),
            Property(name: "remarks", type: .string, collection: .map, isOptional: true),
            Property(name: "allies", type: .object, collection: .map, isOptional: true, target: "Animal"),
            Property(name: "toys", type: .mixed, collection: .list, isOptional: true),
            Property(name: "notes", type: .mixed, collection: .map, isOptional: true),
        ])

    static let keeper = ClassSchema(
        name: "Keeper",
        properties: [
            Property(name: "name", type: .string, isPrimaryKey: true),
            Property(name: "wage", type: .double, isOptional: true),
            Property(name: "rank", type: .int, isIndexed: true),
            Property(name: "boss", type: .object, isOptional: true, target: "Keeper"),
            Property(name: "animals", type: .object, collection: .list, target: "Animal"),
        ])

    /// The mixed columns of animals, those of collections too.
    static let mixedColumns = animal.properties.indices.filter { animal.properties[$0].type == .mixed }

    static let cage = ClassSchema(
        name: "Cage", kind: .embedded,
        properties: [
            Property(name: "place", type: .string, isOptional: true),
            Property(name: "size", type: .int),
        ])
}
